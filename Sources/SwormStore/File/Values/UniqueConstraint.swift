/// A uniqueness constraint and the columns that hold its values.
struct UniqueConstraint: Hashable {
    /// The quoted table name, as it appears in SQL.
    var table: String
    var properties: [String]
    /// The quoted column names, in the order of the properties.
    var columns: [String]
}

extension EntityColumns {
    /// Returns the constraints that rows of the entity must satisfy, including those of its ancestors.
    func uniqueConstraints(in model: CompiledModel) -> [UniqueConstraint] {
        var result: [UniqueConstraint] = []
        var next: CompiledEntity? = entity
        while let current = next {
            for properties in current.uniquenessConstraints {
                let columns = properties.map(column(named:))
                // A constraint over a property without a column cannot be checked, and no index enforces it.
                guard !columns.isEmpty, !columns.contains(nil) else { continue }
                result.append(
                    UniqueConstraint(table: table, properties: properties, columns: columns.compactMap { $0 }))
            }
            next = current.superentity.map { model[$0] }
        }
        return result
    }

    private func column(named name: String) -> String? {
        switch entity.slot(named: name) {
        case .attribute(let slot)?: attribute(slot)?.column
        case .relationship(let slot)?: toOne(slot)?.column
        case nil: nil
        }
    }
}
