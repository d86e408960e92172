import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Live results after errors", .timeLimit(.minutes(30)), .overEachStore)
@MainActor
struct LiveResultsErrorTests {
    enum Level: Int, SupportedAttributeType { case low, high }
    struct Job: Equatable, Sendable {
        var number = 0
        var level = Level.low
    }

    private let clock = ManualClock()
    private let request = Job.all.sort(\.number)

    private func makeStore(logError: (@Sendable (any Error) -> Void)? = nil) throws -> PersistentContainer {
        let store = try PersistentContainer(for: Job.self, at: .tested, logError: logError)
        try store.perform { context in for number in 0..<3 { _ = try context.insert(Job(number: number)) } }
        return store
    }

    /// Gives a job a level that its type does not have, as a program with another model would.
    private func setLevel(_ level: Int, in store: PersistentContainer) throws {
        try store.perform { context in
            try context.fetchOne(Job.all.where { $0.number == 1 })?.instance.setValue(level, forKey: "level")
        }
    }

    @Test func `keep their list, and try again after longer and longer pauses`() async throws {
        let logged = Locked(0)
        let store = try makeStore { _ in logged.withLock { $0 += 1 } }
        let results = LiveResults(request, in: store, of: MainActor.shared, clock: clock)
        await waitUntil { results.isLoaded }
        for _ in 0..<2 {
            let shown = results.list.ids
            try setLevel(9, in: store)
            for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
                await clock.waitForSleep()
                #expect(clock.remaining == [.seconds(seconds)])
                #expect(results.error != nil)
                #expect(results.list.ids == shown && results.isLoaded)
                let before = logged.withLock { $0 }
                #expect(before > 0)
                clock.advance(by: .seconds(seconds))
            }
            // The next commit ends the pause before its time.
            await clock.waitForSleep()
            try setLevel(1, in: store)
            await waitUntil { results.error == nil }
            #expect(results.list.ids == shown && results.values[1].level == .high)
            try setLevel(0, in: store)
            await waitUntil { results.values[1].level == .low }
        }
    }

    @Test func `are released during a pause`() async throws {
        let store = try makeStore()
        try setLevel(9, in: store)
        var results: LiveResults<Job>? = LiveResults(request, in: store, of: MainActor.shared, clock: clock)
        await clock.waitForSleep()
        let released = WeakReference(results)
        results = nil
        #expect(released.object == nil)
        try await store.waitUntilIdle()
        try await poll { clock.remaining.isEmpty }
    }

    @Test func `continue when a suspended container is resumed`() async throws {
        let test = try TestStore.tested(for: Job.self) { _ = try $0.insert(Job()) }
        let store = test.container
        try store.suspend()
        let results = LiveResults(request, in: store, of: MainActor.shared, clock: clock)
        await waitUntil { results.error != nil }
        #expect((results.error as? StoreError)?.code == .suspended)
        await clock.waitForSleep()
        try store.resume()
        await waitUntil { results.isLoaded }
        #expect(results.error == nil && results.values.count == 1)
    }

    @Test func `end with their container`() async throws {
        let test = try TestStore.tested(for: Job.self) { _ = try $0.insert(Job()) }
        let store = test.container
        let results = LiveResults(request, in: store, of: MainActor.shared, clock: clock)
        await waitUntil { results.isLoaded }
        try store.close()
        await waitUntil { results.error != nil }
        #expect((results.error as? StoreError)?.code == .storeClosed)
        #expect(results.values.count == 1)
        try await store.waitUntilIdle()
        #expect(clock.remaining.isEmpty)
    }

    @Test func `show the error of an invalid request until another one is set`() async throws {
        let store = try makeStore()
        let results = LiveResults(request, in: store, of: MainActor.shared, clock: clock)
        await waitUntil { results.isLoaded }
        results.request = request.limit(-1)
        await waitUntil { results.error != nil }
        #expect((results.error as? StoreError)?.code == .invalidRequest)
        #expect(results.values.count == 3)
        try await store.waitUntilIdle()
        results.request = request.limit(2)
        await waitUntil { results.values.count == 2 }
        #expect(results.error == nil)
    }
}

extension LiveResultsErrorTests.Job: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.number, "number"), .init(\.level, "level")]
}
