public import Foundation
package import SwormPredicates

/// The typed identity of a stored object.
///
/// You can store, send and compare it, and it remains valid after its context ends.
public struct ManagedObjectID<PlainObject: ManagedObjectConvertible>: Sendable, Hashable, CustomStringConvertible {
    package let reference: ObjectReference

    package init(_ reference: ObjectReference) {
        self.reference = reference
    }

    /// Creates an id from its URL.
    ///
    /// - Parameter url: The ``uriRepresentation`` of the id of a saved object.
    /// - Throws: A ``StoreError`` with the code `invalidObjectID` if the URL is not the id of a saved object.
    public init(_ url: URL) throws {
        do {
            reference = try ObjectReference(url)
        } catch {
            throw StoreError(
                .invalidObjectID,
                "'\(excerpt(url.absoluteString))' is not the id of a saved \(PlainObject.entityName): \(error.reason). "
                    + "An id has the form x-coredata://STORE/\(PlainObject.entityName)/p1.",
                entity: PlainObject.entityName)
        }
    }

    /// The id as a URL, for example `x-coredata://STORE/Book/p1`.
    ///
    /// The URL of an unsaved object does not contain a store, and cannot be used later.
    public var uriRepresentation: URL { reference.url }

    /// Whether the object was unsaved when the id was read.
    ///
    /// The saved object has a different id.
    public var isTemporary: Bool { reference.isTemporary }

    /// The id as a string: the URL.
    public var description: String { uriRepresentation.absoluteString }
}

/// An id whose type is not statically known.
protocol ObjectIdentifying {
    var reference: ObjectReference { get }
}

extension ManagedObjectID: ObjectIdentifying {}
