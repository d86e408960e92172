public import Foundation
package import SwormPredicates
import SwormStore

/// The identity of a managed object: its store, its entity and its key there.
///
/// An id is a plain immutable value in an object's clothes and may be used from any thread. The id of an object that was
/// never saved is temporary; saving gives the object another, permanent one.
public final class NSManagedObjectID: NSObject, NSCopying, Sendable {
    /// The object's own entity in the model that its store was opened with.
    let compiledEntity: CompiledEntity
    /// The primary key, or a negative number that is unique in this process.
    let key: Int64
    let origin: ObjectOrigin

    init(entity: CompiledEntity, key: Int64, origin: ObjectOrigin) {
        compiledEntity = entity
        self.key = key
        self.origin = origin
    }

    private static let temporaryKeys = Locked<Int64>(0)

    /// The next temporary key: a negative number that was not given out before.
    static func nextTemporaryKey() -> Int64 {
        temporaryKeys.withLock { key in
            key -= 1
            return key
        }
    }

    /// The entity of the object.
    public var entity: NSEntityDescription { origin.description(of: compiledEntity) }

    /// The identifier of the object's store; nil while the id is temporary.
    var storeIdentifier: String? { isTemporaryID ? nil : origin.storeIdentifier }

    /// The store that holds the object; nil while the id is temporary and once the store was removed.
    public var persistentStore: NSPersistentStore? { isTemporaryID ? nil : origin.store }

    /// Whether the object has not been saved yet.
    public var isTemporaryID: Bool { key < 0 }

    /// The id as a URI: `x-coredata://<store>/<entity>/p<key>`, or `x-coredata:///<entity>/t<number>` for a temporary id.
    public func uriRepresentation() -> URL {
        let name = compiledEntity.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
        let text =
            isTemporaryID
            ? "x-coredata:///\(name)/t\(key.magnitude)" : "x-coredata://\(storeIdentifier ?? "")/\(name)/p\(key)"
        return URL(string: text) ?? URL(fileURLWithPath: text)
    }

    /// The id as a plain value.
    package var reference: ObjectReference {
        ObjectReference(storeIdentifier: storeIdentifier, entityName: compiledEntity.name, key: key)
    }

    var row: RowID { RowID(entity: compiledEntity.number, key: key) }

    /// Returns the id itself: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another id identifies the same object.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        return self === other
            || (key == other.key && storeIdentifier == other.storeIdentifier
                && compiledEntity.name == other.compiledEntity.name)
    }

    /// A hash of the key. Ids of different stores or entities with one key are rare beside those that differ in it.
    public override var hash: Int { Int(truncatingIfNeeded: key) }

    /// The id's URI.
    public override var description: String { uriRepresentation().absoluteString }
}

/// The identity of an object that has a row, in comparisons.
package struct ObjectKey: Hashable, Sendable {
    let origin: ObjectIdentifier
    let root: Int
    let key: Int64
}

extension NSManagedObjectID {
    package var objectKey: ObjectKey {
        ObjectKey(origin: ObjectIdentifier(origin), root: compiledEntity.root, key: key)
    }
}
