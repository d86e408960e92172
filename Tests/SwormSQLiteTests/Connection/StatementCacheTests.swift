import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("The statement cache")
struct StatementCacheTests {
    @Test func `a statement given back is used again, reset and without bindings`() throws {
        let connection = try memory()
        let first: OpaquePointer
        do {
            var statement = try connection.statement("SELECT ?")
            first = statement.pointer
            try statement.bind(5, at: 1)
            #expect(try statement.step())
            #expect(statement.int64(0) == 5)
        }
        var statement = try connection.statement("SELECT ?")
        #expect(statement.pointer == first)
        #expect(try statement.step())
        #expect(statement.isNull(0) == true)
        #expect(connection.cache.count == 1)
    }

    @Test func `two statements of the same SQL may be open at once`() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        var outer = try connection.statement("SELECT a FROM t ORDER BY a")
        #expect(try outer.step())
        var inner = try connection.statement("SELECT a FROM t ORDER BY a")
        #expect(inner.pointer != outer.pointer)
        #expect(try inner.step())
        #expect(try inner.step())
        #expect(try !inner.step())
        #expect(outer.int64(0) == 1)
        #expect(try outer.step())
        #expect(outer.int64(0) == 2)
        #expect(connection.cache.count == 1)
    }

    @Test func `the least recently used statement is removed first`() throws {
        let connection = try Connection(.memory(name: ""), options: .init(statementCacheLimit: 2))
        func use(_ sql: String) throws -> OpaquePointer { try connection.statement(sql).pointer }
        _ = try use("SELECT 1")
        _ = try use("SELECT 2")
        _ = try use("SELECT 1")
        _ = try use("SELECT 3")
        #expect(connection.cache.take("SELECT 2") == nil)
        #expect(connection.cache.take("SELECT 1") != nil)
        #expect(connection.cache.count == 2)
    }

    @Test func `more statements than the limit may be held, and the cache shrinks again`() throws {
        let connection = try Connection(.memory(name: ""), options: .init(statementCacheLimit: 1))
        do {
            var first = try connection.statement("SELECT 1")
            var second = try connection.statement("SELECT 2")
            #expect(try first.step())
            #expect(try second.step())
            #expect(second.int64(0) == 2)
        }
        #expect(connection.cache.count == 1)
    }

    @Test func `a cache of nothing still gives statements`() throws {
        let connection = try Connection(.memory(name: ""), options: .init(statementCacheLimit: 0))
        #expect(try connection.integer("SELECT 4") == 4)
        #expect(connection.cache.count == 0)
    }

    @Test func `a cached statement sees a changed schema`() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        #expect(try connection.integer("SELECT a FROM t") == 1)
        try connection.execute("ALTER TABLE t ADD COLUMN b; UPDATE t SET a = 9")
        #expect(try connection.integer("SELECT a FROM t") == 9)
        try connection.execute("DROP TABLE t")
        #expect(sqliteError { _ = try connection.integer("SELECT a FROM t") }?.code == SQLiteError.error)
    }

    @Test func `a held statement keeps its connection open and works after the cache was dropped`() throws {
        weak var weakConnection: Connection?
        do {
            var statement: Statement
            do {
                let connection = try memory()
                weakConnection = connection
                statement = try connection.statement("SELECT 42")
                connection.dropCachedStatements()
            }
            #expect(weakConnection != nil)
            #expect(try statement.step())
            #expect(statement.int64(0) == 42)
        }
        #expect(weakConnection == nil)
    }

    @Test func `a statement holds one statement of SQL`() throws {
        let connection = try memory()
        #expect(try connection.integer("SELECT 1; -- a comment\n ;") == 1)
        for text in ["SELECT 1; SELECT 2", "SELECT 1; nonsense"] {
            #expect(sqliteError { _ = try connection.statement(text) }?.code == SQLiteError.misuse)
        }
        for text in ["", "  -- nothing", "SELECT 1\0"] {
            #expect(sqliteError { _ = try connection.statement(text) }?.code == SQLiteError.misuse)
        }
        let error = sqliteError { _ = try connection.statement("SELECT * FROM nowhere") }
        #expect(error?.message == "no such table: nowhere")
        #expect(error?.sql == "SELECT * FROM nowhere")
    }

    @Test func `execute runs several statements and stops at the one that fails`() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1); SELECT * FROM t; -- end")
        let error = sqliteError {
            try connection.execute("INSERT INTO t VALUES (2); INSERT INTO t VALUES (1); INSERT INTO t VALUES (3)")
        }
        #expect(error?.isUniqueViolation == true)
        #expect(error?.sql == "INSERT INTO t VALUES (1);")
        #expect(try connection.integer("SELECT count(*) FROM t") == 2)
        #expect(sqliteError { try connection.execute("SELECT 1\0; DROP TABLE t") }?.code == SQLiteError.misuse)
    }

    @Test func `counts and row ids come from the last write`() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        try connection.execute("INSERT INTO t VALUES (41, 1), (42, 1)")
        #expect(connection.changes == 2)
        #expect(connection.lastInsertedRowID == 42)
        try connection.execute("DELETE FROM t")
        #expect(connection.totalChanges == 4)
    }
}
