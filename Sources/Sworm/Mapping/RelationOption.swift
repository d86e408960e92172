/// The rule that decides what happens to the destination when the object at this end is deleted.
public enum DeleteRule: Sendable, Hashable {
    /// Removes the destination's reference to the object.
    case nullify
    /// Deletes the destination too.
    case cascade
    /// Rejects the deletion as long as the object has a destination.
    case deny
    /// Changes nothing: the other end keeps its reference, and you must correct it yourself.
    case noAction
}

/// The three kinds of relation.
public enum RelationKind: Sendable, Hashable {
    case toOne, toMany, toManyOrdered
}

/// An option of a relation, in addition to its name, destination, inverse and delete rule.
///
/// Options apply when the model is created from the tables. If you use a model file, the file decides.
public struct RelationOption: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case required
        case count(minimum: Int?, maximum: Int?)
        case renamed(String)
        case hashModifier(String)
    }

    let content: Content

    private init(_ content: Content) {
        self.content = content
    }

    /// The relation must have a destination when an object is saved.
    ///
    /// Without this option, it may have none.
    public static let required = RelationOption(.required)

    /// The number of destinations that a nonempty relation to many may have when an object is saved.
    public static func count(_ range: ClosedRange<Int>) -> RelationOption {
        RelationOption(.count(minimum: range.lowerBound, maximum: range.upperBound))
    }

    /// The smallest number of destinations that a nonempty relation to many must have when an object is saved.
    public static func count(_ range: PartialRangeFrom<Int>) -> RelationOption {
        RelationOption(.count(minimum: range.lowerBound, maximum: nil))
    }

    /// The largest number of destinations that a relation to many may have when an object is saved.
    public static func count(_ range: PartialRangeThrough<Int>) -> RelationOption {
        RelationOption(.count(minimum: nil, maximum: range.upperBound))
    }

    /// The relation's name in the previous version of the model, so that a migration finds it.
    public static func renamed(from name: String) -> RelationOption { RelationOption(.renamed(name)) }

    /// A string that makes this version of the relation differ from versions with the same declaration.
    public static func hashModifier(_ modifier: String) -> RelationOption { RelationOption(.hashModifier(modifier)) }
}
