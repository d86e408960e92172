#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Transactions: errors that end them", .enabled(if: PostgresServer.isEnabled))
struct TransactionsFailureTests {
    private let model = LibraryModel.model
    private let tags = FetchSpecification(entity: LibraryModel.tag)
    private let authors = FetchSpecification(entity: LibraryModel.author)

    private func insertion(_ entity: Int) -> SaveRequest {
        var request = SaveRequest()
        request.insert(model[entity], key: -1, ["name": .string("x")])
        return request
    }

    /// Makes three transactions of which the server lets only two commit, and returns the one whose next read it rejects.
    private func makeSkew(_ stores: SavingStore) throws -> (
        rejected: any StoreTransaction, reader: any StoreTransaction
    ) {
        let store = stores.store
        let rejected = try store.beginSerializableTransaction(nil)
        _ = try rejected.save(insertion(LibraryModel.author))
        let reader = try store.beginSerializableTransaction(nil)
        // Does not see what the first one has written, and so comes before it.
        #expect(try reader.count(authors) == 0)
        let writer = try store.beginSerializableTransaction(nil)
        _ = try writer.save(insertion(LibraryModel.tag))
        try writer.commit()
        writer.end()
        return (rejected, reader)
    }

    @Test func `a transaction whose conflict was ignored ends with that conflict`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let (transaction, reader) = try makeSkew(stores)
        defer { reader.end() }
        defer { transaction.end() }
        #expect(coreDataError { _ = try transaction.count(tags) }?.condition == .conflict)
        // The object graph has an answer for a relationship that cannot be read, and goes on.
        #expect(coreDataError { _ = try transaction.count(tags) }?.condition == .conflict)
        #expect(coreDataError { _ = try transaction.save(insertion(LibraryModel.tag)) }?.condition == .conflict)
        #expect(coreDataError { try transaction.commit() }?.condition == .conflict)
    }

    @Test func `a transaction whose mistake was ignored says at its end that it has an earlier error`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let transaction = try #require(try stores.store.beginTransaction() as? PostgresTransaction)
        defer { transaction.end() }
        _ = try transaction.save(insertion(LibraryModel.tag))
        let connection = try transaction.lease.beginUse()
        #expect(throws: ServerError.self) { try connection.run("SELECT * FROM \"missing\"") }
        transaction.lease.endUse()
        let error = try #require(coreDataError { try transaction.commit() })
        #expect(error.condition == nil && error.message.contains("earlier error has rolled back"))
        #expect((error.cause as? ServerError)?.state?.rawValue == "42P01")
        // The failure of one transaction is not that of the next one on the same connection.
        transaction.end()
        try stores.store.save(insertion(LibraryModel.tag))
        #expect(try stores.store.values(LibraryModel.tag, "name").count == 1)
    }
}
#endif
