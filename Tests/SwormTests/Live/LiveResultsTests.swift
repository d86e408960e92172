import Foundation
import Observation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Live results", .timeLimit(.minutes(30)), .overEachStoreThatAnnouncesOnce)
@MainActor
struct LiveResultsTests {
    typealias Folder = Archive.Folder

    private let request = Folder.all.where { $0.rank == 3 }.sort(\.number)

    @Test func `have the current list, and newer ones after commits`() async throws {
        let test = try Archive.store()
        let store = test.container
        let results = LiveResults(request, in: store)
        #expect(!results.isLoaded && results.list.isEmpty && results.values.isEmpty && results.error == nil)
        await waitUntil { results.isLoaded }
        #expect(results.values.map(\.number) == [3, 10, 17, 24])
        #expect(results.list.changes.inserted == [0, 1, 2, 3])
        let id = results.list[1].id
        try store.perform { context in
            try context.object(with: id).encode(\.title, "new")
            try context.delete(Folder.all.where { $0.number == 3 })
        }
        await waitUntil { results.list.count == 3 }
        #expect(results.list.changes == ListChanges(removed: [0], updated: [0]))
        #expect(results.list[0].id == id && results.list[0].title == "new")
    }

    @Test func `belong to the actor that made them`() async throws {
        let store = try Archive.store().container
        let library = Librarian()
        await library.open(request, in: store)
        #expect(try await library.titles(atLeast: 4) == ["folder 3", "folder 10", "folder 17", "folder 24"])
        try await store.write { _ = try $0.insert(Folder(number: 100, title: "last", rank: 3)) }
        #expect(try await library.titles(atLeast: 5).last == "last")
    }

    @Test func `notify observers of what has changed, and of nothing else`() async throws {
        let store = try Archive.store().container
        let results = LiveResults(request, in: store)
        await waitUntil { results.isLoaded }
        let notified = Locked(0)
        withObservationTracking {
            _ = (results.isLoaded, results.error)
        } onChange: {
            notified.withLock { $0 += 1 }
        }
        try store.perform { try $0.delete(Folder.all.where { $0.number == 3 }) }
        await waitUntil { results.list.count == 3 }
        #expect(notified.withLock { $0 } == 0)
    }

    @Test func `are released while they wait, and end their work`() async throws {
        let store = try Archive.store().container
        var results: LiveResults<Folder>? = LiveResults(request, in: store)
        await waitUntil { results?.isLoaded ?? true }
        let released = WeakReference(results)
        results = nil
        #expect(released.object == nil)
        try await store.waitUntilIdle()
        // Not even the first list keeps them alive.
        results = LiveResults(request, in: store)
        let early = WeakReference(results)
        results = nil
        #expect(early.object == nil)
        try await store.waitUntilIdle()
    }

    @Test func `keep neither their actor nor, when released, their container alive`() async throws {
        weak var released: Librarian?
        weak var closed: PersistentContainer?
        try await {
            let store = try Archive.store().container
            let library = Librarian()
            await library.open(request, in: store)
            _ = try await library.titles(atLeast: 4)
            (released, closed) = (library, store)
        }()
        try await poll { released == nil && closed == nil }
    }

    @Test func `follow another request, with the differences from the shown list`() async throws {
        let store = try Archive.store().container
        let results = LiveResults(request, in: store)
        await waitUntil { results.isLoaded }
        let first = results.list
        results.request = Folder.all.where { $0.rank == 3 && $0.number > 5 || $0.number == 0 }.sort(\.number)
        #expect(results.list.ids == first.ids)
        await waitUntil { results.list.ids != first.ids }
        #expect(results.values.map(\.number) == [0, 10, 17, 24])
        #expect(results.list.changes == ListChanges(removed: [0], inserted: [0]))
        // A replaced request delivers nothing any more.
        for number in 0..<20 { results.request = Folder.all.where { $0.number == number } }
        await waitUntil { results.values.map(\.number) == [19] }
    }

    @Test func `are not read again for an equal request`() {
        func request(_ title: String) -> Request<Folder> { Folder.all.where { $0.title == title }.sort(\.rank) }
        #expect(request("a").isSame(as: request("a")))
        #expect(!request("a").isSame(as: request("b")))
        #expect(!request("a").isSame(as: request("a").limit(1)))
        // Equal for Swift, but not for a store.
        #expect(!request("\u{e9}").isSame(as: request("e\u{301}")))
        #expect(!request("a").limit(-1).isSame(as: request("a").limit(-1)))
        #expect(request("a").sections(by: \.rank).isSame(as: request("a").sections(by: \.rank)))
        #expect(!request("a").sections(by: \.rank).isSame(as: request("a").sections(by: \.rank, ascending: false)))
        #expect(!request("a").sections(by: \.rank).isSame(as: request("a").sections(by: \.number)))
    }

    @Test func `change their list through a function`() async throws {
        let store = try Archive.store().container
        let results = LiveResults(request, in: store)
        var changes = 0
        results.changeList = { change in
            changes += 1
            change()
        }
        await waitUntil { results.isLoaded }
        try store.perform { try $0.delete(Folder.all.where { $0.number == 3 }) }
        await waitUntil { results.list.count == 3 }
        #expect(changes == 2)
    }

    @Test func `share the work of equal requests`() async throws {
        let store = try Archive.store().container
        let results = (0..<5).map { _ in LiveResults(request, in: store) }
        for results in results { await waitUntil { results.isLoaded } }
        let before = store.live.steps.withLock { $0 }
        try store.perform { try $0.delete(Folder.all.where { $0.number == 3 }) }
        for results in results { await waitUntil { results.list.count == 3 } }
        #expect(store.live.steps.withLock { $0.reruns } == before.reruns + 1)
    }
}

/// An actor with results of its own.
private actor Librarian {
    private var results: LiveResults<Archive.Folder>?

    func open(_ request: Request<Archive.Folder>, in store: PersistentContainer) {
        let results = LiveResults(request, in: store, on: self)
        results.changeList = { [weak self] change in
            self?.assertIsolated()
            change()
        }
        self.results = results
    }

    func titles(atLeast count: Int) async throws -> [String] {
        let results = try #require(results)
        await waitUntil { results.list.count >= count }
        return results.values.map(\.title)
    }
}
