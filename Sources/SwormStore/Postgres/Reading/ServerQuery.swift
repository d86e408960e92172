#if PostgreSQL
import SwormPostgres

/// A statement that is about to be run on the connection of a view.
struct ServerQuery {
    let statement: SQLStatement
    let connection: PostgresConnection
    /// Whether the transaction has to continue if the statement fails, because it computes numbers.
    let isGuarded: Bool
    /// The largest number of rows that the statement can have; nil if it has no limit.
    var limit: Int?
    let sizes: ResultSizes

    /// Returns the whole result.
    func whole() throws -> PostgresResult {
        try isGuarded ? connection.runBehindSavepoint(statement) : connection.run(statement)
    }

    /// Returns the result in portions.
    ///
    /// - Parameters:
    ///   - isFlat: Whether only one portion may be in memory, however large the result may be.
    ///   - size: The number of rows of a portion, if the result is not received as a whole.
    func portions(isFlat: Bool = false, size: Int = ResultSizes.portion) throws -> ResultPortions {
        // An earlier result of the statement says nothing certain about this one, which can have other parameters.
        let isSmall =
            limit.map { $0 <= (isFlat ? size : ResultSizes.wholeLimit) } ?? (!isFlat && sizes.isSmall(statement.sql))
        guard !isSmall else { return ResultPortions(try whole(), of: self) }
        let cursor = try connection.cursor(statement, portion: size, isGuarded: isGuarded)
        return ResultPortions(cursor, of: self)
    }
}

/// The portions of a result, in their order.
final class ResultPortions {
    private enum Source {
        case whole(PostgresResult)
        case cursor(PostgresCursor)
        case ended
    }

    private var source: Source
    private let query: ServerQuery
    private var count = 0

    init(_ whole: PostgresResult, of query: ServerQuery) { (source, self.query) = (.whole(whole), query) }
    init(_ cursor: PostgresCursor, of query: ServerQuery) { (source, self.query) = (.cursor(cursor), query) }

    /// Returns the next portion, which has rows; nil after the last one.
    func next() throws -> PostgresResult? {
        let portion: PostgresResult?
        switch source {
        case .whole(let result):
            source = .ended
            noteSize(result.rowCount)
            return result.rowCount > 0 ? result : nil
        case .cursor(let cursor): portion = try cursor.next()
        case .ended: return nil
        }
        guard let portion else {
            source = .ended
            noteSize(count)
            return nil
        }
        count += portion.rowCount
        return portion
    }

    private func noteSize(_ count: Int) {
        if query.limit == nil { query.sizes.note(count, of: query.statement.sql) }
    }
}
#endif
