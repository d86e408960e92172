import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Closing and suspending", .overEachStore)
struct ClosingTests {
    typealias Volume = Shelf.Volume

    private let test: TestStore
    private let url: URL
    private var store: PersistentContainer { test.container }

    init() throws {
        test = try TestStore(for: Volume.self, in: .file) { context in
            try context.insert(contentsOf: (1...50).map { Volume(id: $0, title: "volume \($0)") })
        }
        url = try #require(test.url)
    }

    /// The files of the store that this process has open.
    private var openFiles: [String] {
        let folder = "/proc/self/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return numbers.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0) }
            .filter { $0.hasPrefix(url.path) }
    }

    private func codes(_ store: PersistentContainer) async -> [StoreError.Code?] {
        [
            await storeError { _ = try await store.read { try $0.count(of: Volume.all) } }?.code,
            await storeError { _ = try await store.write { try $0.count(of: Volume.all) } }?.code,
            await storeError { _ = try await store.schedule { try $0.count(of: Volume.all) } }?.code,
            storeErrorNow { _ = try store.read { try $0.count(of: Volume.all) } }?.code,
            storeErrorNow { _ = try store.perform { try $0.count(of: Volume.all) } }?.code,
        ]
    }

    private func storeErrorNow(_ body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test func `a closed store is used no more, and its files are free`() async throws {
        #expect(try await store.read { try $0.count(of: Volume.all) } == 50)
        #expect(!openFiles.isEmpty)
        try store.close()
        #expect(openFiles.isEmpty)
        #expect(await codes(store).allSatisfy { $0 == .storeClosed })
        try store.close()
        #expect(storeErrorNow { try store.resume() }?.code == .storeClosed)
        #expect(storeErrorNow { try store.suspend() }?.code == .storeClosed)
        let reopened = try PersistentContainer(for: Volume.self, at: .file(url))
        #expect(try await reopened.read { try $0.count(of: Volume.all) } == 50)
    }

    @Test func `close waits for running calls, and for their saves`() async throws {
        let (store, began) = (test.container, AsyncStream<Void>.makeStream())
        let task = Task {
            try await store.schedule { context in
                began.continuation.finish()
                Thread.sleep(forTimeInterval: 0.05)
                try context.insert(Volume(id: 100))
            }
        }
        for await _ in began.stream {}
        try store.close()
        _ = try await task.value
        #expect(openFiles.isEmpty)
        let reopened = try PersistentContainer(for: Volume.self, at: .file(url))
        #expect(try await reopened.read { try $0.count(of: Volume.all) } == 51)
    }

    @Test func `close inside of a call is an error at once`() throws {
        try store.perform { context in
            #expect(storeErrorNow { try store.close() }?.code == .wouldDeadlock)
            #expect(storeErrorNow { try store.suspend() }?.code == .wouldDeadlock)
            try context.insert(Volume(id: 100))
        }
        #expect(try store.read { try $0.count(of: Volume.all) } == 51)
    }

    @Test func `close gives up at its deadline, and can be called again`() async throws {
        let (store, began, goOn) = (test.container, AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let task = Task {
            try await store.read { context in
                began.continuation.finish()
                goOn.wait()
                return try context.count(of: Volume.all)
            }
        }
        for await _ in began.stream {}
        #expect(storeErrorNow { try store.close(deadline: .now + .milliseconds(30)) }?.code == .timedOut)
        #expect(await codes(store).allSatisfy { $0 == .storeClosed })
        goOn.signal()
        #expect(try await task.value == 50)
        try store.close()
        #expect(openFiles.isEmpty)
    }

    @Test func `a suspended store has no open file, and can be used again after it was resumed`() async throws {
        for _ in 0..<3 {
            try await store.write { try $0.update(Volume.all, set: (\.pages, 7)) }
            try store.suspend()
            #expect(openFiles.isEmpty)
            #expect(await codes(store).allSatisfy { $0 == .suspended })
            try store.suspend()
            try store.resume()
            try store.resume()
            #expect(try await store.read { try $0.count(of: Volume.all.where { $0.pages == 7 }) } == 50)
        }
        try test.verify()
    }

    #if !canImport(CoreData)
    @Test func `calls that run too long are undone when the store is suspended`() async throws {
        let (store, goOn) = (test.container, DispatchSemaphore(value: 0))
        let bodies: [@Sendable (ManagedObjectContext) throws -> Void] = [
            { context in while true { _ = try context.count(of: Volume.all) } },
            { context in
                try context.update(Volume.all, set: (\.pages, 3))
                while true { _ = try context.count(of: Volume.all) }
            },
            { context in
                try context.insert(contentsOf: [Volume(id: 300)])
                // It holds its transaction, and does nothing with it.
                goOn.wait()
                try context.insert(Volume(id: 301))
            },
        ]
        for (index, body) in bodies.enumerated() {
            let began = AsyncStream<Void>.makeStream()
            let task = Task {
                try await store.schedule { context in
                    _ = try context.count(of: Volume.all)
                    began.continuation.finish()
                    try body(context)
                }
            }
            for await _ in began.stream {}
            try store.suspend(grace: .milliseconds(20), deadline: .now + .seconds(120))
            #expect(openFiles.isEmpty)
            if index == 2 { goOn.signal() }
            let error = await storeError { try await task.value }
            #expect(error?.code == .suspended)
            try store.resume()
            #expect(try await store.read { try $0.count(of: Volume.all.where { $0.pages == 3 }) } == 0)
            #expect(try await store.read { try $0.count(of: Volume.all) } == 50)
        }
        try test.verify()
    }
    #endif

    @Test func `no file is open at the moment at which suspend returns`() async throws {
        let (store, isDone) = (test.container, Locked(false))
        let readers = (0..<3).map { _ in
            Task {
                while !isDone.withLock({ $0 }) {
                    _ = try? await store.read { try $0.count(of: Volume.all) }
                    _ = try? await store.write { try $0.update(Volume.all, set: (\.pages, 1)) }
                    await Task.yield()
                }
            }
        }
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(3))
            try store.suspend(grace: .seconds(20))
            #expect(openFiles.isEmpty)
            try store.resume()
        }
        isDone.withLock { $0 = true }
        for reader in readers { await reader.value }
        try test.verify()
    }

    @Test(.over(.memory)) func `a store in memory keeps its content`() async throws {
        let memory = try PersistentContainer(for: Volume.self, at: .tested)
        try await memory.write { try $0.insert(Volume(id: 1)) }
        try memory.suspend()
        #expect(await codes(memory).allSatisfy { $0 == .suspended })
        try memory.resume()
        #expect(try await memory.read { try $0.count(of: Volume.all) } == 1)
        try memory.close()
        #expect(await codes(memory).allSatisfy { $0 == .storeClosed })
    }

    #if !canImport(CoreData)
    @Test func `a call that waits for another container's write does not hold up suspend`() async throws {
        let store = test.container
        let other = try PersistentContainer(for: Volume.self, at: .file(url))
        let goOn = await holdWriteLock(of: other)
        let reads = AsyncStream<Void>.makeStream()
        let task = Task {
            try await store.schedule { context in
                _ = try context.count(of: Volume.all)
                reads.continuation.finish()
                // It holds its snapshot, and waits for its turn.
                try context.update(Volume.all, set: (\.pages, 3))
            }
        }
        for await _ in reads.stream {}
        try store.suspend(grace: .milliseconds(20), deadline: .now + .seconds(60))
        let error = await storeError { try await task.value }
        #expect(error?.code == .suspended)
        goOn.signal()
        try store.resume()
        #expect(try await store.read { try $0.count(of: Volume.all.where { $0.pages == 3 }) } == 0)
    }

    @Test func `a file that was replaced while the store was suspended is not used`() async throws {
        try store.suspend()
        let copy = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
        try FileManager.default.copyItem(at: url, to: copy)
        #expect(rename(copy.path, url.path) == 0)
        #expect(storeErrorNow { try store.resume() } != nil)
        #expect(await codes(store).allSatisfy { $0 == .suspended })
    }
    #endif
}
