/// SQL text and the values of its numbered parameters. The first value belongs to `?1`, or to `$1` on a server.
package struct CompiledStatement: Sendable, Hashable {
    package var sql: String
    package var bindings: [SQLBinding]

    init(sql: String, bindings: [SQLBinding] = []) {
        self.sql = sql
        self.bindings = bindings
    }
}
