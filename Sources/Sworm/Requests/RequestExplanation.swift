/// The statement of a request, SQLite's plan for it, and advice about what makes it slow.
///
/// ```swift
/// print(try store.perform { try $0.explain(Book.all.where { $0.title == "War and Peace" }) })
/// ```
/// Creating an explanation does not run the statement. Explanations are not available on Apple's platforms, because
/// Core Data generates the statements there and does not expose them.
public struct RequestExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The SQL text of the statement, with numbered parameters instead of values.
    public let sql: String

    /// The values of the parameters, starting with `?1`, as SQL literals: `'War and Peace'`, `1869`, `NULL`.
    ///
    /// Long binary values are truncated.
    public let bindings: [String]

    /// The lines of SQLite's `EXPLAIN QUERY PLAN`, with nested steps indented.
    ///
    /// The wording depends on the version of SQLite.
    public let plan: [String]

    /// The operations whose time grows with the number of rows, one sentence for each.
    ///
    /// The array is empty if indexes serve the request, or if it requests all rows.
    public let advice: [String]

    /// The names of the entities whose rows must all be scanned to find some of them.
    public let scannedEntities: [String]

    /// The statement, the values, the plan and the advice, each on a separate line.
    public var description: String {
        let values = bindings.enumerated().map { "?\($0 + 1) = \($1)" }
        return ([sql] + values + plan.map { "  " + $0 } + advice).joined(separator: "\n")
    }
}
