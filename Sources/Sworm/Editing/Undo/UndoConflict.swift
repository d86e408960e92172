public import SwormPredicates

/// A property, or an object, that an undo or a redo has left as it is, because somebody else has changed it since.
public struct UndoConflict: Sendable, Hashable {
    /// The name of the object's entity.
    public var entityName: String
    /// The name of the attribute or relation; nil for the object as a whole, which was deleted, or inserted again.
    public var property: String?
    /// The identity of the object.
    public var object: ObjectReference

    /// Returns whether the conflict is about an object.
    public func concerns<PlainObject>(_ id: ManagedObjectID<PlainObject>) -> Bool { object == id.reference }
}

extension UndoConflict: CustomStringConvertible {
    /// The entity, the key, and the property.
    public var description: String { "\(entityName) \(object.key)\(property.map { ".\($0)" } ?? "")" }
}
