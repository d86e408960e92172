/// Somebody who is told what connections run.
///
/// It is told on the thread that runs the statement, while that thread may hold the connection and the pool it is from: it
/// must use neither.
package final class StatementWatch: Sendable {
    /// Whether the statements are told with their values in place.
    package let wantsValues: Bool
    package let tell: @Sendable (RunStatement) -> Void
    /// Told how a statement will be worked out, each time that one is prepared.
    package let tellPlan: (@Sendable (String, [QueryPlanStep]) -> Void)?

    package init(
        wantsValues: Bool = false, tellPlan: (@Sendable (String, [QueryPlanStep]) -> Void)? = nil,
        tell: @escaping @Sendable (RunStatement) -> Void
    ) {
        self.wantsValues = wantsValues
        self.tell = tell
        self.tellPlan = tellPlan
    }

    /// One for several, of whom each is told no more than it asked for; nil for none.
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

/// A statement that was run.
package struct RunStatement: Sendable, Hashable {
    /// The text as it was prepared, with parameters in the place of values.
    package var sql: String
    /// The text with the values; nil where nobody asked for them, or where it would be longer than SQLite allows.
    package var sqlWithValues: String?
    /// The time from the first step to the last, by the clock on the wall.
    package var seconds: Double
    package var rows: Int
    /// How many instructions of SQLite's machine it took, which does not depend on the machine that it ran on.
    package var steps: Int

    package init(sql: String, sqlWithValues: String? = nil, seconds: Double, rows: Int, steps: Int = 0) {
        self.sql = sql
        self.sqlWithValues = sqlWithValues
        self.seconds = seconds
        self.rows = rows
        self.steps = steps
    }
}
