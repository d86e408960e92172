import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

#if !canImport(CoreData)
import SwormSQLite
#endif

/// Calls that end by a moment that is set before, and calls that are cancelled.
@Suite("Deadlines", .overEachStore)
struct DeadlineTests {
    typealias Volume = Shelf.Volume
    typealias Forms = [(
        String, (ContinuousClock.Instant, @escaping @Sendable (ManagedObjectContext) throws -> Int) async throws -> Int
    )]

    private let test: TestStore
    private var store: PersistentContainer { test.container }

    init() throws {
        test = try TestStore(for: Volume.self, in: .file) { context in
            try context.insert(contentsOf: (1...300).map { Volume(id: $0, title: "volume \($0)") })
        }
    }

    /// Every form of a call that has a deadline.
    private var forms: Forms {
        let store = self.store
        return [
            ("read", { deadline, body in try synchronously { try store.read(deadline: deadline, body) } }),
            ("write", { deadline, body in try synchronously { try store.write(deadline: deadline, body) } }),
            (
                "perform",
                { deadline, body in try synchronously { try store.perform(deadline: deadline, action: body) } }
            ),
            ("async read", { deadline, body in try await store.read(deadline: deadline, body) }),
            ("async write", { deadline, body in try await store.write(deadline: deadline, body) }),
            ("schedule", { deadline, body in try await store.schedule(deadline: deadline, action: body) }),
        ]
    }

    @Test func `a call whose deadline has passed does not begin`() async throws {
        for (name, form) in forms {
            let runs = Locked(0)
            let error = await storeError {
                try await form(.now - .seconds(1)) { _ in
                    runs.withLock { $0 += 1 }
                    return 1
                }
            }
            #expect(error?.code == .timedOut, "\(name)")
            #expect(runs.withLock { $0 } == 0, "\(name)")
        }
    }

    #if !canImport(CoreData)
    @Test func `reads that exceed the deadline are stopped, and the store remains usable`() async throws {
        for (name, form) in forms {
            let error = await storeError {
                try await form(.now + .milliseconds(60)) { context in
                    while true { _ = try context.count(of: Volume.all.where { $0.title.contains("7") }) }
                }
            }
            #expect(error?.code == .timedOut, "\(name)")
            #expect(try await form(.now + .seconds(60)) { try $0.count(of: Volume.all) } == 300, "\(name)")
        }
    }
    #endif

    @Test func `what ends after its deadline is not saved`() async throws {
        for (name, form) in forms where !name.contains("read") {
            let error = await storeError {
                try await form(.now + .milliseconds(40)) { context in
                    try context.update(Volume.all, set: (\.pages, 99))
                    try context.insert(Volume(id: 1000))
                    Thread.sleep(forTimeInterval: 0.06)
                    return 0
                }
            }
            #expect(error?.code == .timedOut, "\(name)")
            #expect(try await store.read { try $0.count(of: Volume.all.where { $0.pages == 99 }) } == 0, "\(name)")
            #expect(try await store.read { try $0.count(of: Volume.all) } == 300, "\(name)")
        }
        try test.verify()
    }

    #if !canImport(CoreData)
    @Test func `a statement without end is stopped`() async throws {
        // A trigger of somebody else's that goes through more rows than anybody can wait for.
        let url = try #require(test.url)
        let connection = try Connection(.file(path: url.path))
        try connection.execute(
            """
            CREATE TABLE foreign_log (n);
            CREATE TRIGGER endless AFTER UPDATE ON ZVOLUME BEGIN
                INSERT INTO foreign_log SELECT count(*) FROM ZVOLUME a, ZVOLUME b, ZVOLUME c, ZVOLUME d, ZVOLUME e;
            END
            """)
        for (name, form) in forms where !name.contains("read") {
            let error = await storeError {
                try await form(.now + .milliseconds(100)) { context in
                    let volume = try #require(try context.fetchOne(Volume.all.where { $0.id == 5 }))
                    try volume.encode(\.pages, 1234)
                    return 0
                }
            }
            #expect(error?.code == .timedOut, "\(name)")
        }
        #expect(try await store.read { try $0.count(of: Volume.all.where { $0.pages == 1234 }) } == 0)
    }

    @Test func `waiting for the write lock ends with the deadline`() async throws {
        let (store, url) = (self.store, try #require(test.url))
        let other = try Connection(.file(path: url.path))
        try other.begin(.immediate)
        for (name, form) in forms where !name.contains("read") {
            let error = await storeError {
                try await form(.now + .milliseconds(60)) { try $0.update(Volume.all, set: (\.pages, 1)) }
            }
            #expect(error?.code == .timedOut, "\(name)")
        }
        try other.rollback()
        // The same for another write of this process.
        let goOn = await holdWriteLock(of: store)
        for (name, form) in forms where !name.contains("read") {
            let error = await storeError {
                try await form(.now + .milliseconds(60)) { try $0.update(Volume.all, set: (\.pages, 1)) }
            }
            #expect(error?.code == .timedOut, "\(name)")
        }
        goOn.signal()
        #expect(try await store.read { try $0.count(of: Volume.all.where { $0.pages == 1 }) } == 0)
    }

    @Test func `an inner call ends by its own deadline, and the outer one continues`() throws {
        try store.perform(deadline: .now + .seconds(60)) { context in
            let error = storeError {
                try store.perform(deadline: .now + .milliseconds(30)) { inner in
                    try inner.insert(Volume(id: 2000))
                    while true { _ = try inner.count(of: Volume.all) }
                }
            }
            #expect(error?.code == .timedOut)
            try context.insert(Volume(id: 2001))
        }
        #expect(try store.read { try $0.decode(Volume.all.where { $0.id > 1999 }).map(\.id) } == [2001])
    }

    @Test func `an inner call has no more time than the outer one`() throws {
        let error = storeError {
            try store.perform(deadline: .now + .milliseconds(50)) { _ in
                try store.read(deadline: .now + .seconds(60)) { context in
                    while true { _ = try context.count(of: Volume.all) }
                }
            }
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `the deadline of another container's call stops no search`() throws {
        let inner = try PersistentContainer(for: Volume.self, at: .tested)
        // Long enough for a search to look whether it is to stop.
        let text = String(repeating: "a", count: 300_000) + "ab"
        try inner.write { try $0.insert(Volume(id: 1, title: text)) }
        let error = storeError {
            try store.read(deadline: .now + .milliseconds(20)) { _ in
                Thread.sleep(forTimeInterval: 0.03)
                let found = try inner.read { try $0.count(of: Volume.all.where { $0.title.contains("ab") }) }
                let without = try inner.read { try $0.count(of: Volume.all.where { !$0.title.contains("ab") }) }
                #expect(found == 1 && without == 0)
            }
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `a search in a long string is stopped with the same error`() async throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try await store.write { try $0.insert(Volume(id: 1, title: String(repeating: "a", count: 200_000))) }
        // Each of its steps compares a thousand characters, and the last of them differs.
        let pattern = "*" + String(repeating: "a", count: 1000) + "b"
        let isFound = Volume.all.where { $0.title.like(pattern, .search) }
        for form in 0..<3 {
            let error = storeErrorNow {
                try store.perform(deadline: .now + .milliseconds(50)) { context in
                    switch form {
                    case 0: _ = try context.count(of: isFound)
                    case 1: try context.update(isFound, set: (\.pages, 1))
                    default:
                        // Unsaved changes are searched in memory.
                        try context.fetchOne(Volume.all)?.encode(\.pages, 1)
                        _ = try context.count(of: isFound)
                    }
                }
            }
            #expect(error?.code == .timedOut, "\(form)")
        }
    }

    /// Not asynchronous, so that the synchronous forms are called.
    private func storeErrorNow(_ body: () throws -> Void) -> StoreError? { storeError(body) }

    @Test func `code that does not use the store can ask`() async throws {
        let error = storeError {
            try store.read(deadline: .now + .milliseconds(30)) { context in
                while true { try context.checkCancellation() }
            }
        }
        #expect(error?.code == .timedOut)
        let (container, began) = (store, AsyncStream<Void>.makeStream())
        let task = Task {
            try await container.read { context in
                began.continuation.finish()
                while true { try context.checkCancellation() }
            }
        }
        for await _ in began.stream {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a bulk write that waits for its turn is cancelled`() async throws {
        let store = self.store
        let goOn = await holdWriteLock(of: store)
        let reads = AsyncStream<Void>.makeStream()
        let task = Task {
            try await store.schedule { context in
                _ = try context.count(of: Volume.all)
                reads.continuation.finish()
                try context.update(Volume.all, set: (\.pages, 1))
            }
        }
        for await _ in reads.stream {}
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        goOn.signal()
    }
    #endif
}

/// Runs a closure in a function that is not asynchronous, so that the synchronous forms are chosen.
private func synchronously<R>(_ body: () throws -> R) throws -> R { try body() }

/// Lets a write of another thread hold the lock until the semaphore that is returned is signalled.
func holdWriteLock(of store: PersistentContainer) async -> DispatchSemaphore {
    let goOn = DispatchSemaphore(value: 0)
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            try? store.write { _ in
                continuation.resume()
                goOn.wait()
            }
        }
    }
    return goOn
}
