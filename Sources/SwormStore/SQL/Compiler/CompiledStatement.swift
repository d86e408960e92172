package import Foundation

/// SQL text with the values for its numbered parameters: the first value belongs to `?1`.
package struct CompiledStatement: Sendable, Hashable {
    package var sql: String
    package var bindings: [SQLBinding]

    package init(sql: String, bindings: [SQLBinding] = []) {
        self.sql = sql
        self.bindings = bindings
    }
}

/// A value as SQLite is given it.
package enum SQLBinding: Sendable, Hashable {
    case null
    case int64(Int64)
    case double(Double)
    case text(String)
    case blob(Data)
}
