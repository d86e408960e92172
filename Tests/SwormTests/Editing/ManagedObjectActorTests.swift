import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

private actor Bureau: ManagedObjectActor {
    let executor: ObjectExecutor
    private var held: ManagedObject<Studio.Project>?
    private(set) var jobs = 0

    init(_ store: PersistentContainer) throws { executor = try ObjectExecutor(store) }

    func hold(_ id: ManagedObjectID<Studio.Project>) throws { held = try context.object(with: id) }

    func name() throws -> String? { try held?.decode(\.name) }

    func rename(_ name: String) throws { try held?.encode(\.name, name) }

    func renameAndSave(_ name: String) throws {
        try rename(name)
        try save()
    }

    /// Uses a handle before and after a suspension.
    func spend(_ id: ManagedObjectID<Studio.Project>) async throws -> Int {
        let project = try context.object(with: id)
        let before = try project.decode(\.budget)
        jobs += 1
        await Task.yield()
        jobs += 1
        return try project.decode(\.budget) - before
    }

    /// Reads a held object twice, with a commit of another context in between.
    func readTwice(_ store: PersistentContainer, _ id: ManagedObjectID<Studio.Project>) throws -> (String?, String?) {
        let before = try held?.decode(\.name)
        try store.perform { _ = try $0.object(with: id).encode(\.name, "in between") }
        return (before, try held?.decode(\.name))
    }

    func readAround(_ store: PersistentContainer, _ id: ManagedObjectID<Studio.Project>) async throws -> String? {
        _ = try held?.decode(\.name)
        try await store.schedule { _ = try $0.object(with: id).encode(\.name, "while waiting") }
        return try held?.decode(\.name)
    }

    func isIsolated() -> Bool {
        assumeIsolated { _ in true }
    }

    struct Failure: Swift.Error {}

    func failingTransaction() throws {
        try rename("unsaved")
        try transaction { context in
            _ = try context.insert(contentsOf: [Studio.Tag(number: 50), Studio.Tag(number: 51)])
            try held?.encode(\.budget, 60)
            throw Failure()
        }
    }

    func bulk() throws { _ = try context.insert(contentsOf: [Studio.Tag(number: 50)]) }

    func bulkInTransaction() throws {
        try transaction { context in
            _ = try context.insert(contentsOf: [Studio.Tag(number: 50)])
            #expect(throws: Failure.self) {
                try self.transaction { context in
                    _ = try context.insert(contentsOf: [Studio.Tag(number: 51)])
                    throw Failure()
                }
            }
        }
    }

    func counts(_ store: PersistentContainer) throws -> (Int, Int) {
        try snapshot { context in
            let before = try context.count(of: Studio.Tag.all)
            try DispatchQueue(label: "other").sync { try store.perform { _ = try $0.insert(Studio.Tag(number: 70)) } }
            #expect(storeErrorCode { try context.insert(Studio.Tag(number: 71)) } == .readOnly)
            return (before, try context.count(of: Studio.Tag.all))
        }
    }

    var tags: Int { get throws { try context.count(of: Studio.Tag.all) } }

    func leave() -> Leak { Leak(held) }
}

/// A handle that leaves its actor, past the compiler.
///
/// @unchecked: the tests show that the handle throws outside of its actor. The actor does not use it at that
/// time.
private struct Leak: @unchecked Sendable {
    let handle: ManagedObject<Studio.Project>?
    init(_ handle: ManagedObject<Studio.Project>?) { self.handle = handle }
}

@Suite("Actors with a context", .over(.file, .server))
struct ManagedObjectActorTests {
    private let test: TestStore
    private let id: ManagedObjectID<Studio.Project>
    private let errors = Locked<[String]>([])
    private let store: PersistentContainer

    init() throws {
        test = try Studio.store()
        id = try test.container.perform { try $0.insert(Studio.Project(number: 1, name: "old", budget: 5)) }
        let errors = errors
        store = try PersistentContainer(
            for: Studio.Project.self, at: test.location,
            logError: { error in errors.withLock { $0.append("\(error)") } })
    }

    @Test func `a handle works in all methods, and is updated between them only`() async throws {
        let library = try Bureau(store)
        try await library.hold(id)
        #expect(try await library.name() == "old")
        let (before, after) = try await library.readTwice(store, id)
        #expect(before == "old" && after == "old")
        #expect(try await library.name() == "in between")
        #expect(try await library.readAround(store, id) == "while waiting")
        #expect(await library.isIsolated())
    }

    @Test func `commits of another container of the file are merged`() async throws {
        let library = try Bureau(store)
        try await library.hold(id)
        #expect(try await library.name() == "old")
        try test.container.perform { _ = try $0.object(with: id).encode(\.name, "other") }
        while try await library.name() != "other" { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func `a transaction is all or nothing, and keeps the changes from before`() async throws {
        let library = try Bureau(store)
        try await library.hold(id)
        await #expect(throws: Bureau.Failure.self) { try await library.failingTransaction() }
        #expect(try await library.name() == "unsaved")
        #expect(await library.hasChanges)
        #expect(try store.perform { try $0.count(of: Studio.Tag.all) } == 0)
        #expect(
            try store.perform { try $0.object(with: id).decode() } == Studio.Project(number: 1, name: "old", budget: 5))
        await library.rollback()
        #expect(try await library.name() == "old")
        #expect(await storeError { try await library.bulk() }?.code == .unsupported)
        try await library.bulkInTransaction()
        #expect(try store.perform { try $0.count(of: Studio.Tag.all) } == 1)
        #expect(try await library.tags == 1)
    }

    @Test func `a snapshot is one state`() async throws {
        let library = try Bureau(store)
        let (before, after) = try await library.counts(store)
        #expect(before == after)
        #expect(try await library.tags == before + 1)
    }

    @Test func `unsaved changes of a released actor are reported, and its handles end`() async throws {
        var library: Bureau? = try Bureau(store)
        try await library?.hold(id)
        try await library?.rename("lost")
        let leak = try #require(await library?.leave())
        let left = leak.handle
        library = nil
        while errors.withLock({ !$0.contains { $0.contains("unsaved changes of 1 object,") } }) {
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(storeErrorCode { try left?.decode() } == .scopeEnded)
    }

    @Test(.over(.file, .server)) func `a closed or suspended container refuses the methods of an actor`() async throws {
        let library = try Bureau(store)
        try await library.hold(id)
        try store.suspend()
        #expect(await storeError { try await library.name() }?.code == .suspended)
        try store.resume()
        #expect(try await library.name() == "old")
        try store.close()
        #expect(await storeError { try await library.name() }?.code == .storeClosed)
        #expect(storeErrorCode { try Bureau(store) } == .storeClosed)
    }

    /// Row 19. A long run: SWORM_ACTOR_JOBS=1000.
    @Test func `many actors run many jobs, with handles over suspensions`() async throws {
        let usual = StoreUnderTest.current?.kind == .server ? 10 : 40
        let count = ProcessInfo.processInfo.environment["SWORM_ACTOR_JOBS"].flatMap { Int($0) } ?? usual
        let (store, id) = (store, id)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let library = try Bureau(store)
                    for _ in 0..<count where try await library.spend(id) != 0 { Issue.record("a foreign change") }
                    return await library.jobs
                }
            }
            for try await jobs in group { #expect(jobs == 2 * count) }
        }
    }

    @Test func `actors that wait for the write lock block no thread of the pool`() async throws {
        let (store, id) = (store, id)
        let (isHeld, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writer = Thread {
            try? store.write { _ in
                isHeld.signal()
                release.wait()
            }
        }
        writer.start()
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "wait").async {
                isHeld.wait()
                continuation.resume()
            }
        }
        let libraries = try (0..<50).map { _ in try Bureau(store) }
        let saves = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, library) in libraries.enumerated() {
                group.addTask {
                    try await library.hold(id)
                    try await library.saveInTurn(number)
                    saves.withLock { $0 += 1 }
                }
            }
            // Far more tasks than the pool has threads still run, while all actors wait.
            await withTaskGroup(of: Void.self) { free in
                for _ in 0..<200 { free.addTask { await Task.yield() } }
            }
            #expect(saves.withLock { $0 } == 0)
            release.signal()
            try await group.waitForAll()
        }
        #expect(try store.perform { try $0.count(of: Studio.Tag.all) } == 50)
    }

    @Test @MainActor func `the main context reads, and is updated between jobs`() async throws {
        let project = try #require(try store.main.fetchOne(Studio.Project.all))
        #expect(try project.decode(\.name) == "old")
        try store.perform { _ = try $0.object(with: id).encode(\.name, "new") }
        #expect(try project.decode(\.name) == "old")
        while try project.decode(\.name) != "new" { await Task.yield() }
        #expect(storeErrorCode { try project.encode(\.name, "x") } == .readOnly)
        #expect(storeErrorCode { try store.main.insert(Studio.Tag(number: 1)) } == .readOnly)
        try store.perform { _ = try $0.insert(Studio.Tag(number: 2)) }
        #expect(try store.main.count(of: Studio.Tag.all) == 1)
        let handle = Leak(project)
        let code = await Task.detached { storeErrorCode { try handle.handle?.decode() } }.value
        #expect(code == .wrongThread)
    }
}

extension Bureau {
    fileprivate func saveInTurn(_ number: Int) throws {
        try transaction { try $0.insert(Studio.Tag(number: number)) }
    }
}
