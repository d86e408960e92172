#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// The rows of a projection in portions: those of a statement, or those that are computed in memory.
///
/// A statement that fails because a number is out of range is continued in memory, behind the rows that it has returned.
final class ProjectedRows {
    /// The contents of the columns.
    let columns: [ProjectedColumn]
    private let projection: ProjectionSpecification
    private let session: PostgresSession
    private let connection: PostgresConnection
    private let isGuarded: Bool
    private var source: Source
    /// The number of rows so far.
    private var count = 0

    private enum Source {
        case statement(ServerQuery)
        case portions(ResultPortions)
        case memory(MemoryProjection)
    }

    init(
        _ projection: ProjectionSpecification, in session: PostgresSession, on connection: PostgresConnection
    ) throws {
        self.projection = projection
        self.session = session
        self.connection = connection
        let compiled: CompiledProjection
        do {
            compiled = try session.compiler.projection(projection)
        } catch let reason as NotExact {
            columns = try session.schema.reading.validator.projection(projection).columns
            isGuarded = false
            try session.requireAllowed(projection, because: reason)
            source = .memory(
                try MemoryProjection(projection, columns: columns, because: reason, in: session, on: connection))
            return
        }
        columns = compiled.columns
        isGuarded = projection.computesNumbers
        let limit = projection.tree.form == .total ? 1 : projection.fetch.limit
        source = .statement(
            try session.query(
                compiled.statement, on: connection, isGuarded: isGuarded, limit: limit > 0 ? limit : nil))
    }

    /// Returns the next portion, which has rows; nil after the last one.
    func next() throws -> PostgresResult? {
        do {
            return try nextPortion()
        } catch let error as ServerError where isGuarded && error.isOutOfRange {
            let reason = NotExact(
                .outOfRange, path: "a number", entity: session.store.model[projection.fetch.entity].name)
            try session.requireAllowed(projection, because: reason)
            source = .memory(
                try MemoryProjection(
                    projection, columns: columns, leavingComputations: true, skipping: count, because: reason,
                    in: session, on: connection))
            return try nextPortion()
        }
    }

    private func nextPortion() throws -> PostgresResult? {
        let portion: PostgresResult?
        switch source {
        case .statement(let query):
            let portions = try query.portions()
            source = .portions(portions)
            portion = try portions.next()
        case .portions(let portions): portion = try portions.next()
        case .memory(let projection): portion = try projection.next()
        }
        count += portion?.rowCount ?? 0
        return portion
    }
}
#endif
