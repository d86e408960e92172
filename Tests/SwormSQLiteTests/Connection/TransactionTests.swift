import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Transactions and savepoints")
struct TransactionTests {
    struct Stop: Error {}
    let connection: Connection

    init() throws {
        connection = try memory()
        try connection.execute("CREATE TABLE t (a UNIQUE)")
    }

    func rows() throws -> [String] { try connection.strings("SELECT a FROM t ORDER BY a") }
    func insert(_ value: Int) throws { try connection.execute("INSERT INTO t VALUES (\(value))") }

    @Test func `a transaction keeps its changes and returns the body's result`() throws {
        let result = try connection.transaction(.immediate) {
            #expect(connection.isInTransaction)
            try insert(1)
            return "done"
        }
        #expect(result == "done")
        #expect(!connection.isInTransaction)
        #expect(try rows() == ["1"])
    }

    @Test(arguments: [Connection.TransactionKind.deferred, .immediate, .exclusive])
    func `a throw undoes the transaction`(kind: Connection.TransactionKind) throws {
        #expect(throws: Stop.self) {
            try connection.transaction(kind) {
                try insert(1)
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try rows().isEmpty)
    }

    @Test func `a failure that SQLite undoes by itself is not undone twice`() throws {
        try insert(1)
        let error = sqliteError {
            try connection.transaction(.deferred) {
                try insert(2)
                try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }
        #expect(error?.isUniqueViolation == true)
        #expect(!connection.isInTransaction)
        #expect(try rows() == ["1"])
    }

    @Test func `going on after SQLite undid the transaction is an error at its end`() throws {
        try insert(1)
        let error = sqliteError {
            try connection.transaction(.deferred) {
                try insert(2)
                try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }
        #expect(error?.extendedCode == SQLiteError.abortRollback)
        #expect(try rows() == ["1"])
        let inner = sqliteError {
            try connection.savepoint { try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)") }
        }
        #expect(inner?.extendedCode == SQLiteError.abortRollback)
        #expect(!connection.isInTransaction)
    }

    @Test func `a savepoint undoes its own work only`() throws {
        try connection.transaction(.immediate) {
            try insert(1)
            #expect(throws: Stop.self) {
                try connection.savepoint {
                    try insert(2)
                    try connection.savepoint { try insert(3) }
                    throw Stop()
                }
            }
            try connection.savepoint {
                try insert(4)
                #expect(throws: Stop.self) {
                    try connection.savepoint {
                        try insert(5)
                        throw Stop()
                    }
                }
            }
            #expect(connection.isInTransaction)
        }
        #expect(try rows() == ["1", "4"])
        #expect(connection.savepointDepth == 0)
    }

    @Test func `a savepoint outside a transaction is one`() throws {
        try connection.savepoint { try insert(1) }
        #expect(!connection.isInTransaction)
        #expect(throws: Stop.self) {
            try connection.savepoint {
                try insert(2)
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try rows() == ["1"])
    }

    @Test func `a failing commit leaves no open transaction`() throws {
        try connection.execute(
            "PRAGMA foreign_keys = ON; CREATE TABLE p (id INTEGER PRIMARY KEY);"
                + "CREATE TABLE c (p REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)")
        let error = sqliteError {
            try connection.transaction(.deferred) { try connection.execute("INSERT INTO c VALUES (99)") }
        }
        #expect(error?.extendedCode == SQLiteError.constraintForeignKey)
        #expect(!connection.isInTransaction)
        let nested = sqliteError { try connection.savepoint { try connection.execute("INSERT INTO c VALUES (99)") } }
        #expect(nested?.code == SQLiteError.constraint)
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM c") == 0)
    }

    @Test func `a transaction inside a transaction is rejected and the outer one continues`() throws {
        try connection.begin(.deferred)
        #expect(sqliteError { try connection.transaction(.deferred) {} }?.code == SQLiteError.error)
        #expect(connection.isInTransaction)
        try connection.rollback()
        #expect(sqliteError { try connection.commit() }?.code == SQLiteError.error)
    }

    @Test func `an error inside leaves open reads failing instead of showing undone rows`() throws {
        for value in 1...50 { try insert(value) }
        try connection.begin(.deferred)
        var reading = try connection.statement("SELECT a FROM t")
        #expect(try reading.step())
        try connection.execute("CREATE TABLE u (a)")
        try connection.rollback()
        var error: SQLiteError?
        do { while try reading.step() {} } catch let caught as SQLiteError { error = caught }
        #expect(error?.extendedCode == SQLiteError.abortRollback)
    }
}
