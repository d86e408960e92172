#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Waits for locks that are longer than statements may run", .needsServer)
struct LockWaitTests {
    private let database: TestDatabase
    init() throws {
        database = try TestDatabase()
        try database.connection.run("CREATE TABLE t (n bigint)")
    }

    /// A connection whose statements may run for a short time, after which a server that says nothing is soon given up.
    private func connect() throws -> PostgresConnection {
        let connection = try database.connect { $0.timeouts.statement = .milliseconds(300) }
        connection.patience = .milliseconds(300)
        return connection
    }

    /// Locks the table for longer than that.
    private func holdLock() throws {
        let holder = UncheckedBox(try database.connect())
        try holder.value.begin(TransactionOptions())
        try holder.value.run("LOCK TABLE t IN EXCLUSIVE MODE")
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 1.5)
            holder.value.rollback()
        }
    }

    private func expectUsualTimeouts(_ connection: PostgresConnection) throws {
        #expect(try connection.string("SHOW statement_timeout") == "300ms")
        #expect(try connection.string("SHOW lock_timeout") == "2s")
        #expect(connection.lockWait == .zero)
        #expect(serverError { try connection.run("SELECT pg_sleep(5)") }?.kind == .timeout)
        #expect(!connection.isLost)
    }

    @Test func `a lock at the beginning of a transaction`() throws {
        let connection = try connect()
        var options = TransactionOptions()
        options.locks = TransactionOptions.lock(
            "LOCK TABLE t IN EXCLUSIVE MODE", within: .seconds(60), on: connection.address)
        options.lockWait = .seconds(60)
        try holdLock()
        try connection.begin(options)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        try expectUsualTimeouts(connection)
        connection.rollback()
    }

    @Test func `a lock behind a savepoint`() throws {
        let connection = try connect()
        try connection.begin(TransactionOptions(.readCommitted))
        try connection.run("SELECT 1")
        try holdLock()
        try connection.savepoint {
            connection.lock("LOCK TABLE t IN EXCLUSIVE MODE", within: .seconds(60))
            try connection.run("INSERT INTO t VALUES (1)")
        }
        try expectUsualTimeouts(connection)
        connection.rollback()
    }

    @Test func `a lock that is not free in time is an error of the lock`() throws {
        let connection = try connect()
        try connection.begin(TransactionOptions(.readCommitted))
        try holdLock()
        connection.lock("LOCK TABLE t IN EXCLUSIVE MODE", within: .milliseconds(700))
        #expect(serverError { try connection.run("SELECT 1") }?.state == .lockNotAvailable)
        #expect(connection.lockWait == .zero && !connection.isLost)
        connection.rollback()
    }

    @Test func `a short wait changes no other timeout`() throws {
        let address = database.address()
        let statements = TransactionOptions.lock("LOCK TABLE t", within: .seconds(7), on: address)
        #expect(statements == ["SET LOCAL lock_timeout = 7000", "LOCK TABLE t", "SET LOCAL lock_timeout = 2000"])
    }
}
#endif
