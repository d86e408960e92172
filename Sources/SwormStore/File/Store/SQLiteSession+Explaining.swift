import Foundation
import SwormPredicates
import SwormSQLite

extension SQLiteSession {
    func explain(_ request: FetchSpecification, as form: ExplainedForm) throws -> StatementExplanation {
        try read { connection in
            let compiled =
                switch form {
                case .objects:
                    try open.compiler.rows(request, shape: RowShape(model: store.model, entity: request.entity))
                case .count: try open.compiler.count(request)
                }
            return try explanation(compiled, of: request, on: connection)
        }
    }

    func explain(_ projection: ProjectionSpecification) throws -> StatementExplanation {
        try read { connection in
            try explanation(try open.compiler.projection(projection).statement, of: projection.fetch, on: connection)
        }
    }

    private func explanation(
        _ statement: CompiledStatement, of request: FetchSpecification, on connection: StoreConnection
    ) throws -> StatementExplanation {
        let steps = try connection.base.queryPlan(of: statement.sql)
        let reader = PlanReader(model: store.model, layout: open.layout, request: request, statement: statement)
        return StatementExplanation(statement: statement, steps: steps, findings: reader.findings(steps))
    }
}
