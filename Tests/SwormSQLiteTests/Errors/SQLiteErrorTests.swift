import CSwormSQLite
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("SQLite's errors")
struct SQLiteErrorTests {
    @Test func `codes have their names`() {
        #expect(SQLiteError.name(of: SQLITE_BUSY) == "SQLITE_BUSY")
        #expect(SQLiteError.name(of: 2067) == "SQLITE_CONSTRAINT_UNIQUE")
        #expect(SQLiteError.constraintUnique == 2067)
        #expect(SQLiteError.constraintPrimaryKey == 1555)
        #expect(SQLiteError.constraintNotNull == 1299)
        #expect(SQLiteError.abortRollback == 516)
        #expect(SQLiteError.busySnapshot == 517)
        #expect(SQLiteError.name(of: SQLITE_IOERR | (11 << 8)) == "SQLITE_IOERR (2826)")
        #expect(SQLiteError.name(of: 200) == "SQLite code 200")
    }

    @Test func `the description has code, message and SQL`() {
        let error = SQLiteError(code: SQLITE_FULL, message: "database or disk is full", sql: "COMMIT")
        #expect(error.description == "SQLITE_FULL: database or disk is full (in: COMMIT)")
        #expect(error.code == SQLiteError.full)
        #expect(SQLiteError(code: SQLITE_FULL, message: "full").description == "SQLITE_FULL: full")
    }

    @Test func `kinds are distinguished by code`() throws {
        #expect(SQLiteError(code: SQLiteError.busySnapshot, message: "").isBusy)
        #expect(!SQLiteError(code: SQLITE_IOERR, message: "").isBusy)
        let connection = try memory()
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b NOT NULL, c CHECK (c > 0))")
        try connection.execute("INSERT INTO t VALUES (1, 1, 1)")
        let key = sqliteError { try connection.execute("INSERT INTO t VALUES (1, 1, 1)") }
        #expect(key?.isUniqueViolation == true)
        #expect(key?.extendedCode == SQLiteError.constraintPrimaryKey)
        let null = sqliteError { try connection.execute("INSERT INTO t VALUES (2, NULL, 1)") }
        #expect(null?.extendedCode == SQLiteError.constraintNotNull)
        #expect(null?.isUniqueViolation == false)
        #expect(null?.isConstraint == true)
        let check = sqliteError { try connection.execute("INSERT INTO t VALUES (3, 1, 0)") }
        #expect(check?.extendedCode == SQLiteError.constraintCheck)
    }

    @Test func `a full database says so`() throws {
        let connection = try memory()
        try connection.execute("PRAGMA max_page_count = 10; CREATE TABLE t (a)")
        let error = sqliteError { try connection.execute("INSERT INTO t VALUES (zeroblob(1000000))") }
        #expect(error?.code == SQLiteError.full)
    }
}
