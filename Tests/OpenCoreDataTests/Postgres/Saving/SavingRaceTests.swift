#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving on a server: transactions at the same time", .enabled(if: PostgresServer.isEnabled))
struct SavingRaceTests: TagSteps {
    /// Runs a closure in a thread of its own, and returns a closure that waits for its error.
    private func start(_ work: @escaping @Sendable () throws -> Void) -> () -> (any Error)? {
        let failure = Locked<(any Error)?>(nil)
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            do { try work() } catch { failure.withLock { $0 = error } }
            group.leave()
        }
        return {
            group.wait()
            return failure.withLock { $0 }
        }
    }

    // MARK: Derived values

    private static func derivingModel() throws -> CompiledModel {
        let author = Build.entity("Author", [Build.attribute("name")])
        let tag = Build.entity("Tag", [Build.attribute("weight", .integer64AttributeType)])
        let book = Build.entity(
            "Book",
            [
                Build.derived("authorName", .stringAttributeType, "author.name"),
                Build.derived("weight", .integer64AttributeType, "tags.@sum.weight"),
            ])
        let (books, bookAuthor) = (Build.toMany("books", book), Build.toOne("author", author))
        let (tags, tagged) = (Build.toMany("tags", tag), Build.toMany("books", book))
        Build.connect(books, bookAuthor)
        Build.connect(tags, tagged)
        author.properties.append(books)
        book.properties += [bookAuthor, tags]
        tag.properties.append(tagged)
        return try Build.model(author, book, tag).compiled()
    }

    /// A change of the source of derived values, and another one of the rows that get them.
    private struct Changes {
        var source: SaveRequest
        var rows: SaveRequest
        var attribute: String
        var value: AttributeValue
    }

    private func changes(_ subject: String, in store: any ObjectStore) throws -> Changes {
        func entity(_ name: String) throws -> Int { try #require(store.model.entity(named: name)).number }
        var (source, rows) = (SaveRequest(), SaveRequest())
        if subject == "path" {
            let author = try store.insert(entity("Author"), ["name": .string("old")])
            source.update(author, version: 1, in: store.model, ["name": .string("new")])
            rows.insert(store.model[try entity("Book")], key: -1, [:], ["author": author])
            return Changes(source: source, rows: rows, attribute: "authorName", value: .string("new"))
        }
        let tag = try store.insert(entity("Tag"), ["weight": .int(1)])
        let book = try store.insert(entity("Book"))
        source.update(tag, version: 1, in: store.model, ["weight": .int(5)])
        rows.addedLinks = [SaveRequest.link(book, "tags", tag, in: store.model)]
        return Changes(source: source, rows: rows, attribute: "weight", value: .int(5))
    }

    @Test(arguments: ["path", "members"], [true, false])
    func `derived values follow a source that another transaction changes at the same time`(
        _ subject: String, sourceIsFirst: Bool
    ) throws {
        let stores = try SavingStore(.server, Self.derivingModel(), timeout: 30)
        defer { stores.close() }
        let store = stores.store
        let changes = try changes(subject, in: store)
        let session = try store.beginSession()
        _ = try session.count(FetchSpecification(entity: 1))
        let transaction = try store.beginTransaction(from: session, nil)
        _ = try transaction.save(sourceIsFirst ? changes.source : changes.rows)
        let other = Handed(try stores.open())
        defer { other.value.close() }
        let later = sourceIsFirst ? changes.rows : changes.source
        let error = start { try other.value.save(later) }
        // The other save waits for this transaction, or is complete.
        usleep(300_000)
        try transaction.commit()
        transaction.end()
        #expect(error() == nil)
        let book = try #require(store.model.entity(named: "Book")).number
        #expect(try store.values(book, changes.attribute) == [changes.value])
    }

    // MARK: Keys

    @Test func `keys that rows have already are not tried one by one`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        #expect(try stores.store.insert(LibraryModel.tag).key == 1)
        // A standby that became the primary may draw the same block again, for another program.
        try stores.run("INSERT INTO @\"Tag\" (\"_key\", \"name\") SELECT n, 'x' FROM generate_series(2, 64) n")
        #expect(try stores.store.insert(LibraryModel.tag).key > 64)
    }

    // MARK: Serializable transactions

    @Test func `a serializable transaction that only reads takes part in the order of all transactions`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let store = stores.store
        let batch = try store.insert(LibraryModel.author, ["age": .int(1)])
        let authors = FetchSpecification(entity: LibraryModel.author)
        let first = try store.beginSerializableTransaction(nil)
        defer { first.end() }
        #expect(try first.count(authors) == 1)
        var closing = SaveRequest()
        closing.update(batch, version: 1, in: model, ["age": .int(2)])
        let second = try store.beginSerializableTransaction(nil)
        _ = try second.save(closing)
        try second.commit()
        second.end()
        // The report of the closed batch lacks the receipt that the first transaction adds to it afterwards.
        let report = try store.beginSerializableTransaction(nil)
        #expect(try report.count(authors) == 1)
        #expect(try report.count(tags) == 0)
        try report.commit()
        report.end()
        let error = coreDataError {
            _ = try first.save(insertion("receipt"))
            try first.commit()
        }
        #expect(error?.condition == .conflict)
    }

    // MARK: Rights

    @Test func `a row can be linked that the user may read and not change`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let book = try stores.store.insert(LibraryModel.book, ["title": .string("a")])
        let options = try PostgresStores.user(of: stores.server)
        let user = try #require(options.address.user)
        let store = try PostgresStores.store(of: model, at: options)
        defer { store.close() }
        try stores.run("ALTER TABLE @\"Book\" ENABLE ROW LEVEL SECURITY")
        try stores.run("CREATE POLICY reading ON @\"Book\" FOR SELECT USING (true)")
        try stores.run("CREATE POLICY changing ON @\"Book\" FOR UPDATE USING (false)")
        try store.insert(LibraryModel.page, ["number": .int(1)], ["book": book])
        try stores.run("REVOKE UPDATE ON @\"Book\" FROM \(user)")
        try store.insert(LibraryModel.page, ["number": .int(2)], ["book": book])
        #expect(try stores.run("SELECT \"book\" FROM @\"Page\"") == ["\(book.key)", "\(book.key)"])
        let missing = RowID(entity: LibraryModel.book, key: 999)
        #expect(throws: SaveConflicts.self) { try store.insert(LibraryModel.page, [:], ["book": missing]) }
    }

    // MARK: Connections

    @Test func `a view that begins while the store is being closed leaves its connection as it was`() throws {
        var options = try PostgresStores.options()
        options.address.connections = 1
        let stores = try SavingStore(.server, server: options)
        let store = try stores.server
        let error = try store.pool.withConnection(for: "test") { _ in
            let error = start { try store.beginSession().end() }
            usleep(200_000)
            _ = store.shut(.storeIsClosed)
            return error
        }()
        #expect((error as? CoreDataError)?.condition == .storeClosed, "\(error as Any)")
        try store.pool.withConnection(for: "test") { connection in
            try connection.begin(TransactionOptions(.readCommitted))
            #expect(try connection.run("SHOW transaction_isolation").string(0, column: 0) == "read committed")
            connection.rollback()
        }
        store.close()
    }

    @Test func `the longest timeout is that of a server`() throws {
        var address = try PostgresStores.options().address
        address.timeouts = .init(statement: .seconds(Int64.max), lock: .seconds(Int64.max), idle: .seconds(Int64.max))
        let connection = try PostgresConnection.open(address)
        let results = try connection.run((0..<40).map { _ in SQLStatement("SELECT pg_sleep(0.001), 1::bigint") })
        #expect(results.count == 40)
        #expect(try connection.run("SHOW statement_timeout").string(0, column: 0) == "2147483647ms")
    }
}
#endif
