/// What happens to the destination when the object at this end is deleted.
public enum DeleteRule: Sendable, Hashable {
    /// The destination forgets the object.
    case nullify
    /// The destination is deleted too.
    case cascade
    /// The object cannot be deleted while there is a destination.
    case deny
    /// Nothing; the other end keeps its reference. Set it right yourself.
    case noAction
}

/// The three kinds of relation.
public enum RelationKind: Sendable, Hashable {
    case toOne, toMany, toManyOrdered
}

/// What a table says about a relation beyond its name, destination, inverse and delete rule.
///
/// Options matter when the model is made from the tables. With a model file, the file decides.
public struct RelationOption: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case required
        case count(minimum: Int?, maximum: Int?)
        case renamed(String)
        case hashModifier(String)
    }

    package let content: Content

    private init(_ content: Content) {
        self.content = content
    }

    /// There must be a destination when an object is saved. Without this option there may be none.
    public static let required = RelationOption(.required)

    /// How many destinations there may be when an object is saved, if there are any. For relations to many.
    public static func count(_ range: ClosedRange<Int>) -> RelationOption {
        RelationOption(.count(minimum: range.lowerBound, maximum: range.upperBound))
    }

    /// How many destinations there must be at least when an object is saved, if there are any. For relations to many.
    public static func count(_ range: PartialRangeFrom<Int>) -> RelationOption {
        RelationOption(.count(minimum: range.lowerBound, maximum: nil))
    }

    /// How many destinations there may be at most when an object is saved. For relations to many.
    public static func count(_ range: PartialRangeThrough<Int>) -> RelationOption {
        RelationOption(.count(minimum: nil, maximum: range.upperBound))
    }

    /// The relation's name in the version of the model before, so that a migration finds it.
    public static func renamed(from name: String) -> RelationOption { RelationOption(.renamed(name)) }

    /// Text that makes this version of the relation another one, although its declaration is the same.
    public static func hashModifier(_ modifier: String) -> RelationOption { RelationOption(.hashModifier(modifier)) }
}
