/// An option of a branch, in addition to its property and its relation.
///
/// The first six are roles: they decide what a save does with the objects behind the relation. Without one, a branch is
/// ``owned`` if the delete rule of the relation is ``DeleteRule/cascade``, ``linkedOrInserted`` or ``linked`` if it holds one
/// attribute, and ``readOnly`` if it has a condition or a limit. Any other branch needs a role before its trees can be saved.
///
/// | Role | Known child | Unknown child | No longer in the tree |
/// | --- | --- | --- | --- |
/// | ``owned`` | updated | inserted | deleted |
/// | ``shared`` | updated | inserted | unlinked |
/// | ``added`` | updated | inserted | unchanged |
/// | ``linked`` | unchanged | error | unlinked |
/// | ``linkedOrInserted`` | unchanged | inserted | unlinked |
/// | ``readOnly`` | unchanged | ignored | unchanged |
public struct BranchOption<Child: ManagedTreeConvertible>: Sendable {
    enum Content: Sendable {
        case role(BranchRole)
        case matched([any PartialKeyPath<Child> & Sendable])
        case matchedByPosition
        case depth(Int)
        case movable
    }

    let content: Content

    /// Known objects are updated, new ones inserted, and those that are no longer in the tree deleted: the lines of an order.
    public static var owned: Self { Self(content: .role(.owned)) }
    /// Known objects are updated, new ones inserted, and those that are no longer in the tree unlinked: the author of a book.
    public static var shared: Self { Self(content: .role(.shared)) }
    /// Known objects are updated, and new ones inserted. Nothing is deleted or unlinked: a page of a longer list.
    public static var added: Self { Self(content: .role(.added)) }
    /// Known objects are linked and not changed, unknown ones are an error, and all other objects are unlinked: the country of a city.
    public static var linked: Self { Self(content: .role(.linked)) }
    /// Known objects are linked and not changed, unknown ones inserted, and all other objects unlinked: tags.
    public static var linkedOrInserted: Self { Self(content: .role(.linkedOrInserted)) }
    /// A save ignores the branch.
    public static var readOnly: Self { Self(content: .role(.readOnly)) }

    /// A child is identified by attributes: those of a uniqueness constraint, or else attributes that differ among the
    /// children of one owner.
    ///
    /// - Parameter attributes: Key paths of the child's properties.
    public static func matched(by attributes: any PartialKeyPath<Child> & Sendable...) -> Self {
        Self(content: .matched(attributes))
    }

    /// A child is identified by its position: the first child is the first object that the owner has.
    public static var matchedByPosition: Self { Self(content: .matchedByPosition) }

    /// A child may be taken from an owner that is not among the saved trees.
    public static var movable: Self { Self(content: .movable) }

    /// The number of levels that are followed of a branch that leads back to its own tree.
    ///
    /// Deeper objects are an error if the property cannot be left out. A property that can be left out is nil instead, so
    /// that a save does not change it.
    public static func depth(_ levels: Int) -> Self { Self(content: .depth(levels)) }
}

/// The role of a branch in a save.
enum BranchRole: String, Sendable, Hashable {
    case owned, shared, added, linked, linkedOrInserted, readOnly

    /// Whether known children are updated.
    var updates: Bool { self == .owned || self == .shared || self == .added }
    /// Whether unknown children are inserted.
    var inserts: Bool { updates || self == .linkedOrInserted }
    /// Whether children that are no longer in the tree are deleted or unlinked.
    var removes: Bool { self != .added && self != .readOnly }
}
