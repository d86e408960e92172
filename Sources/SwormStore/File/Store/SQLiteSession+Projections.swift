import Foundation
import SwormPredicates
import SwormSQLite
import SwormRows

extension SQLiteSession {
    func check(_ projection: ProjectionSpecification) throws {
        _ = try open.compiler.projection(projection)
    }

    func project<T>(
        _ projection: ProjectionSpecification, plan: ([ProjectedColumn]) throws -> RowPlan<T>
    ) throws -> [T] {
        try read { connection in
            let compiled = try open.compiler.projection(projection)
            let plan = try plan(compiled.columns)
            var statement = try connection.base.statement(compiled.statement.sql)
            try statement.bind(compiled.statement.bindings)
            do {
                return try statement.decode(plan, external: store.external.data(of:))
            } catch {
                throw store.model.named(error, in: projection, columns: compiled.columns)
            }
        }
    }

    func storedRows(
        _ projection: ProjectionSpecification
    ) throws -> (columns: [ProjectedColumn], rows: [[StoredValue]]) {
        try read { connection in
            let compiled = try open.compiler.projection(projection)
            var statement = try connection.base.statement(compiled.statement.sql)
            try statement.bind(compiled.statement.bindings)
            var rows: [[StoredValue]] = []
            while try statement.step() { rows.append((0..<statement.columnCount).map { statement.storedValue($0) }) }
            return (compiled.columns, rows)
        }
    }
}
