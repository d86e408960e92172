#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

extension PostgresSession {
    func check(_ projection: ProjectionSpecification) throws {
        do {
            _ = try compiler.projection(projection)
        } catch let reason as NotExact {
            _ = try schema.reading.validator.projection(projection)
            try requireAllowed(projection, because: reason)
        }
    }

    func project<T>(
        _ projection: ProjectionSpecification, plan: ([ProjectedColumn]) throws -> RowPlan<T>
    ) throws -> [T] {
        try read { connection in
            let rows = try ProjectedRows(projection, in: self, on: connection)
            let plan = try plan(rows.columns)
            var values: [T] = []
            do {
                while let portion = try rows.next() { try portion.decode(plan, into: &values) }
            } catch {
                throw store.model.named(error, in: projection, columns: rows.columns)
            }
            return values
        }
    }

    func storedRows(
        _ projection: ProjectionSpecification
    ) throws -> (columns: [ProjectedColumn], rows: [[StoredValue]]) {
        try read { connection in
            let rows = try ProjectedRows(projection, in: self, on: connection)
            var values: [[StoredValue]] = []
            do {
                while let portion = try rows.next() {
                    for row in 0..<portion.rowCount { values.append(try portion.storedValues(row)) }
                }
            } catch {
                throw store.model.named(error, in: projection, columns: rows.columns)
            }
            return (rows.columns, values)
        }
    }

    func cursor(_ projection: ProjectionSpecification) throws -> any ProjectionCursor {
        try ServerCursor(projection, session: self)
    }

    /// Throws an error if a projection needs an evaluation in memory, and the store does none.
    final func requireAllowed(_ projection: ProjectionSpecification, because reason: NotExact) throws {
        guard store.serverOptions.refusesEvaluationInMemory else { return }
        try requireAllowed(compiler.split(projection.fetch), of: projection.fetch)
        throw refusal("`\(reason.path)`", of: projection.fetch, because: reason)
    }
}

extension ProjectionSpecification {
    /// Whether the statement computes numbers, so that a result can be out of a server's range.
    var computesNumbers: Bool {
        let expressions = tree.columns + tree.groups + tree.sorts.map(\.expression) + Array(variables.values)
        return fetch.predicate?.computesNumbers ?? false || tree.having?.computesNumbers ?? false
            || expressions.contains(where: \.computesNumbers)
    }
}

extension PostgresResult {
    /// Returns the values of a row in the forms in which a file stores them.
    func storedValues(_ row: Int) throws -> [StoredValue] {
        try (0..<columnCount).map { try storedValue(row, column: $0) }
    }

    func storedValue(_ row: Int, column: Int) throws -> StoredValue {
        if isNull(row, column: column) { return .null }
        switch type(ofColumn: column) {
        case .bool: return .integer(try bool(row, column: column) == true ? 1 : 0)
        case .float4, .float8: return .real(try double(row, column: column) ?? .nan)
        case .timestamptz: return .real(try date(row, column: column)?.timeIntervalSinceReferenceDate ?? .nan)
        case .numeric:
            guard let number = try decimal(row, column: column), let stored = DecimalColumn.store(number) else {
                return .real(.nan)
            }
            return stored
        case .bytea: return .blob(try data(row, column: column) ?? Data())
        case .uuid:
            let uuid = try uuid(row, column: column)
            return uuid.map { .blob(withUnsafeBytes(of: $0.uuid) { Data($0) }) } ?? .null
        case .int2, .int4, .int8: return .integer(try int64(row, column: column) ?? 0)
        default: return .text(try string(row, column: column) ?? "")
        }
    }
}
#endif
