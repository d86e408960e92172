import SwormPredicates

extension StoreInspection {
    /// Returns a description of the properties in which an entity of the model differs from the store, as far as the
    /// store's columns show it.
    ///
    /// A store records only a hash for each of its entities. The columns show which properties were added, removed or
    /// given another type; the other parts of the hash leave no trace in them.
    func propertyDifferences(_ entity: CompiledEntity, model: CompiledModel, layout: StoreLayout) -> String {
        let table = layout.table(of: entity)
        guard let present = types[table] else { return "the store has no table '\(table)'" }
        let declared = Dictionary(
            (layout.tables[entity.root]?.columns ?? []).map { ($0.name, $0.declaredType) },
            uniquingKeysWith: { first, _ in first })
        var found: [String] = []
        func compare(_ column: String, _ property: String) {
            guard let type = present[column] else {
                found.append("'\(property)' is in the model only")
                return
            }
            guard let expected = declared[column], expected != type else { return }
            found.append("'\(property)' is stored as \(expected) by the model and as \(type) in the store")
        }
        for (slot, attribute) in entity.attributes.enumerated() where attribute.owner == entity.number {
            if let column = layout.column(ofAttribute: slot, in: entity.number) { compare(column, attribute.name) }
        }
        for (slot, relationship) in entity.relationships.enumerated() where relationship.owner == entity.number {
            if let toOne = layout.toOne(slot, in: entity.number) { compare(toOne.column, relationship.name) }
        }
        // Columns do not show which entity of a hierarchy they belong to, so they are reported at its root.
        if entity.number == entity.root {
            for column in columns[table] ?? [] where declared[column] == nil {
                found.append("the store has the column '\(column)', which is not a property of the model")
            }
        }
        guard found.isEmpty else { return found.joined(separator: ", ") }
        return "its columns are the same, but names, optionality, destinations, inverses or hash modifiers differ"
    }
}
