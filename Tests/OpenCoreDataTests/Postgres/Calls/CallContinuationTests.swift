#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import Sworm
@testable import SwormPostgres
@testable import SwormStore

@Suite("Calls over a server: saves in the transaction of the reads", .enabled(if: PostgresServer.isEnabled))
struct CallContinuationTests {
    /// The statements of a closure, without those of the commit's announcement.
    private func statements(_ pallets: PalletStore, _ body: () throws -> Void) rethrows -> [String] {
        pallets.statements.withLock { $0 = [] }
        try body()
        return pallets.statements.withLock { $0 }.filter { !$0.contains("NOTIFY") && !$0.contains("pg_notify") }
    }

    private func second(_ pallets: PalletStore) throws -> PersistentContainer {
        try PersistentContainer(for: Pallet.self, at: .postgres(pallets.configuration), timeout: 240)
    }

    @Test func `a call that reads rows and changes few of them is one transaction of three trips`() throws {
        let pallets = try PalletStore()
        func fill(_ boxes: Int) throws {
            try pallets.container.perform { context in
                for pallet in try context.fetch(Pallet.all.where { $0.number.isIn([4, 2]) }) {
                    try pallet.encode(\.boxes, boxes)
                }
            }
        }
        // The first result of a request is read by a cursor, because its size is not known.
        try fill(3)
        let found = try statements(pallets) { try fill(7) }
        let first = found.map { String($0.prefix { $0 != " " }) }
        #expect(first == ["BEGIN", "SELECT", "LOCK", "UPDATE", "UPDATE", "INSERT", "COMMIT"], "\(found)")
        #expect(found.contains { $0.hasPrefix("LOCK") && $0.hasSuffix("NOWAIT") })
        #expect(try pallets.boxes(2) == 7 && pallets.boxes(4) == 7)
    }

    @Test func `a call that inserts a row after a read checks its unique values and links in the same trip`() throws {
        let pallets = try PalletStore()
        let found = try statements(pallets) {
            try pallets.container.perform { context in
                let count = try context.count(of: Pallet.all)
                try context.insert(Pallet(number: count, boxes: 1))
            }
        }
        #expect(found.filter { $0.hasPrefix("BEGIN") }.count == 1, "\(found)")
        #expect(found.contains("SET CONSTRAINTS ALL IMMEDIATE"))
        #expect(try pallets.boxes(10) == 1)
    }

    @Test func `a save of many rows locks them first, in a transaction of its own`() throws {
        let pallets = try PalletStore()
        let found = try statements(pallets) {
            try pallets.container.perform { context in
                for pallet in try context.fetch(Pallet.all) { try pallet.encode(\.boxes, 3) }
            }
        }
        #expect(found.filter { $0.hasPrefix("BEGIN") }.count == 2)
        #expect(found.contains { $0.hasSuffix("FOR NO KEY UPDATE") })
        #expect(try pallets.container.read { try $0.decode(Pallet.all).map(\.boxes) } == Array(repeating: 3, count: 10))
    }

    @Test func `a row that was changed since the read is a conflict, and the repetition reads it`() throws {
        let pallets = try PalletStore()
        let other = try second(pallets)
        var runs = 0
        func change(_ context: ManagedObjectContext) throws {
            try addBox(to: 0, in: context)
            runs += 1
            if runs % 2 == 1 { try other.perform { try addBox(to: 0, in: $0) } }
        }
        #expect(throws: StoreError.Code.conflict.expected) { try pallets.container.perform(action: change) }
        #expect(try pallets.boxes(0) == 1)
        runs = 0
        try pallets.container.perform(retrying: 1, action: change)
        #expect(try pallets.boxes(0) == 3)
    }

    @Test func `a unique value that was taken since the read is the conflict that it is without a read`() throws {
        let pallets = try PalletStore()
        let other = try second(pallets)
        func error(_ body: (ManagedObjectContext) throws -> Void) throws -> StoreError? {
            var found: StoreError?
            do { try pallets.container.perform(action: body) } catch let error as StoreError { found = error }
            return found
        }
        let late = try #require(
            try error { context in
                #expect(try context.count(of: Pallet.all) == 10)
                try other.perform { try $0.insert(Pallet(number: 10)) }
                try context.insert(Pallet(number: 10, boxes: 1))
            })
        let simple = try #require(try error { try $0.insert(Pallet(number: 10, boxes: 1)) })
        #expect(late.code == simple.code)
        #expect(late.message == simple.message)
        #expect(try pallets.boxes(10) == 0)
    }

    @Test func `a unique value that was taken since the read is a conflict even without an index`() throws {
        let pallets = try PalletStore()
        let other = try second(pallets)
        let index = try pallets.run(
            "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = '@\"Pallet\"'::regclass AND indisunique AND NOT indisprimary"
        )
        #expect(index.count == 1)
        try pallets.run("DROP INDEX \(try #require(index.first ?? nil))")
        #expect(throws: StoreError.self) {
            try pallets.container.perform { context in
                #expect(try context.count(of: Pallet.all) == 10)
                try other.perform { try $0.insert(Pallet(number: 10)) }
                try context.insert(Pallet(number: 10, boxes: 1))
            }
        }
        #expect(try pallets.container.read { try $0.count(of: Pallet.all) } == 11)
    }

    @Test func `a save does not need the transaction of reads that the server has ended in the meantime`() throws {
        var configuration = try PalletStore().configuration
        configuration.timeouts.idle = .milliseconds(300)
        let container = try PersistentContainer(for: Pallet.self, at: .postgres(configuration), timeout: 240)
        try container.perform { context in
            try addBox(to: 3, in: context)
            Thread.sleep(forTimeInterval: 1)
        }
        #expect(try container.read { try $0.decodeOne(Pallet.all.where(\.number == 3))?.boxes } == 1)
    }

    @Test func `a save waits for a write that runs alone`() async throws {
        let pallets = try PalletStore()
        let other = try second(pallets)
        let gate = Gate()
        async let writing: Void = other.write { context in
            try addBox(to: 5, in: context)
            gate.wait()
        }
        #expect(try await eventually { gate.running == 1 })
        async let saving: Void = pallets.container.schedule { try addBox(to: 6, in: $0) }
        #expect(
            try await eventually {
                try pallets.run(
                    "SELECT count(*)::text FROM pg_locks WHERE NOT granted AND relation = '@\"_sworm_writer\"'::regclass"
                ) == ["1"]
            })
        gate.open()
        _ = try await (writing, saving)
        #expect(try pallets.boxes(5) == 1 && pallets.boxes(6) == 1)
    }

    @Test func `calls that change the same rows in different orders lose nothing`() async throws {
        let pallets = try PalletStore()
        let steps = 40
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<steps {
                        let numbers = [step % 3, 3 + step % 2]
                        try pallets.container.perform(retrying: 1000) { context in
                            for number in task % 2 == 0 ? numbers : numbers.reversed() {
                                try addBox(to: number, in: context)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let boxes = try await pallets.container.read { try $0.decode(Pallet.all).map(\.boxes).reduce(0, +) }
        #expect(boxes == 4 * steps * 2)
    }
}
#endif
