#if PostgreSQL
import Foundation
import SwormRows
import Testing

@testable import SwormPostgres

@Suite("Statements in one trip", .needsServer)
struct PipelineTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws {
        database = try TestDatabase()
        try database.connection.run("CREATE TABLE t (n bigint UNIQUE)")
    }

    private func insert(_ number: Int64) -> SQLStatement {
        SQLStatement("INSERT INTO t VALUES ($1)", with: integers(number))
    }

    @Test func `the results come in the order of the statements`() throws {
        let results = try connection.run([insert(1), insert(2), SQLStatement("SELECT n FROM t ORDER BY n"), insert(3)])
        #expect(results.map(\.affectedRows) == [1, 1, 2, 1])
        #expect(try results[2].int64(1, column: 0) == 2)
        #expect(try connection.run([]).isEmpty)
    }

    @Test func `a failure has the index of its statement, and undoes all of them`() throws {
        let error = try #require(serverError { try connection.run([insert(1), insert(2), insert(1), insert(4)]) })
        #expect(error.index == 2 && error.kind == .uniqueViolation)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        // A second time, with prepared statements.
        #expect(serverError { try connection.run([insert(5), insert(5)]) }?.index == 1)
        #expect(try connection.run([insert(5), insert(6)]).count == 2)
    }

    @Test func `the beginning of a transaction goes with its first statement`() throws {
        let seen = SharedList<String>()
        var options = TransactionOptions(.repeatableRead, isReadOnly: true)
        options.timeouts = .init(statement: .seconds(3), lock: .seconds(2), idle: .seconds(60))
        options.settings = [.init("app.tenant", value: "7")]
        connection.watch = StatementWatch { seen.append($0.sql) }
        try connection.begin(options)
        #expect(seen.elements.isEmpty && connection.isInTransaction)
        #expect(try connection.string("SELECT current_setting('app.tenant')") == "7")
        #expect(
            seen.elements == [
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "SET LOCAL statement_timeout = 3000",
                "SELECT pg_catalog.set_config($1, $2, true)", "SELECT current_setting('app.tenant')",
            ])
        #expect(try connection.string("SHOW statement_timeout") == "3s")
        #expect(serverError { try connection.run(insert(1)) }?.state == .readOnlyTransaction)
        #expect(connection.hasFailedTransaction)
        connection.rollback()
        #expect(!connection.isInTransaction)
        #expect(try connection.string("SHOW statement_timeout") == "30s")
        #expect(try connection.string("SELECT current_setting('app.tenant', true)") == "")
    }

    @Test func `a transaction without statements sends nothing`() throws {
        let seen = SharedList<String>()
        connection.watch = StatementWatch { seen.append($0.sql) }
        try connection.transaction(TransactionOptions()) {}
        try connection.transaction(TransactionOptions()) { try connection.savepoint {} }
        try connection.begin(TransactionOptions())
        connection.rollback()
        #expect(seen.elements.isEmpty)
    }

    @Test func `the last statements and the commit are one trip`() throws {
        try connection.begin(TransactionOptions())
        #expect(try connection.commit(after: [insert(1), insert(2)]).map(\.affectedRows) == [1, 1])
        #expect(try connection.integer("SELECT count(*) FROM t") == 2)
        try connection.begin(TransactionOptions())
        let error = try #require(serverError { try connection.commit(after: [insert(3), insert(3)]) })
        #expect(error.kind == .uniqueViolation && error.index == 1)
        connection.rollback()
        #expect(try connection.integer("SELECT count(*) FROM t") == 2)
    }

    @Test func `a lock comes before the snapshot`() throws {
        let other = try database.connect()
        var options = TransactionOptions()
        options.locks = ["LOCK TABLE t IN EXCLUSIVE MODE"]
        options.settings = [.init("app.tenant", value: "7")]
        try other.begin(TransactionOptions())
        try other.run(insert(1))
        let counted = SharedList<Int64?>()
        let thread = Thread { [connection = UncheckedBox(connection), options] in
            try? connection.value.begin(options)
            counted.append(try? connection.value.integer("SELECT count(*) FROM t"))
        }
        thread.start()
        let isWaiting = try wait {
            try other.integer("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 't'::regclass") == 1
        }
        #expect(isWaiting)
        try other.commit()
        #expect(wait { !counted.elements.isEmpty })
        #expect(counted.elements == [1])
    }

    @Test func `many statements do not block each other`() throws {
        // More than the buffers of both sides hold, in both directions.
        let text = String(repeating: "x", count: 100_000)
        let statements = (0..<300).map { _ in
            SQLStatement("SELECT $1, repeat('y', 100000)", with: parameters { #expect($0.append(text)) })
        }
        let results = try connection.run(statements)
        #expect(results.count == 300)
        #expect(try results.allSatisfy { try $0.string(0, column: 0)?.utf8.count == 100_000 })
    }

    @Test func `a failure behind a savepoint leaves the transaction as it was`() throws {
        try connection.begin(TransactionOptions())
        // The savepoint goes with the beginning of the transaction.
        #expect(
            serverError { try connection.runBehindSavepoint(SQLStatement("SELECT 1 / 0")) }?.kind == .divisionByZero)
        try connection.run(insert(1))
        #expect(
            serverError { try connection.runBehindSavepoint(SQLStatement("SELECT 1 / 0")) }?.kind == .divisionByZero)
        #expect(try connection.runBehindSavepoint(SQLStatement("SELECT 5::bigint")).int64(0, column: 0) == 5)
        try connection.commit()
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    }
}

/// A value that a test hands to one other thread.
///
/// @unchecked: the test uses the value on one thread at a time.
struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
#endif
