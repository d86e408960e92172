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
                throw named(error, in: projection, columns: compiled.columns)
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

    /// Returns the error of a value with the path of its column added, or any other error unchanged.
    private func named(
        _ error: any Error, in projection: ProjectionSpecification, columns: [ProjectedColumn]
    ) -> any Error {
        let entity = store.model[projection.fetch.entity].name
        func path(_ column: Int) -> String { columns.indices.contains(column) ? columns[column].path : "" }
        if let issue = error as? DecodingFailure {
            let path = path(issue.column)
            let excerpt = issue.excerpt.isEmpty ? "" : " (\(issue.excerpt))"
            return CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "'\(path)' of \(entity) returned \(issue.found)\(excerpt), but \(issue.expected) is expected.",
                entity: entity, key: path, cause: issue)
        }
        guard let issue = error as? ExternalDataFailure else { return error }
        let cause = issue.cause as? CoreDataError
        return CoreDataError(
            cause?.errorCode ?? CocoaError.Code.fileReadUnknown.rawValue,
            "'\(path(issue.column))' of \(entity): \(cause?.message ?? "\(issue.cause)")", entity: entity,
            key: path(issue.column), cause: issue.cause)
    }
}
