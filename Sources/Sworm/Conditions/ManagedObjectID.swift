public import Foundation
package import SwormPredicates

/// The identity of a stored object, with its type. It can be kept, sent and compared, and outlives any context.
public struct ManagedObjectID<PlainObject: ManagedObjectConvertible>: Sendable, Hashable, CustomStringConvertible {
    package let reference: ObjectReference

    package init(_ reference: ObjectReference) {
        self.reference = reference
    }

    /// Takes the id from its URL.
    ///
    /// - Parameter url: What ``uriRepresentation`` gave for an object that was saved.
    /// - Throws: A ``StoreError`` with the code `invalidObjectID` when the URL is no id of a saved object.
    public init(_ url: URL) throws {
        func fail(_ reason: String) -> StoreError {
            StoreError(
                .invalidObjectID,
                "\(excerpt(url.absoluteString)) is no id of a saved \(PlainObject.entityName): \(reason). "
                    + "An id looks like x-coredata://STORE/\(PlainObject.entityName)/p1.",
                entity: PlainObject.entityName)
        }
        guard url.scheme?.lowercased() == "x-coredata" else { throw fail("its scheme is another one") }
        guard let store = url.host(percentEncoded: false), !store.isEmpty else { throw fail("it names no store") }
        let parts = url.path(percentEncoded: false).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty else { throw fail("it names no entity and key") }
        guard parts[2].first == "p", let key = Int64(parts[2].dropFirst()), key > 0, parts[2] == "p\(key)" else {
            throw fail("\"\(parts[2])\" is no key of a saved object")
        }
        reference = ObjectReference(storeIdentifier: store, entityName: String(parts[1]), key: key)
    }

    /// The id as a URL, for example `x-coredata://STORE/Book/p1`.
    ///
    /// The URL of an object that was never saved has no store in it, and means nothing later.
    public var uriRepresentation: URL {
        var components = URLComponents()
        components.scheme = "x-coredata"
        components.host = reference.storeIdentifier ?? ""
        components.path = "/\(reference.entityName)/\(reference.isTemporary ? "t" : "p")\(reference.key)"
        return components.url ?? URL(filePath: "/")
    }

    /// Whether the object was not saved yet when the id was taken. Its saved object has another id.
    public var isTemporary: Bool { reference.isTemporary }

    /// The id as text: the URL.
    public var description: String { uriRepresentation.absoluteString }
}

/// An id whose type is not known at the place of use.
package protocol ObjectIdentifying {
    var reference: ObjectReference { get }
}

extension ManagedObjectID: ObjectIdentifying {}
