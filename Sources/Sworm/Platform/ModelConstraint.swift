/// A uniqueness constraint of the model, in terms of a type's table.
struct ModelConstraint {
    /// The names of the attributes, in the order of the model.
    let names: [String]
    /// The indices of the attributes in the mapping.
    let attributes: [Int]
    /// The entity that declares the constraint; no two rows of this entity and its subentities have the same values.
    let entity: ModelEntity

    /// Creates a constraint, or returns nil if the table does not declare all of its attributes.
    init?<T>(_ names: [String], of entity: ModelEntity, in mapping: EntityMapping<T>) {
        attributes = names.compactMap(mapping.index(named:))
        guard !names.isEmpty, attributes.count == names.count else { return nil }
        self.names = names
        self.entity = entity
    }
}
