import Foundation
import SwormPredicates

extension Row {
    /// The identity of the row, for comparisons with ids of objects: `$0.author?.objectID == leo`.
    public var objectID: ManagedObjectID<PlainObject> {
        ManagedObjectID(ObjectReference(storeIdentifier: nil, entityName: PlainObject.entityName, key: 0))
    }
}

/// An id is coded as its URL. Predicates require `Codable` of the values that they capture.
extension ManagedObjectID: Codable {
    /// Decodes the id of a saved object from its URL.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(URL.self))
    }

    /// Encodes the URL of the id.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uriRepresentation)
    }
}
