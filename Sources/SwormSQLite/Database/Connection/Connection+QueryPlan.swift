package import SwormRows

extension Connection {
    /// How SQLite would work a statement out. The statement is not run, and nobody who watches is told.
    package func queryPlan(of sql: String) throws -> [QueryPlanStep] {
        let wasSilent = isSilent
        isSilent = true
        defer { isSilent = wasSilent }
        // Not one of the cache: it is asked for once.
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
