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
        do {
            reference = try ObjectReference(url)
        } catch {
            throw StoreError(
                .invalidObjectID,
                "\(excerpt(url.absoluteString)) is no id of a saved \(PlainObject.entityName): \(error.reason). "
                    + "An id looks like x-coredata://STORE/\(PlainObject.entityName)/p1.",
                entity: PlainObject.entityName)
        }
    }

    /// The id as a URL, for example `x-coredata://STORE/Book/p1`.
    ///
    /// The URL of an object that was never saved has no store in it, and means nothing later.
    public var uriRepresentation: URL { reference.url }

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
