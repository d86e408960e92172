/// An R-tree that Core Data maintains for the locations of objects. The engine creates none, but retains an existing
/// one while it is useful.
struct LocationTree: Sendable, Hashable {
    /// The name of its table.
    var name: String
    /// The number of the source's entity that the tree indexes.
    var entity: Int
    /// The names of the triggers that update the tree.
    var triggers: Set<String> = []

    /// Returns whether a trigger updates the tree.
    func isKept(by trigger: SchemaObject) -> Bool { trigger.kind == .trigger && triggers.contains(trigger.name) }
}
