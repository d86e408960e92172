/// The statement of a request, the plan of SQLite or of the server for it, and advice about what makes it slow.
///
/// ```swift
/// print(try store.perform { try $0.explain(Book.all.where { $0.title == "War and Peace" }) })
/// ```
/// Creating an explanation does not run the statement. Explanations are not available on Apple's platforms, because
/// Core Data generates the statements there and does not expose them.
public struct RequestExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The SQL text of the statement, with numbered parameters instead of values.
    public let sql: String

    /// The values of the parameters, starting with the first one, as SQL literals: `'War and Peace'`, `1869`, `NULL`.
    ///
    /// Long binary values are truncated.
    public let bindings: [String]

    /// The lines of SQLite's `EXPLAIN QUERY PLAN`, or of a server's `EXPLAIN`, with nested steps indented.
    ///
    /// The wording depends on the version of SQLite or of the server.
    public let plan: [String]

    /// The operations whose time grows with the number of rows, one sentence for each, and on a server the parts of the
    /// request that run in memory.
    ///
    /// The array is empty if indexes serve the request, or if it requests all rows.
    public let advice: [String]

    /// The names of the entities whose rows must all be scanned to find some of them.
    public let scannedEntities: [String]

    /// The sign in front of the numbers of parameters in the statement: `?` in a file, `$` on a server.
    var parameterSign: Character = "?"

    /// The statement, the values, the plan and the advice, each on a separate line.
    public var description: String {
        let values = bindings.enumerated().map { "\(parameterSign)\($0 + 1) = \($1)" }
        return ([sql] + values + plan.map { "  " + $0 } + advice).joined(separator: "\n")
    }
}
