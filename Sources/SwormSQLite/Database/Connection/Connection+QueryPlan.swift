package import SwormRows

extension Connection {
    /// Returns SQLite's plan for a statement. The statement is not run, and observers are not notified.
    package func queryPlan(of sql: String) throws -> [QueryPlanStep] {
        let wasSilent = isSilent
        isSilent = true
        defer { isSilent = wasSilent }
        // The statement is not cached, because it is used only once.
        let text = "EXPLAIN QUERY PLAN " + sql
        var statement = Statement(
            PreparedStatement(pointer: try prepare(text), sql: text, isCached: false), of: self)
        var depths: [Int64: Int] = [:]
        var steps: [QueryPlanStep] = []
        while try statement.step() {
            let depth = depths[statement.int64(1)].map { $0 + 1 } ?? 0
            depths[statement.int64(0)] = depth
            steps.append(QueryPlanStep(depth: depth, detail: statement.text(3) ?? ""))
        }
        return steps
    }
}
