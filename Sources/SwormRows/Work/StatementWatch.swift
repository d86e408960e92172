/// An observer of the statements that connections run.
///
/// It is called on the thread that runs the statement, while that thread may hold the connection and its pool, so it
/// must not use either of them.
package final class StatementWatch: Sendable {
    /// Whether the observer receives the statements with their values.
    package let wantsValues: Bool
    /// A closure that is called with each statement that has run.
    package let report: @Sendable (RunStatement) -> Void
    /// A closure that is called with a statement and its query plan each time a statement is prepared.
    package let reportPlan: (@Sendable (String, [QueryPlanStep]) -> Void)?

    package init(
        wantsValues: Bool = false, reportPlan: (@Sendable (String, [QueryPlanStep]) -> Void)? = nil,
        report: @escaping @Sendable (RunStatement) -> Void
    ) {
        self.wantsValues = wantsValues
        self.report = report
        self.reportPlan = reportPlan
    }

    /// Returns one observer for several, each of which receives only the information that it requested, or nil for
    /// none.
    package static func all(_ watches: [StatementWatch]) -> StatementWatch? {
        guard watches.count > 1 else { return watches.first }
        let planners = watches.compactMap(\.reportPlan)
        var reportPlan: (@Sendable (String, [QueryPlanStep]) -> Void)?
        if !planners.isEmpty {
            reportPlan = { sql, steps in
                for report in planners { report(sql, steps) }
            }
        }
        return StatementWatch(wantsValues: watches.contains { $0.wantsValues }, reportPlan: reportPlan) { statement in
            var plain = statement
            plain.sqlWithValues = nil
            for watch in watches { watch.report(watch.wantsValues ? statement : plain) }
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
