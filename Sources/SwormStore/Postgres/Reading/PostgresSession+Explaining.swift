#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

extension PostgresSession {
    func explain(_ request: FetchSpecification, as form: ExplainedForm) throws -> StatementExplanation {
        let shape = RowShape(model: store.model, entity: request.entity)
        return try explain(request) { request, isWhole in
            switch form {
            case .count where isWhole: try compiler.count(request)
            case .objects, .count: try compiler.rows(request, shape: shape)
            }
        }
    }

    func explain(_ projection: ProjectionSpecification) throws -> StatementExplanation {
        var columnReason: NotExact?
        var explanation: StatementExplanation?
        do {
            let compiled = try compiler.projection(projection)
            explanation = try explain(projection.fetch) { _, isWhole in
                // A statement that fails on the server is one for rows only.
                guard isWhole else { throw NotExact(.outOfRange, path: "a number", entity: "the projection") }
                return compiled.statement
            }
        } catch let reason as NotExact {
            _ = try schema.reading.validator.projection(projection)
            try requireAllowed(projection, because: reason)
            columnReason = reason
        }
        if let explanation { return explanation }
        let shape = RowShape(model: store.model, entity: projection.fetch.entity)
        var rows = try explain(projection.fetch) { request, _ in try compiler.rows(request, shape: shape) }
        // The columns are computed in memory, too, if the rows are found there.
        if rows.conditions.allSatisfy({ $0.reason == nil }) { rows.columnReason = columnReason?.reason.description }
        return rows
    }

    /// Explains a request.
    ///
    /// - Parameter compile: Compiles the request, or the exact part of it; the second argument states which.
    private func explain(
        _ request: FetchSpecification, compile: (FetchSpecification, _ isWhole: Bool) throws -> CompiledStatement
    ) throws -> StatementExplanation {
        try read { connection in
            var split = try compiler.split(request)
            for leavesComputations in [false, true] {
                if leavesComputations { split = try compiler.split(request, leavingComputations: true) }
                if !split.isExact {
                    _ = try schema.reading.validator.identities(request)
                    try requireAllowed(split, of: request)
                }
                let compiled = try compile(split.isExact ? request : split.fetch, split.isExact)
                do {
                    return try explanation(compiled, split: split, of: request, on: connection)
                } catch let error as ServerError where error.isOutOfRange && !leavesComputations {
                    // The planner computes constant parts of a condition.
                }
            }
            throw ServerError(.overflow, "a number is out of the range of its type")
        }
    }

    private func explanation(
        _ compiled: CompiledStatement, split: SplitRequest, of request: FetchSpecification,
        on connection: PostgresConnection
    ) throws -> StatementExplanation {
        let statement = try SQLStatement(compiled)
        let result = try connection.runBehindSavepoint(
            SQLStatement("EXPLAIN (COSTS OFF) \(statement.sql)", with: statement.parameters))
        let lines = try (0..<result.rowCount).compactMap { try result.string($0, column: 0) }
        let reader = ServerPlanReader(model: store.model, request: request, lines: lines)
        var explanation = StatementExplanation(
            statement: compiled, steps: reader.steps, findings: reader.findings)
        explanation.isOnServer = true
        explanation.conditions = split.conjuncts.map { tree, reason in
            ExplainedCondition(text: tree.format, reason: reason?.reason.description)
        }
        explanation.sortReason = split.sortReason?.reason.description
        return explanation
    }
}
#endif
