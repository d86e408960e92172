import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("The life of a statement")
struct StatementLifeTests {
    @Test func `after its last row a statement stays at its end until it is reset`() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (a)")
        var insert = try connection.statement("INSERT INTO t VALUES (1)")
        #expect(try !insert.step())
        #expect(insert.isDone == true)
        #expect(try !insert.step())
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
        insert.reset()
        #expect(insert.isDone == false)
        #expect(try !insert.step())
        #expect(try connection.integer("SELECT count(*) FROM t") == 2)
    }

    @Test func `it knows its columns and whether it writes`() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (a, b)")
        let select = try connection.statement("SELECT a, b AS other FROM t")
        #expect(select.columnCount == 2)
        #expect(select.columnName(1) == "other")
        #expect(select.isReadOnly == true)
        let delete = try connection.statement("DELETE FROM t")
        #expect(delete.columnCount == 0)
        #expect(delete.isReadOnly == false)
        #expect(delete.sql == "DELETE FROM t")
    }

    @Test func `a statement dropped half way ends its read`() throws {
        let folder = try TemporaryFolder()
        let connection = try folder.open()
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let other = try folder.open("data.sqlite", .init(busyTimeout: 0))
        do {
            var statement = try connection.statement("SELECT a FROM t")
            #expect(try statement.step())
            // Its shared lock keeps a writer from committing where there is no WAL.
            #expect(sqliteError { try other.execute("INSERT INTO t VALUES (3)") }?.isBusy == true)
        }
        try other.execute("INSERT INTO t VALUES (3)")
    }

    @Test func `a failing step can be tried again`() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
        var statement = try connection.statement("INSERT INTO t VALUES (1)")
        var failures = 0
        for _ in 0..<2 {
            do { _ = try statement.step() } catch { failures += 1 }
        }
        #expect(failures == 2)
        try connection.execute("DELETE FROM t")
        #expect(try !statement.step())
        #expect(try connection.integer("SELECT a FROM t") == 1)
    }
}
