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
