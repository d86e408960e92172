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
    ///
    /// - Parameter leavesEqual: Whether rows that have all the values already are left as they are.
    package func update(
        _ request: FetchSpecification, set assignments: [ColumnAssignment], leavingEqual leavesEqual: Bool = false
    ) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        let values = assignments.map { (column: $0.column, value: query.bind($0.value)) }
        let list = (values.map { "\($0.column) = \($0.value)" } + ["Z_OPT = \(Self.nextVersion)"]).joined(
            separator: ", ")
        return try changing(
            request, query, "UPDATE \(table(of: request)) AS t0 SET \(list)", where: leavesEqual ? differ(values) : nil)
    }

    /// Counts the rows that a request finds, and those among them that have not all of the values.
    package func countDifferences(
        _ request: FetchSpecification, from assignments: [ColumnAssignment]
    ) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        let test = differ(assignments.map { (column: $0.column, value: query.bind($0.value)) })
        let isLimited = request.limit > 0 || request.offset > 0
        try query.restrict(to: request, sorted: isLimited)
        let rows = query.statement(selecting: "\(test) AS differs", ordered: isLimited)
        return CompiledStatement(
            sql: "SELECT COUNT(*), SUM(differs) FROM (\(rows.sql))", bindings: rows.bindings)
    }

    /// Whether a row has not all of some values.
    private func differ(_ values: [(column: String, value: String)]) -> String {
        let tests = values.map { "t0.\($0.column) IS NOT \($0.value)" }
        return tests.count == 1 ? tests[0] : "(\(tests.joined(separator: " OR ")))"
    }

    /// Deletes the rows that a request finds.
    package func delete(_ request: FetchSpecification) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        return try changing(request, query, "DELETE FROM \(table(of: request)) AS t0")
    }

    private func changing(
        _ request: FetchSpecification, _ query: QueryBuilder, _ head: String, where test: String? = nil
    ) throws -> CompiledStatement {
        // The order says which rows are found where there is a limit, and nothing otherwise. It may have joins of its own.
        try query.restrict(to: request, sorted: request.limit > 0 || request.offset > 0)
        return query.statement(changing: head, where: test)
    }

    private func table(of request: FetchSpecification) -> String {
        SQLName.quoted(layout.table(of: model[request.entity]))
    }
}
