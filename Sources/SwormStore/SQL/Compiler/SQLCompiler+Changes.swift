/// A value for a column of all rows that a statement changes.
struct ColumnAssignment: Sendable, Hashable {
    /// The column's name, quoted as in SQL.
    var column: String
    var value: SQLBinding

    init(column: String, value: SQLBinding) {
        self.column = column
        self.value = value
    }
}

// Statements that change all rows of a request at once.
extension SQLCompiler {
    /// The next version of a row. Versions restart at 1 after the largest integer, and if the file holds none.
    static let nextVersion = version(after: SystemColumns.coreData.version)

    private static func version(after version: String) -> String {
        "CASE WHEN \(version) BETWEEN 0 AND 9223372036854775806 THEN \(version) + 1 ELSE 1 END"
    }

    /// Returns the assignment of the next version of a row.
    ///
    /// - Parameter alias: The name of the table in the statement, if the column is not the only one of its name.
    func versionAssignment(of alias: String? = nil) -> String {
        let column = alias.map { "\($0).\(system.version)" } ?? system.version
        return "\(system.version) = \(Self.version(after: column))"
    }

    /// Returns a statement that sets columns of the rows that a request finds, and increments the versions of these
    /// rows.
    ///
    /// - Parameter leavesEqual: Whether rows that already have all the values are left unchanged.
    func update(
        _ request: FetchSpecification, set assignments: [ColumnAssignment], leavingEqual leavesEqual: Bool = false
    ) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        let values = assignments.map { (column: $0.column, value: query.bind($0.value)) }
        let list = (values.map { "\($0.column) = \($0.value)" } + [versionAssignment()]).joined(separator: ", ")
        return try changing(
            request, query: query, head: "UPDATE \(table(of: request.entity)) AS t0 SET \(list)",
            where: leavesEqual ? differ(values) : nil)
    }

    /// Returns a statement that counts the rows that a request finds, and those that differ from the given values.
    func countDifferences(
        _ request: FetchSpecification, from assignments: [ColumnAssignment]
    ) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        let test = differ(assignments.map { (column: $0.column, value: query.bind($0.value)) })
        let isLimited = request.limit > 0 || request.offset > 0
        try query.restrict(to: request, sorted: isLimited)
        let rows = query.statement(selecting: "\(test) AS differs", ordered: isLimited)
        return CompiledStatement(
            sql: "SELECT \(dialect.countsOfDifferences) FROM \(dialect.table(selecting: rows.sql))",
            bindings: rows.bindings)
    }

    /// Returns a condition that is true if a row differs from one of the values.
    private func differ(_ values: [(column: String, value: String)]) -> String {
        let tests = values.map { dialect.differs("t0.\($0.column)", from: $0.value) }
        return tests.count == 1 ? tests[0] : "(\(tests.joined(separator: " OR ")))"
    }

    /// Returns a statement that deletes the rows that a request finds.
    func delete(_ request: FetchSpecification) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        return try changing(request, query: query, head: "DELETE FROM \(table(of: request.entity)) AS t0")
    }

    private func changing(
        _ request: FetchSpecification, query: QueryBuilder, head: String, where test: String? = nil
    ) throws -> CompiledStatement {
        // The order is only relevant if there is a limit or an offset, where it determines the rows. It may need
        // joins.
        try query.restrict(to: request, sorted: request.limit > 0 || request.offset > 0)
        return query.statement(changing: head, where: test)
    }
}
