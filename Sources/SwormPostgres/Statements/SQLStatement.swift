#if PostgreSQL
/// A statement with its parameters.
package struct SQLStatement {
    /// The text, which contains no values.
    package let sql: String
    package let parameters: Parameters?
    /// Whether the statement may be prepared when it is run again.
    let isPreparable: Bool

    package init(_ sql: String, with parameters: Parameters? = nil) {
        self.init(sql, with: parameters, isPreparable: true)
    }

    private init(_ sql: String, with parameters: Parameters?, isPreparable: Bool) {
        self.sql = sql
        self.parameters = parameters
        self.isPreparable = isPreparable
    }

    /// Creates a statement that the server need not plan, such as one that begins a transaction.
    package static func command(_ sql: String, with parameters: Parameters? = nil) -> SQLStatement {
        SQLStatement(sql, with: parameters, isPreparable: false)
    }

    var shape: StatementShape { StatementShape(sql: sql, types: parameters?.types ?? []) }
}

/// The text of a statement and the types of its parameters, which determine how it is prepared.
struct StatementShape: Hashable, Sendable {
    let sql: String
    let types: [PostgresType]
}
#endif
