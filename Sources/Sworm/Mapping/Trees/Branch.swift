/// An entry of a table of branches, which maps a property of a tree to the objects behind a relation of its entity, or to a
/// value that is computed from them.
///
/// | Entry | Property |
/// | --- | --- |
/// | `.init(\.author, \.author)` | `Author`, `Author?`, or `Author??` if it may be left out |
/// | `.init(\.reviews, \.reviews) { $0.sort(\.day).limit(3) }` | `[Review]`, or `[Review]?` if it may be left out |
/// | `.init(\.latest, first: \.reviews) { $0.sort(\.day, ascending: false) }` | `Review?`, the first one of each owner |
/// | `.init(\.tags, \.tags, \.name)` | `[String]`, an attribute that identifies the objects |
/// | `.init(\.reviewCount, \.reviews.count)` | `Int`, a column as `select` takes it |
///
/// The type of the objects is that of the relation, or any tree over the same entity; so trees nest.
public struct Branch<Tree: ManagedTreeConvertible>: Sendable {
    let content: any BranchContent<Tree>
}

/// The part of a branch that the mapping of a tree's attributes needs.
protocol BranchContent<Tree>: Sendable {
    associatedtype Tree: ManagedTreeConvertible

    /// The key path of the tree's property.
    var property: any PartialKeyPath<Tree> & Sendable { get }
    /// The part of the memory of a struct that belongs to the property; nil if it has no storage of its own.
    var memory: Range<Int>? { get }
}
