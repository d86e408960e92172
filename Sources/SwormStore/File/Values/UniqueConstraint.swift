/// A uniqueness constraint and the columns that hold its values.
struct UniqueConstraint: Hashable {
    /// Quoted, as it stands in SQL.
    var table: String
    var properties: [String]
    /// In the order of the properties; quoted.
    var columns: [String]
}

extension EntityColumns {
    /// The constraints that rows of the entity must satisfy, those of its ancestors included.
    func uniqueConstraints(in model: CompiledModel) -> [UniqueConstraint] {
        var result: [UniqueConstraint] = []
        var next: CompiledEntity? = entity
        while let current = next {
            for properties in current.uniquenessConstraints {
                let columns = properties.map(column(named:))
                // A constraint over something that has no column cannot be checked, and no index enforces it.
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
