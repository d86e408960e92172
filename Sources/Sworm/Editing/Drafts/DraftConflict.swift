public import SwormPredicates

/// The error of saving a ``Draft`` with attributes that both the draft and somebody else have changed, to different
/// values.
public struct DraftConflict: Error, Sendable, Hashable {
    /// An attribute that both sides have changed.
    public struct Attribute: Sendable, Hashable {
        /// The name of the attribute in the model.
        public var name: String
        /// The value that was read.
        public var base: AttributeValue
        /// The value of the draft.
        public var mine: AttributeValue
        /// The value in the store.
        public var theirs: AttributeValue
    }

    /// The name of the object's entity.
    public var entityName: String
    /// The attributes, sorted by name.
    public var attributes: [Attribute]
}

extension DraftConflict: CustomStringConvertible {
    /// The entity, and the three values of each attribute.
    public var description: String {
        let list = attributes.map {
            "'\($0.name)' was \($0.base), was changed to \($0.theirs) in the store, and to \($0.mine) in the draft"
        }
        return
            "The draft of \(entityName) conflicts with the store: \(list.joined(separator: "; ")). Save it with `conflicts: .mine` or `.theirs`, or change the draft."
    }
}

/// The side whose values a ``Draft`` saves for attributes that both sides have changed.
public enum DraftResolution: Sendable, Hashable {
    /// The values of the draft.
    case mine
    /// The values in the store.
    case theirs
}
