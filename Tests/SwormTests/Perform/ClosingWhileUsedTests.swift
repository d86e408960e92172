// Core Data has nothing of this on Apple's platforms.
#if !canImport(CoreData)
import Foundation
import Sworm
import SwormSQLite
import Testing

/// Closing and suspending while others use the same coordinator, or the same file.
@Suite("Closing and suspending a store that is in use")
struct ClosingWhileUsedTests {
    typealias Volume = Shelf.Volume

    /// The kinds of stores: with one connection for all, and with several.
    enum Kind: String, CaseIterable {
        case memory, delete, wal
    }

    /// A coordinator with a store, in a folder that is removed with the instance.
    private final class Fixture: Sendable {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID())")
            .appendingPathComponent("store.sqlite")
        let makeContext: @Sendable () -> NSManagedObjectContext

        init(_ kind: Kind) throws {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: try NSManagedObjectModel(tables: Volume.self))
            try coordinator.addPersistentStore(
                ofType: kind == .memory ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil,
                at: kind == .memory ? nil : url,
                options: [
                    NSSQLitePragmasOption: ["journal_mode": kind == .delete ? "DELETE" : "WAL"],
                    NSPersistentStoreTimeoutOption: NSNumber(value: 100),
                ])
            makeContext = {
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                return context
            }
        }

        deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

        /// A container over the coordinator, beside those that were made before.
        func container() -> PersistentContainer { PersistentContainer(managedObjectContext: makeContext) }
    }

    /// A body that runs on a thread of its own, and its error.
    private final class Running: Sendable {
        private let done = DispatchSemaphore(value: 0)
        private let failure = Locked<(any Error)?>(nil)

        init(_ body: @escaping @Sendable () throws -> Void) {
            Thread.detachNewThread { [done, failure] in
                do { try body() } catch { failure.withLock { $0 = error } }
                done.signal()
            }
        }

        /// Waits for the end.
        func error() -> (any Error)? {
            done.wait()
            return failure.withLock { $0 }
        }

        func code() -> StoreError.Code? { (error() as? StoreError)?.code }
    }

    private static func count(_ store: PersistentContainer) throws -> Int {
        try store.read { try $0.count(of: Volume.all) }
    }

    // MARK: Suspending

    @Test(arguments: Kind.allCases)
    func `suspend undoes a transaction of another container, and commits none of it`(kind: Kind) throws {
        let fixture = try Fixture(kind)
        let (store, other) = (fixture.container(), fixture.container())
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let running = Running {
            try store.perform { context in
                if kind != .wal { _ = try context.count(of: Volume.all) }
                try other.write { context in
                    try context.insert(contentsOf: [Volume(id: 1), Volume(id: 2)])
                    began.signal()
                    goOn.wait()
                }
            }
        }
        began.wait()
        try store.suspend(grace: .milliseconds(20), deadline: .now + .seconds(60))
        goOn.signal()
        #expect(running.code() == .suspended)
        try store.resume()
        #expect(try Self.count(store) == 0)
        try other.write { try $0.insert(Volume(id: 3)) }
        #expect(try Self.count(store) == 1)
    }

    @Test(arguments: Kind.allCases)
    func `a save of another container is undone as a whole, or saved as a whole`(kind: Kind) throws {
        let fixture = try Fixture(kind)
        let (store, other) = (fixture.container(), fixture.container())
        let isDone = Locked(false)
        let running = Running {
            var round = 0
            while !isDone.withLock({ $0 }) {
                round += 1
                do {
                    try store.read { context in
                        _ = try context.count(of: Volume.all)
                        try other.perform { context in
                            for id in 0..<100 { try context.insert(Volume(id: 100 * round + id)) }
                        }
                    }
                } catch let error as StoreError where error.code == .suspended || error.code == .readOnly {}
            }
        }
        for pause in [1, 3, 5, 7, 9, 11] {
            Thread.sleep(forTimeInterval: Double(pause) / 1000)
            try store.suspend(grace: .zero, deadline: .now + .seconds(60))
            try store.resume()
            #expect(try Self.count(store) % 100 == 0)
        }
        isDone.withLock { $0 = true }
        #expect(running.error() == nil)
    }

    @Test func `calls of another container over the same coordinator have the time of grace`() throws {
        let fixture = try Fixture(.wal)
        let (store, other) = (fixture.container(), fixture.container())
        let began = DispatchSemaphore(value: 0)
        let running = Running {
            try other.write { context in
                try context.insert(Volume(id: 1))
                began.signal()
                Thread.sleep(forTimeInterval: 0.05)
                _ = try context.count(of: Volume.all)
            }
        }
        began.wait()
        try store.suspend(grace: .seconds(60))
        #expect(running.error() == nil)
        try store.resume()
        #expect(try Self.count(store) == 1)
    }

    @Test(arguments: [Kind.delete, .wal])
    func `suspend stops a write that waits for another process's lock`(kind: Kind) throws {
        let fixture = try Fixture(kind)
        let store = fixture.container()
        try store.write { try $0.insert(Volume(id: 1)) }
        let foreign = try Connection(.file(path: fixture.url.path))
        let calls: [@Sendable () throws -> Void] = [
            { try store.write { try $0.update(Volume.all, set: (\.pages, 1)) } },
            { try store.perform { try $0.insert(Volume(id: 2)) } },
        ]
        for call in calls {
            try foreign.begin(.immediate)
            let running = Running(call)
            Thread.sleep(forTimeInterval: 0.03)
            try store.suspend(grace: .milliseconds(20), deadline: .now + .seconds(60))
            #expect(running.code() == .suspended)
            try foreign.rollback()
            try store.resume()
            #expect(try Self.count(store) == 1)
        }
    }

    @Test func `suspend and deadlines stop a commit that waits for another process's readers`() async throws {
        let fixture = try Fixture(.delete)
        let store = fixture.container()
        try await store.write { try $0.insert(Volume(id: 1)) }
        let foreign = try Connection(.file(path: fixture.url.path))
        try foreign.begin(.deferred)
        try foreign.execute("SELECT count(*) FROM ZVOLUME")
        let began = DispatchSemaphore(value: 0)
        let running = Running {
            try store.write { context in
                try context.insert(contentsOf: [Volume(id: 2)])
                began.signal()
            }
        }
        began.wait()
        try store.suspend(grace: .milliseconds(20), deadline: .now + .seconds(60))
        #expect(running.code() == .suspended)
        try store.resume()
        let late = storeError {
            try store.write(deadline: .now + .milliseconds(100)) { try $0.insert(contentsOf: [Volume(id: 3)]) }
        }
        #expect(late?.code == .timedOut)
        try foreign.rollback()
        #expect(try await store.read { try $0.count(of: Volume.all) } == 1)
    }

    @Test(arguments: Kind.allCases)
    func `an error names the context that holds rows, and the store remains usable`(kind: Kind) throws {
        let fixture = try Fixture(kind)
        let store = fixture.container()
        try store.write { context in try context.insert(contentsOf: (1...3).map { Volume(id: $0) }) }
        let holder = PersistentContainer(managedObjectContext: {
            let context = fixture.makeContext()
            context.name = "importer"
            return context
        })
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let running = Running {
            try holder.read { context in
                try context.forEach(Volume.all) { _ in
                    began.signal()
                    goOn.wait()
                }
            }
        }
        began.wait()
        let error = storeError { try store.suspend(grace: .zero, deadline: .now + .milliseconds(30)) }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("'importer'") ?? false, "\(String(describing: error))")
        #expect(storeError { try Self.count(store) }?.code == .suspended)
        for _ in 0..<3 { goOn.signal() }
        #expect(running.code() == .suspended)
        try store.resume()
        #expect(try Self.count(store) == 3)
        try store.suspend()
        try store.resume()
        #expect(try Self.count(store) == 3)
    }

    // MARK: Resuming

    @Test(arguments: Kind.allCases)
    func `resume during suspend leaves a store that can be used`(kind: Kind) throws {
        let fixture = try Fixture(kind)
        let store = fixture.container()
        let began = DispatchSemaphore(value: 0)
        let reading = Running {
            try store.read { context in
                _ = try context.count(of: Volume.all)
                began.signal()
                Thread.sleep(forTimeInterval: 0.2)
            }
        }
        began.wait()
        let suspending = Running { try store.suspend(grace: .seconds(60)) }
        while storeError({ try Self.count(store) }) == nil { usleep(500) }
        try store.resume()
        #expect(reading.error() == nil)
        #expect(suspending.error() == nil)
        #expect(try Self.count(store) == 0)
        try store.write { try $0.insert(Volume(id: 1)) }
        #expect(try Self.count(store) == 1)
    }

    @Test func `a store suspended and resumed by many threads can be used afterwards`() throws {
        let fixture = try Fixture(.wal)
        let containers = [fixture.container(), fixture.container()]
        let threads = (0..<4).map { number in
            Running {
                for _ in 0..<15 {
                    let store = containers[number % 2]
                    if number < 2 { try store.suspend(grace: .zero, deadline: .now + .seconds(60)) }
                    _ = try? store.write { try $0.insert(Volume(id: 1)) }
                    try store.resume()
                }
            }
        }
        for thread in threads { #expect(thread.error() == nil) }
        for store in containers { try store.resume() }
        try containers[0].write { try $0.insert(Volume(id: 2)) }
        #expect(try Self.count(containers[1]) > 0)
    }

    @Test func `another store with the number of the old file is not used after resume`() throws {
        let fixture = try Fixture(.wal)
        let store = fixture.container()
        try store.write { try $0.insert(Volume(id: 1)) }
        let other = try Fixture(.wal)
        try other.container().write { try $0.insert(Volume(id: 2)) }
        try other.container().close()
        try store.suspend()
        // The same file, with another content: as if its number had been given out again.
        let content = try Data(contentsOf: other.url)
        let file = try FileHandle(forWritingTo: fixture.url)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: content)
        try file.close()
        let error = storeError { try store.resume() }
        #expect(error?.message.contains("no longer the store") ?? false, "\(String(describing: error))")
        #expect(storeError { try Self.count(store) }?.code == .suspended)
        #expect(try Data(contentsOf: fixture.url) == content)
    }

    // MARK: Closing

    @Test(arguments: Kind.allCases)
    func `close waits for a write of another container over the same coordinator`(kind: Kind) throws {
        let fixture = try Fixture(kind)
        let (store, other) = (fixture.container(), fixture.container())
        let (began, counted) = (DispatchSemaphore(value: 0), Locked(-1))
        let running = Running {
            try other.write { context in
                began.signal()
                Thread.sleep(forTimeInterval: 0.1)
                try context.insert(Volume(id: 1))
                let count = try context.count(of: Volume.all)
                counted.withLock { $0 = count }
            }
        }
        began.wait()
        try store.close(deadline: .now + .seconds(60))
        #expect(running.error() == nil)
        #expect(counted.withLock { $0 } == 1)
        #expect(storeError { try Self.count(store) }?.code == .storeClosed)
        #expect(storeError { try Self.count(other) } != nil)
    }

    @Test(arguments: Kind.allCases)
    func `close keeps its deadline, names the obstacle, and can be called again`(kind: Kind) throws {
        let fixture = try Fixture(kind)
        let (store, other) = (fixture.container(), fixture.container())
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let running = Running {
            try other.write { context in
                began.signal()
                goOn.wait()
                try context.insert(Volume(id: 1))
            }
        }
        began.wait()
        let error = storeError { try store.close(deadline: .now + .milliseconds(30)) }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("a write of") ?? false, "\(String(describing: error))")
        goOn.signal()
        #expect(running.error() == nil)
        try store.close(deadline: .now + .seconds(60))
        try store.close()
    }

    @Test(arguments: Kind.allCases)
    func `close by a thread that uses the store by another container is an error at once`(kind: Kind) throws {
        let fixture = try Fixture(kind)
        let (store, other) = (fixture.container(), fixture.container())
        try other.write { context in
            try context.insert(contentsOf: [Volume(id: 1)])
            let error = storeError { try store.close() }
            #expect(error?.code == .wouldDeadlock)
        }
        try store.close()
    }
}
#endif
