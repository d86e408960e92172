import Foundation
import Sworm
import TestSupport
import Testing

@Suite("schedule", .overEachStore)
struct ScheduleTests {
    typealias Volume = Shelf.Volume

    private struct Item: ManagedObjectConvertible {
        var value = 0
        static let attributes: Set<Attribute<Item>> = [.init(\.value, "value")]
        struct Relations: Sendable { let group = ToOneRelation<ItemGroup>("group", inverse: \.items) }
        static let relations = Relations()
    }
    private struct ItemGroup: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<ItemGroup>> = [.init(\.name, "name")]
        struct Relations: Sendable { let items = ToManyRelation<Item>("items") }
        static let relations = Relations()
    }

    /// Core Data cannot stop a read from outside.
    private static var canStopReads: Bool {
        #if canImport(CoreData)
        false
        #else
        true
        #endif
    }

    private final class Counter: Sendable {
        private let count = Locked(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    @Test func `the result of the closure is returned`() async throws {
        final class Report { var titles: [String] = [] }
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        let id = try await store.schedule { try $0.insert(Volume(id: 1, title: "a")) }
        #expect(!id.isTemporary)
        let report = try await store.schedule { context in
            let report = Report()
            report.titles = try context.fetch(Volume.all, \.title)
            return report
        }
        #expect(report.titles == ["a"])
        let pair = try await store.schedule { (try $0.count(of: Volume.all), try $0.decodeOne(Volume.all)?.id) }
        #expect(pair == (1, 1))
        let none = try await store.schedule { try $0.decodeOne(Volume.all.where(\.id == 2)) }
        #expect(none == nil)
        try await store.schedule { _ in }
        let stored: @Sendable (ManagedObjectContext) throws -> Int = { try $0.count(of: Volume.all) }
        #expect(try await store.schedule(action: stored) == 1)
        #expect(try await store.schedule { try $0.object(with: id).decode(\.title) } == "a")
    }

    @Test func `an error saves nothing and is logged`() async throws {
        let log = ErrorLog()
        let store = try PersistentContainer(for: Volume.self, at: .tested, logError: log.add)
        await #expect(throws: StoreError.Missing.self) {
            try await store.schedule { context in
                try context.insert(Volume(id: 1))
                throw StoreError.Missing()
            }
        }
        #expect(log.errors.count == 1 && log.errors.first is StoreError.Missing)
        #expect(try await store.schedule { try $0.count(of: Volume.all) } == 0)
    }

    @Test func `a task that was cancelled before does not run the closure`() async throws {
        let log = ErrorLog()
        let store = try PersistentContainer(for: Volume.self, at: .tested, logError: log.add)
        let hasRun = Counter()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await store.schedule { context in
                hasRun.add()
                try context.insert(Volume(id: 1))
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(hasRun.value == 0)
        #expect(log.errors.count == 1 && log.errors.first is CancellationError)
    }

    /// Without changes the store compares, with them the context does.
    @Test(
        .enabled(if: canStopReads, "the engine under the library cannot stop a read"),
        arguments: [(count: 20_000, hasChanges: false), (count: 4_000, hasChanges: true)])
    func `a read that takes long is stopped when its task is cancelled`(count: Int, hasChanges: Bool) async throws {
        let store = try PersistentContainer(for: Item.self, at: .tested)
        try store.perform { context in
            let group = try context.insert(ItemGroup())
            for value in 0..<count { try context.insert(Item(value: value)).group = group }
        }
        let (hasBegun, hasFinished) = (Counter(), Counter())
        let task = Task {
            try await store.schedule { context in
                if hasChanges { try context.insert(ItemGroup(name: "never")) }
                hasBegun.add()
                // Every item is compared with every other one.
                let slow = Item.all.where { item in item.group.items.filter { $0.value == item.value }.count > 5 }
                let found = try context.decode(slow).count
                hasFinished.add()
                try context.insert(ItemGroup(name: "never"))
                return found
            }
        }
        while hasBegun.value == 0 { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        // The read would take far longer than the time after which it was stopped.
        #expect(hasFinished.value == 0)
        #expect(try store.perform { try $0.count(of: ItemGroup.all) } == 1)
    }

    @Test func `an error that the outcome is unknown is thrown also by a call that was cancelled`() async throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        func call(throwing error: StoreError) -> Task<Void, any Error> {
            Task {
                try await store.schedule { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    throw error
                }
            }
        }
        let unknown = StoreError(.outcomeUnknown, "the connection was lost during the commit")
        let error = await #expect(throws: StoreError.self) { try await call(throwing: unknown).value }
        #expect(error?.code == .outcomeUnknown)
        let unavailable = StoreError(.serverUnavailable, "the connection was lost before")
        await #expect(throws: CancellationError.self) { try await call(throwing: unavailable).value }
    }

    @Test(.enabled(if: canStopReads, "the engine under the library cannot stop a read"))
    func `many short reads are stopped too, and nothing is saved`() async throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        let reads = Counter()
        let task = Task {
            try await store.schedule { context in
                try context.insert(Volume(id: 1))
                for _ in 0..<1_000_000 {
                    // An error of the store is ignored, as careless code does.
                    _ = try? context.decode(Shelf.Writer.all)
                    reads.add()
                    if reads.value > 20, (try? context.decode(Shelf.Writer.all)) == nil { return }
                }
            }
        }
        while reads.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(reads.value < 1_000_000)
        #expect(try store.perform { try $0.count(of: Volume.all) } == 0)
    }

    @Test func `closures that wait do not hold up the pool`() async throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        let gate = DispatchSemaphore(value: 0)
        let count = 24
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    // More of them than the pool has threads: they could not all wait on it.
                    try await store.schedule { _ in _ = gate.wait(timeout: .now() + 1800) }
                }
            }
            group.addTask {
                // Other tasks still run, and finally open the gate.
                var turns = 0
                for _ in 0..<50 {
                    try await Task.sleep(for: .milliseconds(2))
                    turns += 1
                }
                #expect(turns == 50)
                for _ in 0..<count { gate.signal() }
            }
            try await group.waitForAll()
        }
    }

    @Test func `many tasks write and read, and each sees the writes of the previous ones`() async throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { try $0.insert(Volume(id: 0)) }
        for turn in 1...20 {
            try await store.schedule { try $0.fetchOne(Volume.all)?.encode(\.pages, turn) }
            #expect(try await store.schedule { try $0.fetchOne(Volume.all, \.pages) } == turn)
        }
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 1...200 {
                group.addTask {
                    try await store.schedule { context in
                        try context.insert(Volume(id: id, pages: 1))
                        return try context.count(of: Volume.all.where(\.id == id))
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 200)
        #expect(try store.perform { try $0.count(of: Volume.all) } == 201)
    }
}
