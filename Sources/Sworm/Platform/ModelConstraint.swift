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

/// The attributes that an upsert writes into an existing object.
enum UpsertUpdates {
    /// All attributes of the table that do not belong to the constraint.
    case all
    /// Attributes by their names.
    case named([String])

    /// Returns the indices of the attributes in a table. A case of an enum of structs has more attributes than the enum.
    func indices<T>(in mapping: EntityMapping<T>, besides constraint: [String]) -> [Int] {
        switch self {
        case .all: mapping.attributes.indices.filter { !constraint.contains(mapping.attributes[$0].name) }
        case .named(let names): names.compactMap { mapping.index(named: $0) }
        }
    }
}
