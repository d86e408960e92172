/// An observer of the statements that connections run.
///
/// It is called on the thread that runs the statement, while that thread may hold the connection and its pool, so it
/// must not use either of them.
package final class StatementWatch: Sendable {
    /// Whether the observer receives the statements with their values.
    package let wantsValues: Bool
    package let tell: @Sendable (RunStatement) -> Void
    /// Called with a statement's query plan each time a statement is prepared.
    package let tellPlan: (@Sendable (String, [QueryPlanStep]) -> Void)?

    package init(
        wantsValues: Bool = false, tellPlan: (@Sendable (String, [QueryPlanStep]) -> Void)? = nil,
        tell: @escaping @Sendable (RunStatement) -> Void
    ) {
        self.wantsValues = wantsValues
        self.tell = tell
        self.tellPlan = tellPlan
    }

    /// Returns one observer for several, each of which receives only the information that it requested, or nil for
    /// none.
    package static func all(_ watches: [StatementWatch]) -> StatementWatch? {
        guard watches.count > 1 else { return watches.first }
        let planners = watches.compactMap(\.tellPlan)
        var tellPlan: (@Sendable (String, [QueryPlanStep]) -> Void)?
        if !planners.isEmpty {
            tellPlan = { sql, steps in
                for tell in planners { tell(sql, steps) }
            }
        }
        return StatementWatch(wantsValues: watches.contains { $0.wantsValues }, tellPlan: tellPlan) { statement in
            var plain = statement
            plain.sqlWithValues = nil
            for watch in watches { watch.tell(watch.wantsValues ? statement : plain) }
        }
    }
}

/// A statement that has run.
package struct RunStatement: Sendable, Hashable {
    /// The text as it was prepared, with parameters instead of values.
    package var sql: String
    /// The text with the values, or nil if no observer requested them or the text would exceed SQLite's limit.
    package var sqlWithValues: String?
    /// The wall-clock time from the first step to the last.
    package var seconds: Double
    package var rows: Int
    /// The number of instructions of SQLite's virtual machine, which does not depend on the computer.
    package var steps: Int

    package init(sql: String, sqlWithValues: String? = nil, seconds: Double, rows: Int, steps: Int = 0) {
        self.sql = sql
        self.sqlWithValues = sqlWithValues
        self.seconds = seconds
        self.rows = rows
        self.steps = steps
    }
}
