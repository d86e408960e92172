package import SwormSQLite

/// The rows of a projection, one after the other.
///
/// Nothing is kept of a row that was passed, so a reader takes the same memory for a million rows as for one. The session
/// stays open as long as the cursor lives.
package final class ProjectionCursor {
    /// What the columns of the statement hold, in their order; an object takes two of them.
    package let columns: [ProjectedColumn]
    // Before the session, so that its connection is not in use any more when that goes.
    private var statement: Statement
    private let session: SQLiteSession

    init(_ projection: ProjectionSpecification, session: SQLiteSession) throws {
        let connection = try session.beginReading()
        do {
            let compiled = try session.open.compiler.projection(projection)
            columns = compiled.columns
            statement = try connection.base.statement(compiled.statement.sql)
            try statement.bind(compiled.statement.bindings)
        } catch {
            session.endReading()
            throw try session.readingError(error)
        }
        self.session = session
    }

    deinit { session.endReading() }

    /// Goes to the next row; false when there is none left.
    ///
    /// - Throws: ``CoreDataError`` where the store cannot be read, or was changed by somebody while it was being read.
    package func next() throws -> Bool {
        do {
            if try statement.step() { return true }
        } catch {
            throw try session.readingError(error)
        }
        if let failure = session.token.failure { throw failure }
        try session.checkPlace()
        return false
    }

    /// Hands out the row that the cursor stands on.
    package func withRow<Result>(_ body: (borrowing Statement) throws -> Result) rethrows -> Result {
        try body(statement)
    }
}

extension SQLiteSession {
    func cursor(_ projection: ProjectionSpecification) throws -> ProjectionCursor {
        try ProjectionCursor(projection, session: self)
    }
}
