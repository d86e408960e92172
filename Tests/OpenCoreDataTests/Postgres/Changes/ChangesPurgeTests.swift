#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Changes on a server: purging and expired tokens", .enabled(if: PostgresServer.isEnabled))
struct ChangesPurgeTests {
    private let model = LibraryModel.model

    private func save(_ name: String, to store: PostgresStore) throws {
        var request = SaveRequest()
        request.author = name
        request.insert(model[LibraryModel.tag], key: -1, ["name": .string(name)])
        try store.save(request)
    }

    private func expectExpired(
        _ store: PostgresStore, after number: Int64, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: CoreDataError.self, sourceLocation: sourceLocation) {
            _ = try store.history(after: number)
        }
        #expect(error?.errorCode == NSPersistentHistoryTokenExpiredError, sourceLocation: sourceLocation)
    }

    @Test func `a history is deleted before a position, and earlier tokens expire`() throws {
        let store = try HistoryServer.open(try PostgresStores.options())
        #expect(try store.extent() == HistoryExtent(lowest: 1, highest: 0))
        for number in 1...6 { try save("\(number)", to: store) }
        let all = try store.waitForHistory(after: 0)
        #expect(all.map(\.author) == (1...6).map { "\($0)" })
        #expect(try store.deleteHistory(before: .transaction(all[3].number)))
        #expect(try store.extent() == HistoryExtent(lowest: all[2].number + 1, highest: all[5].number))
        #expect(try store.history(after: nil).map(\.author) == ["4", "5", "6"])
        #expect(try store.history(after: all[2].number).map(\.author) == ["4", "5", "6"])
        #expect(try store.history(after: all[4].number).map(\.author) == ["6"])
        expectExpired(store, after: all[1].number)
        expectExpired(store, after: 0)
        expectExpired(store, after: all[4].number + 1)
        expectExpired(store, after: all[5].number + 1 << 20)
        #expect(try store.number("SELECT count(*) FROM \(store.history.sql.changes)") == 3)

        #expect(try store.deleteHistory(before: .date(all[4].timestamp)))
        #expect(try store.history(after: nil).map(\.author) == ["5", "6"])
        #expect(try store.deleteHistory(before: .date(.distantFuture)))
        #expect(try store.history(after: nil).isEmpty)
        #expect(try store.extent() == HistoryExtent(lowest: all[5].number + 1, highest: all[5].number))
        #expect(try store.history(after: all[5].number).isEmpty)
        #expect(try store.number("SELECT count(*) FROM \(store.history.sql.transactions)") == 0)
        try save("7", to: store)
        #expect(try store.waitForHistory(after: all[5].number).map(\.author) == ["7"])
    }

    @Test func `a long history is deleted in parts, and nobody reads what is half deleted`() throws {
        let store = try HistoryServer.open(try PostgresStores.options())
        let transaction = try store.beginTransaction()
        struct Item { var name = "" }
        let plan = try WritePlan<Item>(
            model[LibraryModel.tag], [BatchField("name", \Item.name) { .string($0) }])
        let counts = try transaction.insert(RowBatch((0..<25_000).map { Item(name: "\($0)") }, plan: plan))
        #expect(counts.inserted == 25_000)
        try transaction.commit()
        transaction.end()
        try save("last", to: store)
        let all = try store.waitForHistory(after: 0)
        #expect(all.map(\.changes.count) == [25_000, 1])
        #expect(Set(all[0].changes.map(\.row.key)).count == 25_000)
        let reader = try store.beginSession()
        try reader.fixState()
        let log = StatementLog()
        let watch = store.add(StatementWatch { log.note($0.sql) })
        #expect(try store.deleteHistory(before: .transaction(all[1].number)))
        store.removeWatch(watch)
        #expect(log.count(of: "DELETE FROM \(store.history.sql.changes)") == 3)
        // A state from before still has everything.
        #expect(
            try reader.history(after: nil, includingChanges: true, limit: nil)?.map(\.changes.count) == [25_000, 1])
        reader.end()
        #expect(try store.history(after: nil).map(\.author) == ["last"])
    }

    @Test func `transactions that are not behind the horizon are not deleted`() throws {
        let server = try HistoryServer()
        let options = try server.options()
        let (store, other) = (try HistoryServer.open(options), try HistoryServer.open(options))
        try save("first", to: store)
        let writer = try other.beginTransaction(from: other.beginSession(), nil)
        var request = SaveRequest()
        request.author = "early"
        request.insert(model[LibraryModel.tag], key: -1)
        _ = try writer.save(request)
        try save("late", to: store)
        #expect(try store.deleteHistory(before: .date(.distantFuture)))
        try writer.commit()
        writer.end()
        #expect(try store.history(after: nil).map(\.author) == ["early", "late"])
    }

    @Test func `a token expires for contexts as in a file`() throws {
        let coordinator = try PostgresStores.coordinator(
            of: GraphLibrary.model(), options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        let context = GraphLibrary.context(coordinator)
        let store = try #require(coordinator.persistentStores.first?.objectStore as? PostgresStore)
        let tokens = try (1...4).map { number in
            _ = try context.make("Tag", ["name": "\(number)"])
            try context.save()
            try store.waitForHorizon()
            return try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        }
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: tokens[2]))
        #expect(try context.transactions().count == 2)
        #expect(try context.transactions(.fetchHistory(after: tokens[1])).count == 2)
        let expired = coreDataError {
            try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: tokens[0]))
        }
        #expect(expired?.errorCode == NSPersistentHistoryTokenExpiredError)
        #expect(try context.changeTexts(.fetchHistory(after: tokens[2])).count == 1)
        let data = try NSKeyedArchiver.archivedData(withRootObject: tokens[2], requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
        #expect(again == tokens[2])
    }

    @Test func `a history that was restored on another server goes on behind its last number`() throws {
        let programs = try #require(PostgresServer.programs)
        let (first, second) = (try HistoryServer(), try HistoryServer())
        let options = try first.options()
        let store = try HistoryServer.open(options)
        // The other server is younger.
        for number in 0..<200 { try save("\(number)", to: store) }
        let before = try store.waitForHistory(after: 0)
        func run(_ command: String) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", command]
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
        }
        let (dump, psql) = (programs.appending(path: "pg_dump").path, programs.appending(path: "psql").path)
        try run(
            "\(dump) -h \(first.server.folder.path) -U postgres -n \(options.schema) postgres | \(psql) -q -v ON_ERROR_STOP=1 -h \(second.server.folder.path) -U postgres postgres"
        )
        try save("lost", to: store)
        let lost = try store.waitForHistory(after: before[199].number)
        #expect(lost.count == 1)

        let restored = try second.options { $0.schema = options.schema }
        // A store that is open meanwhile continues the history when it writes.
        let other = try HistoryServer.open(restored)
        try other.pass("UPDATE @\"_sworm_history\" SET home = 1")
        try save("next", to: other)
        try other.waitForHorizon()
        #expect(try other.history(after: before[199].number).map(\.author) == ["next"])
        #expect(try other.history(after: before[10].number).count == 190)
        expectExpired(other, after: lost[0].number)
        #expect(try other.history(after: nil).map(\.number) == other.history(after: nil).map(\.number).sorted())
        // A program that opens the store continues it, too.
        try other.pass("UPDATE @\"_sworm_history\" SET home = 1, base = base + 1000")
        let again = try HistoryServer.open(restored, keepsHistory: false)
        try save("again", to: again)
        try again.waitForHorizon()
        #expect(try again.history(after: before[199].number).map(\.author) == ["next", "again"])
    }
}

/// The statements that a store has run.
///
/// @unchecked: the list is accessed only while the lock is held.
private final class StatementLog: @unchecked Sendable {
    private let lock = NSLock()
    private var statements: [String] = []

    func note(_ sql: String) { lock.withLock { statements.append(sql) } }

    func count(of prefix: String) -> Int { lock.withLock { statements.count { $0.hasPrefix(prefix) } } }
}
#endif
