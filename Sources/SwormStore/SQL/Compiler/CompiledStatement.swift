package import Foundation

/// SQL text and the values of its numbered parameters. The first value belongs to `?1`.
package struct CompiledStatement: Sendable, Hashable {
    package var sql: String
    package var bindings: [SQLBinding]

    init(sql: String, bindings: [SQLBinding] = []) {
        self.sql = sql
        self.bindings = bindings
    }
}

/// A value in the form in which it is bound to a statement.
package enum SQLBinding: Sendable, Hashable {
    case null
    case int64(Int64)
    case double(Double)
    case text(String)
    case blob(Data)
}
