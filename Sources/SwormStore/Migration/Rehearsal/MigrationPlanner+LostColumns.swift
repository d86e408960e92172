extension MigrationPlanner {
    /// The columns of join tables that do not belong to the model, are not retained, and hold values.
    var lostColumns: [RehearsalReport.Finding] {
        foreignJoinColumns.filter { $0.column.values > 0 }.compactMap { table, column in
            let root = Self.roots(of: map.source).first {
                source.layout.ownedJoins(of: $0, in: map.source).contains { $0.table == table }
            }
            return root.map { root in
                RehearsalReport.Finding(
                    kind: .lost, entity: root.name, count: column.values,
                    message:
                        "the values of the column '\(column.name)' of the table '\(table)' are deleted: the column is not part of the model"
                )
            }
        }
    }
}
