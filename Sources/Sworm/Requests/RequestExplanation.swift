/// The statement that answers a request, how SQLite works it out, and what makes it slow.
///
/// ```swift
/// print(try store.perform { try $0.explain(Book.all.where { $0.title == "War and Peace" }) })
/// ```
/// The statement is not run for that. On Apple's platforms Core Data makes the statements and does not show them, so that
/// there is no explanation there.
public struct RequestExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The text of the statement, with numbered parameters in the place of values.
    public let sql: String

    /// The values of the parameters, from `?1` on, as SQL writes them: `'War and Peace'`, `1869`, `NULL`.
    ///
    /// Long bytes are cut.
    public let bindings: [String]

    /// The lines of SQLite's `EXPLAIN QUERY PLAN`; what is part of a step stands further in. The words are those of the
    /// SQLite that is in use.
    public let plan: [String]

    /// What takes time that grows with the number of rows, a sentence for each; empty where indexes serve the request, and
    /// where all rows are asked for.
    public let advice: [String]

    /// The entities all of whose rows are looked at to find some of them.
    public let scannedEntities: [String]

    package init(sql: String, bindings: [String], plan: [String], advice: [String], scannedEntities: [String]) {
        self.sql = sql
        self.bindings = bindings
        self.plan = plan
        self.advice = advice
        self.scannedEntities = scannedEntities
    }

    /// Everything, a line for each.
    public var description: String {
        let values = bindings.enumerated().map { "?\($0 + 1) = \($1)" }
        return ([sql] + values + plan.map { "  " + $0 } + advice).joined(separator: "\n")
    }
}
