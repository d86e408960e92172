/// The content of a table that a change concerns.
enum ChangedTable: Sendable {
    /// The rows of a hierarchy, by the number of its root entity.
    case hierarchy(Int)
    /// The links of a relationship, seen from each of its sides.
    case links([(entity: Int, slot: Int)])

    /// Returns the tables of a store, by their names.
    static func all(_ layout: StoreLayout, model: CompiledModel) -> [String: ChangedTable] {
        var tables: [String: ChangedTable] = [:]
        var sides: [String: [(entity: Int, slot: Int)]] = [:]
        for entity in model.entities {
            tables[layout.table(of: entity)] = .hierarchy(entity.root)
            for slot in entity.relationships.indices {
                if case .join(let join)? = layout.toMany(slot, in: entity.number) {
                    sides[join.table, default: []].append((entity.number, slot))
                }
            }
        }
        for (table, sides) in sides { tables[table] = .links(sides) }
        return tables
    }
}
