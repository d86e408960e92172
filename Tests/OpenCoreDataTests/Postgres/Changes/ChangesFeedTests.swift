#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Writers in threads and in processes, which are killed, and a reader that goes on by its token.
@Suite("Changes on a server: the feed", .enabled(if: PostgresServer.isEnabled), .timeLimit(.minutes(60)))
struct ChangesFeedTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The number of saves of each writer; more for a long run: SWORM_CHANGES=250000 swift test --filter ChangesFeedTests
    private static let saves = environment["SWORM_CHANGES"].flatMap { Int($0) } ?? 150
    private static let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func `four writers that are killed leave each change once and in order`() throws {
        print("feed of a server: seed \(Self.seed)")
        let server = try HistoryServer()
        let options = try server.options()
        let address = try server.server.entrance().address("schema=\(options.schema)")
        let store = try HistoryServer.open(options)
        let writers = DispatchGroup()
        let done = DoneFlag()
        for index in 0..<2 {
            let writer = ChangesWriter(address: address, name: "thread\(index)", count: Self.saves)
            DispatchQueue.global().async(group: writers) { try? writer.run() }
            DispatchQueue.global().async(group: writers) {
                try? self.killRepeatedly(
                    ChangesWriter(address: address, name: "process\(index)", count: Self.saves),
                    seed: Self.seed &+ UInt64(index))
            }
        }
        // Backends of all kinds are terminated, also those of readers.
        let killer = DispatchGroup()
        DispatchQueue.global().async(group: killer) {
            while !done.isSet {
                Thread.sleep(forTimeInterval: 0.15)
                _ = try? store.number(
                    "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1) s"
                )
            }
        }
        var feed = try FeedReader(options, seed: Self.seed)
        while writers.wait(timeout: .now() + .milliseconds(3)) == .timedOut { feed.read() }
        done.set()
        killer.wait()
        try store.waitForHorizon()
        while feed.read() {}

        let rows = try store.tagNames()
        print("feed of a server: \(rows.count) rows, \(feed.openings) openings, \(feed.failures) failures")
        #expect(Set(feed.keys).count == feed.keys.count)
        #expect(feed.keys.sorted() == rows.keys.sorted())
        #expect(rows.count > Self.saves)
        var last: [Substring: Int] = [:]
        for key in feed.keys {
            let parts = try #require(rows[key]?.split(separator: " "))
            let number = try #require(Int(parts[1]))
            #expect(number > last[parts[0]] ?? -1, "\(parts)")
            last[parts[0]] = number
        }
        #expect(last.count >= 4)
        // Each transaction has its changes, and no other one.
        let all = try store.history(after: nil)
        #expect(all.flatMap(\.changes).count == rows.count)
        #expect(all.map(\.number) == all.map(\.number).sorted())
        #expect(all.allSatisfy { !$0.changes.isEmpty })
    }

    /// Runs processes that write, and kills each but the last at a random time.
    private func killRepeatedly(_ writer: ChangesWriter, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for turn in 0..<3 {
            var writer = writer
            writer.name += ".\(turn)"
            let process = try writer.start()
            if turn < 2 {
                Thread.sleep(forTimeInterval: 0.5 + Double(random.pick(100)) / 50)
                kill(process.processIdentifier, SIGKILL)
            }
            process.waitUntilExit()
        }
    }
}

/// A flag that threads share.
///
/// @unchecked: the flag is accessed only while the lock is held.
private final class DoneFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

extension PostgresStore {
    /// The names of all tags by their keys.
    func tagNames() throws -> [Int64: String] {
        let shape = RowShape(model: model, entity: LibraryModel.tag)
        return try reading { session in
            let rows = try session.rows(FetchSpecification(entity: LibraryModel.tag), shape: shape)
            var names: [Int64: String] = [:]
            for row in 0..<rows.count {
                let value = try rows.value(
                    row: row, cell: shape.cell(ofAttribute: 0, in: LibraryModel.tag),
                    of: model[LibraryModel.tag].attributes[0], in: model[LibraryModel.tag], session: session)
                if case .string(let name) = value {
                    names[rows.int64(row: row, cell: RowShape.primaryKeyCell)] = name
                }
            }
            return names
        }
    }
}

/// A reader that keeps nothing but a token, and often opens the store again.
private struct FeedReader {
    private let options: PostgresOptions
    private var random: SeededRandom
    private var store: PostgresStore?
    private var token: Int64 = 0
    /// The keys of the inserted objects, in the order in which they were read.
    private(set) var keys: [Int64] = []
    private(set) var openings = 0
    private(set) var failures = 0

    init(_ options: PostgresOptions, seed: UInt64) throws {
        self.options = options
        random = SeededRandom(seed: seed)
    }

    /// Reads some transactions, and returns whether there were any, or reading has failed.
    @discardableResult
    mutating func read() -> Bool {
        do {
            if random.chance(10) { store = nil }
            if store == nil {
                store = try HistoryServer.open(options, keepsHistory: false)
                openings += 1
            }
            let page = try store?.history(after: token, limit: 1 + random.pick(40)) ?? []
            for transaction in page {
                #expect(transaction.number > token)
                token = transaction.number
                for change in transaction.changes {
                    #expect(change.type == .insert)
                    keys.append(change.row.key)
                }
            }
            return !page.isEmpty
        } catch {
            // The connection of the reader was cut.
            failures += 1
            #expect((error as? CoreDataError)?.errorCode != NSPersistentHistoryTokenExpiredError, "\(error)")
            return true
        }
    }
}
#endif
