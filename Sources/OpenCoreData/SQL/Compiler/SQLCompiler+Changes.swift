/// A value for a column of all rows that a statement changes.
package struct ColumnAssignment: Sendable, Hashable {
    /// Quoted, as it stands in SQL.
    package var column: String
    package var value: SQLBinding

    package init(column: String, value: SQLBinding) {
        self.column = column
        self.value = value
    }
}

// Statements that change all rows of a request at once.
extension SQLCompiler {
    /// The next version of a row: it begins again behind the highest number, and where a file holds none.
    static let nextVersion =
        "CASE WHEN Z_OPT BETWEEN 0 AND 9223372036854775806 THEN Z_OPT + 1 ELSE 1 END"

    /// Gives columns of the rows that a request finds other values, and the rows their next versions.
    package func update(_ request: FetchSpecification, set assignments: [ColumnAssignment]) throws -> CompiledStatement
    {
        let query = QueryBuilder(self, entity: request.entity)
        let values = assignments.map { "\($0.column) = \(query.bind($0.value))" }
        let list = (values + ["Z_OPT = \(Self.nextVersion)"]).joined(separator: ", ")
        return try changing(request, query, "UPDATE \(table(of: request)) AS t0 SET \(list)")
    }

    /// Deletes the rows that a request finds.
    package func delete(_ request: FetchSpecification) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        return try changing(request, query, "DELETE FROM \(table(of: request)) AS t0")
    }

    private func changing(
        _ request: FetchSpecification, _ query: QueryBuilder, _ head: String
    ) throws -> CompiledStatement {
        // The order says which rows are found where there is a limit, and nothing otherwise. It may have joins of its own.
        try query.restrict(to: request, sorted: request.limit > 0 || request.offset > 0)
        return query.statement(changing: head)
    }

    private func table(of request: FetchSpecification) -> String {
        SQLName.quoted(layout.table(of: model[request.entity]))
    }
}
