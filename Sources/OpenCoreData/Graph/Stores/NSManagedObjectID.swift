public import Foundation
package import SwormPredicates
import SwormStore

/// The identity of a managed object: its store, its entity and its key in the store.
///
/// An id is immutable and may be used from any thread. The id of an object that was never saved is temporary. When the
/// object is saved, it gets a permanent id.
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

    /// Returns the next temporary key, which is a negative number that was not used before.
    static func nextTemporaryKey() -> Int64 {
        temporaryKeys.withLock { key in
            key -= 1
            return key
        }
    }

    /// The entity of the object.
    public var entity: NSEntityDescription { origin.description(of: compiledEntity) }

    /// The identifier of the object's store; nil for a temporary id.
    var storeIdentifier: String? { isTemporaryID ? nil : origin.storeIdentifier }

    /// The store that contains the object; nil for a temporary id, and after the store was removed.
    public var persistentStore: NSPersistentStore? { isTemporaryID ? nil : origin.store }

    /// Whether the object has not been saved yet.
    public var isTemporaryID: Bool { key < 0 }

    /// Returns the id as a URI: `x-coredata://<store>/<entity>/p<key>`, or `x-coredata:///<entity>/t<number>` for a
    /// temporary id.
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

    /// Returns the id itself, because it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether another id identifies the same object.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        return self === other
            || (key == other.key && storeIdentifier == other.storeIdentifier
                && compiledEntity.name == other.compiledEntity.name)
    }

    /// A hash of the key. Few ids differ only in the store or the entity.
    public override var hash: Int { Int(truncatingIfNeeded: key) }

    /// The id's URI.
    public override var description: String { uriRepresentation().absoluteString }
}

/// The identity of an object with a row, for comparisons.
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
