import SwormRows
import SwormSQLite

/// A cursor over the rows of a projection in a SQLite file.
final class SQLiteCursor: ProjectionCursor {
    let columns: [ProjectedColumn]
    // Declared before the session, so that the statement is finalized before the session releases its connection.
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

    func next() throws -> Bool {
        do {
            if try statement.step() { return true }
        } catch {
            throw try session.readingError(error)
        }
        if let failure = session.token.failure { throw failure }
        try session.checkPlace()
        return false
    }

    func type(_ column: Int) -> StorageClass { statement.type(column) }
    func int64(_ column: Int) -> Int64 { statement.int64(column) }
    func double(_ column: Int) -> Double { statement.double(column) }
    // SQLite keeps the bytes of a value until the statement steps or the value is converted.
    func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8>? { statement.withText(column) { $0 } }
    func blobBytes(_ column: Int) -> UnsafeRawBufferPointer? { statement.withBlob(column) { $0 } }
}

extension SQLiteSession {
    func cursor(_ projection: ProjectionSpecification) throws -> any ProjectionCursor {
        try SQLiteCursor(projection, session: self)
    }
}
