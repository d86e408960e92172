#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Transactions: the timeout of statements that keep others from writing", .enabled(if: PostgresServer.isEnabled))
struct TransactionsTimeoutTests {
    private let model = LibraryModel.model

    /// A store in which inserting a tag takes some time.
    private func store(write: Duration?, statement: Duration? = .seconds(30)) throws -> PostgresStore {
        var options = try PostgresStores.options()
        options.address.timeouts.write = write
        options.address.timeouts.statement = statement
        options.address.connections = 1
        let store = try PostgresStores.store(of: model, at: options)
        let prefix = store.schema.prefix
        try PostgresStores.run(
            "CREATE FUNCTION \(prefix)slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.7); RETURN NEW; END'"
        )
        try PostgresStores.run(
            "CREATE TRIGGER slow BEFORE INSERT ON \(prefix)\"Tag\" FOR EACH ROW EXECUTE FUNCTION \(prefix)slow()")
        return store
    }

    private var insertion: SaveRequest {
        var request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: -1, ["name": .string("x")])
        return request
    }

    private func write(_ store: PostgresStore) throws {
        let transaction = try store.beginTransaction()
        defer { transaction.end() }
        _ = try transaction.save(insertion)
        try transaction.commit()
    }

    @Test func `it applies in a transaction that writes alone, and in no other one`() throws {
        let store = try store(write: .milliseconds(200))
        let error = try #require(coreDataError { try write(store) })
        #expect(error.errorCode == NSPersistentStoreTimeoutError)
        for part in ["0.2 seconds", "`write`", "write(locking:)", "INSERT INTO"] {
            #expect(error.message.contains(part), "\(error.message)")
        }
        // Saves, and transactions that have locked rows, on the same connection.
        try store.save(insertion)
        let transaction = try store.beginTransaction(locking: FetchSpecification(entity: LibraryModel.tag), nil)
        _ = try transaction.save(insertion)
        try transaction.commit()
        transaction.end()
        #expect(try store.values(LibraryModel.tag, "name").count == 2)
    }

    @Test func `a read inside of such a transaction has it too`() throws {
        let store = try store(write: .milliseconds(200))
        let transaction = try store.beginTransaction()
        defer { transaction.end() }
        let found = try (transaction as? PostgresTransaction)?.read { connection in
            try connection.run("SHOW statement_timeout").string(0, column: 0)
        }
        #expect(found == "200ms")
    }

    @Test func `the shorter one of both timeouts applies`() throws {
        try write(store(write: .seconds(10)))
        try write(store(write: nil))
        let error = try #require(coreDataError { try write(store(write: nil, statement: .milliseconds(200))) })
        #expect(error.errorCode == NSPersistentStoreTimeoutError && !error.message.contains("`write`"))
        let other = coreDataError { try write(store(write: .seconds(5), statement: .milliseconds(200))) }
        #expect(other?.errorCode == NSPersistentStoreTimeoutError && other?.message.contains("`write`") == false)
    }

    @Test func `the wait for the turn is not limited by it`() throws {
        let store = try store(write: .milliseconds(200))
        let connection = try PostgresConnection.open(PostgresStores.options(schema: "public").address)
        try connection.begin(TransactionOptions(.readCommitted))
        try connection.run(.command(store.writerLock(isExclusive: true)))
        let handed = Handed(connection)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.6)
            handed.value.rollback()
        }
        let start = ContinuousClock.now
        try store.beginTransaction().end()
        #expect(ContinuousClock.now - start > .milliseconds(400))
    }

    @Test func `five seconds are usual`() throws {
        #expect(PostgresAddress.Timeouts().write == .seconds(5))
        #expect(PostgresAddress.Timeouts().shorterForWrites == .seconds(5))
        #expect(PostgresAddress.Timeouts(statement: nil).shorterForWrites == .seconds(5))
        #expect(PostgresAddress.Timeouts(statement: .seconds(5)).shorterForWrites == nil)
    }
}
#endif
