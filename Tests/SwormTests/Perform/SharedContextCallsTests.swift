import Dispatch
import Foundation
import Sworm
import Testing

#if !canImport(CoreData)
/// Calls that wait for a context, for the store and for each other.
@Suite("Waiting calls of a shared context")
struct SharedContextCallsTests {
    typealias Volume = Shelf.Volume

    private func withStore(
        _ kind: NSManagedObjectContextConcurrencyType = .privateQueueConcurrencyType,
        _ body: (_ shared: PersistentContainer, _ own: PersistentContainer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("store.sqlite")
        let own = try PersistentContainer(for: Volume.self, at: .file(url))
        let context = try sharedContext(of: Volume.self, at: url, kind)
        try await body(PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: false), own)
    }

    /// Runs a closure on a thread of its own.
    private func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test func `an asynchronous write that waits for a context keeps no turn from the call that has it`() async throws {
        try await withStore { store, _ in
            let (began, goOn) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
            async let first: Void = onThread {
                try store.perform { context in
                    try context.insert(Volume(id: 1))
                    began.continuation.finish()
                    goOn.wait()
                }
            }
            for await _ in began.stream {}
            let writes = (2...12).map { id in
                Task { try await store.write { _ = try $0.insert(Volume(id: id)) } }
            }
            try await Task.sleep(for: .milliseconds(50))
            goOn.signal()
            try await first
            for write in writes { try await write.value }
            #expect(try await store.read { try $0.count(of: Volume.all) } == 12)
        }
    }

    @Test func `the main thread writes while an asynchronous write waits for it`() async throws {
        try await withStore(.mainQueueConcurrencyType) { store, own in
            let isTaken = AsyncStream<Void>.makeStream()
            let write = Task { @MainActor in
                async let later: Void = Task.detached {
                    try await store.write { _ = try $0.insert(Volume(id: 1)) }
                }.value
                isTaken.continuation.finish()
                // It keeps the main queue until the other one waits.
                usleep(50_000)
                func synchronously() throws { try store.write { _ = try $0.insert(Volume(id: 2)) } }
                try synchronously()
                try await later
            }
            for await _ in isTaken.stream {}
            try await write.value
            #expect(try await own.read { try $0.count(of: Volume.all) } == 2)
        }
    }

    @Test func `a deadline ends the wait for a context`() async throws {
        try await withStore { store, _ in
            let goOn = await holdWriteLock(of: store)
            for access in ["perform", "read", "write"] {
                let error = await storeError {
                    try await onThread {
                        switch access {
                        case "perform": try store.perform(deadline: .now + .milliseconds(30)) { _ in }
                        case "read": try store.read(deadline: .now + .milliseconds(30)) { _ in }
                        default: try store.write(deadline: .now + .milliseconds(30)) { _ in }
                        }
                    }
                }
                #expect(error?.code == .timedOut, "\(access)")
            }
            goOn.signal()
        }
    }

    @Test func `a circle over a context and a turn is an error at once`() async throws {
        try await withStore { store, own in
            let (isReading, isWriting) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            // It has the context, and wants the turn.
            async let first = storeError {
                try await onThread {
                    try store.perform { context in
                        try context.insert(Volume(id: 1))
                        isReading.signal()
                        isWriting.wait()
                    }
                }
            }
            // It has the turn, and wants the context.
            async let second = storeError {
                try await onThread {
                    try own.write { _ in
                        isReading.wait()
                        isWriting.signal()
                        try store.perform { _ in }
                    }
                }
            }
            let codes = await [first?.code, second?.code]
            #expect(codes.filter { $0 == .wouldDeadlock }.count == 1 && codes.contains(nil), "\(codes)")
        }
    }
}
#endif
