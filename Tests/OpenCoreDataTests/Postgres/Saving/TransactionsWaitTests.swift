#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Transactions: waits for a turn that are longer than statements may run", .enabled(if: PostgresServer.isEnabled))
struct TransactionsWaitTests {
    private let model = LibraryModel.model

    private func store(waiting seconds: Double) throws -> PostgresStore {
        var server = try PostgresStores.options()
        server.address.timeouts.statement = .seconds(1)
        var options = StoreOptions()
        options.busyTimeout = seconds
        return try PostgresStores.store(of: model, at: server, options)
    }

    private var insertion: SaveRequest {
        var request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: -1, ["name": .string("x")])
        return request
    }

    /// Keeps all transactions from writing, for some seconds.
    private func holdTurn(of store: PostgresStore, _ seconds: Double) throws {
        let holder = Handed(try PostgresConnection.open(PostgresStores.options(schema: "public").address))
        try holder.value.begin(TransactionOptions(.readCommitted))
        try holder.value.run(.command(store.writerLock(isExclusive: true)))
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: seconds)
            holder.value.rollback()
        }
    }

    private func write(
        _ way: String, _ store: PostgresStore, thenChecking check: (any StoreTransaction) throws -> Void
    ) throws {
        let tags = FetchSpecification(entity: LibraryModel.tag)
        let session = way == "view" ? try store.beginSession() : nil
        _ = try session?.count(tags)
        let transaction: any StoreTransaction
        switch way {
        case "view": transaction = try store.beginTransaction(from: #require(session), nil)
        case "serializable": transaction = try store.beginSerializableTransaction(nil)
        case "rows": transaction = try store.beginTransaction(locking: tags, nil)
        default: transaction = try store.beginTransaction()
        }
        defer { transaction.end() }
        _ = try transaction.save(insertion)
        try check(transaction)
        try transaction.commit()
    }

    @Test(arguments: ["view", "serializable", "rows", "exclusive", "save"])
    func `a turn that comes later is taken`(_ way: String) throws {
        let store = try store(waiting: 60)
        try holdTurn(of: store, 2.5)
        let start = ContinuousClock.now
        if way == "save" {
            try store.save(insertion)
        } else {
            try write(way, store) { transaction in
                let timeouts = try (transaction as? PostgresSession)?.read { connection in
                    try ["statement_timeout", "lock_timeout"].map {
                        try connection.run("SHOW \($0)").string(0, column: 0)
                    }
                }
                #expect(timeouts == ["1s", "2s"])
            }
        }
        #expect(ContinuousClock.now - start > .seconds(1.5))
        #expect(try store.values(LibraryModel.tag, "name").count == 1)
    }

    @Test(arguments: ["view", "serializable"])
    func `a turn that does not come is an error at the end of the store's timeout`(_ way: String) throws {
        let store = try store(waiting: 2)
        try holdTurn(of: store, 10)
        let start = ContinuousClock.now
        let error = coreDataError { try write(way, store) { _ in } }
        #expect(error?.condition == .timedOut && ContinuousClock.now - start > .seconds(1.5), "\(error as Any)")
    }
}
#endif
