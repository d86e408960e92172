import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Live values at intervals", .timeLimit(.minutes(30)), .overEachStore)
struct LiveIntervalTests {
    typealias Folder = Archive.Folder

    private let interval = Duration.milliseconds(100)
    private let clock = ManualClock()

    private func setTitle(_ title: String, in store: PersistentContainer) throws {
        try store.perform { _ = try $0.update(Folder.all.where { $0.number == 0 }, set: (\.title, title)) }
    }

    private func waitForSleep(_ sleeps: inout AsyncStream<Void>.Iterator) async throws {
        try #require(await sleeps.next() != nil)
    }

    /// Collects the values of a sequence in a task.
    private func collect<Element: Sendable>(
        _ values: LiveValues<Element>
    ) -> (task: Task<Void, Never>, received: AsyncThrowingStream<Element, any Error>) {
        let (received, continuation) = AsyncThrowingStream<Element, any Error>.makeStream()
        let task = Task {
            do {
                for try await value in values { continuation.yield(value) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        return (task, received)
    }

    @Test func `come immediately at first, and then the newest one when the interval has passed`() async throws {
        let store = try Archive.store().container
        let titles = store.values(of: Folder.all.where { $0.number == 0 }.select(\.title))
        let (task, received) = collect(titles.minimumInterval(interval, clock: clock))
        defer { task.cancel() }
        var values = received.makeAsyncIterator()
        var sleeps = clock.sleeps.makeAsyncIterator()
        #expect(try await values.next() == ["folder 0"])
        for turn in 1...3 {
            try await waitForSleep(&sleeps)
            for title in ["a", "b", "c"] { try setTitle("\(title) \(turn)", in: store) }
            clock.advance(by: interval - .nanoseconds(1))
            try setTitle("d \(turn)", in: store)
            clock.advance(by: .nanoseconds(1))
            #expect(try await values.next() == ["d \(turn)"])
        }
    }

    @Test func `are not held back after a longer time`() async throws {
        let store = try Archive.store().container
        let titles = store.values(of: Folder.all.where { $0.number == 0 }.select(\.title))
        var values = titles.minimumInterval(interval, clock: clock).makeAsyncIterator()
        #expect(try await values.next() == ["folder 0"])
        for title in ["a", "b"] {
            clock.advance(by: interval)
            try setTitle(title, in: store)
            #expect(try await values.next() == [title])
        }
        var unlimited = titles.minimumInterval(.zero, clock: clock).makeAsyncIterator()
        #expect(try await unlimited.next() == ["b"])
        try setTitle("c", in: store)
        #expect(try await unlimited.next() == ["c"])
    }

    @Test func `have the differences from the list that was received before`() async throws {
        let store = try Archive.store().container
        let lists = store.lists(of: Folder.all.where { $0.rank == 3 }.sort(\.number))
        let (task, received) = collect(lists.minimumInterval(interval, clock: clock))
        defer { task.cancel() }
        var values = received.makeAsyncIterator()
        var sleeps = clock.sleeps.makeAsyncIterator()
        #expect(try await values.next()?.changes.inserted.count == 4)
        try await waitForSleep(&sleeps)
        try store.perform { try $0.delete(Folder.all.where { $0.number == 3 }) }
        try store.perform { _ = try $0.insert(Folder(number: 100, rank: 3)) }
        try store.perform { _ = try $0.update(Folder.all.where { $0.number == 10 }, set: (\.title, "new")) }
        clock.advance(by: interval)
        #expect(
            try await values.next()?.changes == ListChanges(removed: [0], inserted: [3], updated: [0]))
    }

    @Test func `end when their task is cancelled, also while one is held back`() async throws {
        let store = try Archive.store().container
        let (task, received) = collect(store.count(of: Folder.all).minimumInterval(interval, clock: clock))
        var values = received.makeAsyncIterator()
        var sleeps = clock.sleeps.makeAsyncIterator()
        #expect(try await values.next() == 30)
        try await waitForSleep(&sleeps)
        try store.perform { _ = try $0.insert(Folder(number: 100)) }
        task.cancel()
        #expect(try await values.next() == nil)
        await task.value
        store.live.queue.sync {}
        #expect(store.live.isIdle)
    }

    @Test func `end with an error of the store`() async throws {
        let test = try Archive.store()
        let (task, received) = collect(test.container.count(of: Folder.all).minimumInterval(interval, clock: clock))
        defer { task.cancel() }
        var values = received.makeAsyncIterator()
        var sleeps = clock.sleeps.makeAsyncIterator()
        #expect(try await values.next() == 30)
        try await waitForSleep(&sleeps)
        try test.container.close()
        clock.advance(by: interval)
        await #expect(throws: StoreError.self) { _ = try await values.next() }
    }

    @Test func `pass without a clock of the caller`() async throws {
        let store = try Archive.store().container
        var values = store.count(of: Folder.all).minimumInterval(.milliseconds(1)).makeAsyncIterator()
        #expect(try await values.next() == 30)
        try store.perform { _ = try $0.insert(Folder(number: 100)) }
        #expect(try await values.next() == 31)
    }
}
