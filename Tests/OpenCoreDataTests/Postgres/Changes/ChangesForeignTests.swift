#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
@testable import Sworm
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Changes on a server: commits of other programs", .enabled(if: PostgresServer.isEnabled))
struct ChangesForeignTests {
    private let model = LibraryModel.model

    private func address(_ options: PostgresOptions) throws -> String {
        try PostgresServer.shared().entrance().address("schema=\(options.schema)")
    }

    @Test func `a store hears the commits of other stores of its process once`() throws {
        for keepsHistory in [false, true] {
            let options = try PostgresStores.options()
            let store = try HistoryServer.open(options, keepsHistory: keepsHistory)
            let other = try HistoryServer.open(options, keepsHistory: keepsHistory)
            let (heard, heardByOther) = (HeardChanges(), HeardChanges())
            let ends = [
                store.listen(concerning: nil) { heard.note($0) },
                other.listen(concerning: nil) { heardByOther.note($0) },
            ]
            let row = try other.insert(LibraryModel.tag)
            #expect(heard.changes.first?.rows["Tag"]?.inserted == [row.key])
            for _ in 0..<3 {
                #expect(store.noticeCommits() && other.noticeCommits())
                Thread.sleep(forTimeInterval: 0.02)
            }
            for heard in [heard, heardByOther] {
                #expect(heard.changes.filter { !$0.isEmpty }.count == 1)
                #expect(heard.changes.allSatisfy { !$0.isForeign })
            }
            for end in ends { end() }
            #expect(!store.hasForeignCommits && store.noticeCommits())
            try other.insert(LibraryModel.tag)
            #expect(heard.changes.filter { !$0.isEmpty }.count == 1)
        }
    }

    @Test(arguments: [true, false])
    func `a store hears each commit of another process, with its changes if there is a history`(
        keepsHistory: Bool
    ) throws {
        let options = try PostgresStores.options()
        let store = try HistoryServer.open(options, keepsHistory: keepsHistory)
        let heard = HeardChanges()
        let end = store.listen(concerning: nil) { heard.note($0) }
        defer { end() }
        var writer = ChangesWriter(address: try address(options), name: "other", count: 12, keepsHistory: keepsHistory)
        writer.pause = 0.01
        let process = try writer.start()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let names = try store.tagNames()
        #expect(names.count == 15)
        #expect(store.noticeCommits())
        let changes = heard.changes.filter { !$0.isEmpty }
        #expect(changes.allSatisfy { $0.isForeign })
        if keepsHistory {
            #expect(changes.allSatisfy { !$0.isUnknown })
            let keys = changes.flatMap { $0.rows["Tag"]?.inserted ?? [] }
            #expect(keys.count == Set(keys).count && Set(keys) == Set(names.keys))
            #expect(changes.allSatisfy { $0.author == "other" })
            let history = try store.waitForHistory(after: 0)
            #expect(history.allSatisfy { store.origin(ofTransaction: $0.number) == .elsewhere })
            #expect(history.count == 15)
        } else {
            #expect(!changes.isEmpty && changes.allSatisfy(\.isUnknown))
        }
        // Nothing is reported twice. Announcements without changes are for readers of the history, who find more of it.
        for _ in 0..<3 { #expect(store.noticeCommits()) }
        #expect(heard.changes.count { !$0.isEmpty } == changes.count)
    }

    @Test func `a store behind a pooler looks once a second`() throws {
        let options = try PostgresStores.options()
        var pooled = options
        pooled.address.pooler = .transaction
        let store = try HistoryServer.open(pooled)
        try store.insert(LibraryModel.tag, ["name": .string("own")])
        let heard = HeardChanges()
        let end = store.listen(concerning: nil) { heard.note($0) }
        let process = try ChangesWriter(address: try address(options), name: "other", count: 1).start()
        heard.wait { !$0.isEmpty }
        process.waitUntilExit()
        #expect(heard.changes.first?.rows["Tag"]?.inserted.count == 1)
        #expect(try store.waitForHistory(after: 0).map(\.author) == [nil, "other"])
        end()
    }

    @Test func `a look that fails is reported as unknown changes when the server is back`() throws {
        let options = try PostgresStores.options()
        let store = try HistoryServer.open(options)
        try store.insert(LibraryModel.tag)
        let heard = HeardChanges()
        let end = store.listen(concerning: nil) { heard.note($0) }
        #expect(store.noticeCommits())
        // Only the connection of the looks is cut, and not those of the pool.
        let watch = try #require(store.watching.withLock { $0.watch })
        let process = try #require(watch.serverProcess)
        #expect(
            try PostgresStores.run("SELECT pg_terminate_backend(\(process), 10000)::text") == ["true"])
        #expect(!store.noticeCommits())
        heard.wait { $0.contains { $0.isUnknown && $0.isForeign } }
        let count = heard.changes.count
        #expect(store.noticeCommits())
        #expect(heard.changes.count == count)
        end()
    }

    @Test func `nothing is left of a watch whose listeners have ended`() throws {
        let options = try PostgresStores.options()
        let store = try HistoryServer.open(options)
        for _ in 0..<20 {
            let end = store.listen(concerning: nil) { _ in }
            try store.insert(LibraryModel.tag)
            end()
        }
        let last = store.listen(concerning: nil) { _ in }
        weak let watch = store.watching.withLock { $0.watch }
        #expect(watch != nil)
        try store.close(until: nil)
        for _ in 0..<2_000 where watch != nil { Thread.sleep(forTimeInterval: 0.002) }
        #expect(watch == nil)
        #expect(store.noticeCommits())
        last()
        let name = CommitBell.channel(of: store.identifier)
        for _ in 0..<1_000 {
            let open = try PostgresStores.run(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%\(options.schema)%' OR query LIKE '%\(name)%'"
            )
            if open == ["1"] { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        Issue.record("connections are left")
    }

    // MARK: Containers

    private func container(_ options: PostgresOptions, history: Bool = true) throws -> PersistentContainer {
        try PersistentContainer(for: Periodical.self, at: .postgres(address(options)), history: history)
    }

    private func next<Element>(_ iterator: inout LiveValues<Element>.Iterator) async throws -> Element {
        try #require(try await iterator.next())
    }

    @Test(arguments: [true, false])
    func `live values follow another container, and programs that record their changes`(history: Bool) async throws {
        let options = try PostgresStores.options()
        let (store, other) = (try container(options, history: history), try container(options, history: history))
        try store.perform { _ = try $0.insert(Periodical(title: "a")) }
        var values = store.values(of: Periodical.all.sort(\.title).select(\.title)).removingDuplicates()
            .makeAsyncIterator()
        #expect(try await next(&values) == ["a"])
        try other.perform { _ = try $0.insert(Periodical(title: "b")) }
        #expect(try await next(&values) == ["a", "b"])
        _ = try other.perform { try $0.update(Periodical.all.where { $0.title == "a" }, set: (\.title, "c")) }
        #expect(try await next(&values) == ["b", "c"])
        _ = try other.perform { try $0.batchDelete(Periodical.all.where { $0.title == "b" }) }
        #expect(try await next(&values) == ["c"])
        // Rows that come with the tables' own bookkeeping, as another process writes it.
        let sql = HistorySQL(prefix: "\"\(options.schema)\".")
        let connection = try PostgresConnection.open(options.address)
        try connection.begin(TransactionOptions(.readCommitted))
        var statements = [
            SQLStatement("INSERT INTO \(sql.prefix)\"Periodical\" (\"title\") VALUES ('d')"),
            SQLStatement(
                "INSERT INTO \(sql.outcomes) (\"id\", \"instance\", \"history\") VALUES (gen_random_uuid(), gen_random_uuid(), 1)"
            ),
        ]
        if history {
            statements += [
                SQLStatement(
                    "INSERT INTO \(sql.changes) (\"number\", \"entity\", \"kind\", \"key\") SELECT \(sql.number(1)), 1, 'i', max(\"_key\") FROM \(sql.prefix)\"Periodical\""
                ),
                SQLStatement(
                    "INSERT INTO \(sql.transactions) (\"number\", \"instance\") SELECT \(sql.number(1)), gen_random_uuid()"
                ),
            ]
        }
        try connection.commit(after: statements)
        #expect(try await next(&values) == ["c", "d"])
    }

    @Test func `a feed has the transactions of all containers, in order and with their origins`() async throws {
        let server = try HistoryServer()
        let options = try server.options()
        let entrance = try server.server.entrance()
        func open() throws -> PersistentContainer {
            try PersistentContainer(
                for: Periodical.self,
                at: .postgres(
                    .init(
                        host: entrance.folder, port: entrance.port, database: "postgres", user: server.server.user,
                        schema: options.schema, pooler: ServerEntrance.arePooled ? .transaction : .none, history: true))
            )
        }
        let (store, other) = (try open(), try open())
        let token = try store.changeToken()
        store.author = "me"
        try store.perform { _ = try $0.insert(Periodical(title: "a")) }
        try other.perform { _ = try $0.insert(Periodical(title: "b")) }
        var feed = store.changes(since: token).makeAsyncIterator()
        var last = token
        for (title, author, origin) in [
            ("a", "me", Sworm.StoreChanges.Origin.thisContainer), ("b", nil, .thisProcess),
        ] as [(String, String?, Sworm.StoreChanges.Origin)] {
            let changes = try #require(try await feed.next())
            #expect(changes.of(Periodical.self).map(\.kind) == [.inserted])
            #expect(try changes.values(of: Periodical.self).values.map(\.title) == [title])
            #expect(changes.author == author && changes.origin == origin)
            #expect(try #require(changes.token) > last)
            last = try #require(changes.token)
        }
        // A feed that waits goes on with the next commit, also if another writer holds it back for a while.
        let connection = try PostgresConnection.open(options.address)
        try connection.begin(TransactionOptions(.readCommitted))
        try connection.run("SELECT pg_current_xact_id()::text")
        try other.perform { _ = try $0.insert(Periodical(title: "c")) }
        let held = connection
        async let later = feed.next()
        try await Task.sleep(for: .milliseconds(200))
        held.rollback()
        let found = try #require(try await later)
        #expect(try found.values(of: Periodical.self).values.map(\.title) == ["c"])
        #expect(try store.purgeHistory(before: last) == last)
        var late = store.changes(since: token).makeAsyncIterator()
        await #expect(throws: StoreError.self) { _ = try await late.next() }
    }
}

struct Periodical: Equatable, Sendable { var title = "" }

extension Periodical: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Periodical>> = [.init(\.title, "title")]
}
#endif
