import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Live values", .timeLimit(.minutes(30)), .overEachStoreThatAnnouncesOnce)
struct LiveValuesTests {
    typealias Folder = Archive.Folder

    private func next<Element>(_ iterator: inout LiveValues<Element>.Iterator) async throws -> Element {
        try #require(try await iterator.next())
    }

    private func expect<Element>(
        _ code: StoreError.Code, from iterator: inout LiveValues<Element>.Iterator,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        do {
            let value = try await iterator.next()
            Issue.record("\(String(describing: value)) came instead of an error", sourceLocation: sourceLocation)
        } catch {
            #expect(code ~= error, sourceLocation: sourceLocation)
        }
    }

    @Test func `begin with the current value`() async throws {
        let store = try Archive.store().container
        for try await folders in store.values(of: Folder.all.where { $0.rank == 3 }.sort(\.number)) {
            #expect(folders.map(\.number) == [3, 10, 17, 24])
            break
        }
    }

    @Test func `show what the consumer itself has written`() async throws {
        let test = try Archive.store()
        let store = test.container
        var values = store.values(of: Folder.all.where { $0.number < 2 }.sort(\.number)).makeAsyncIterator()
        #expect(try await next(&values).map(\.title) == ["folder 0", "folder 1"])
        for turn in 0..<20 {
            try store.perform { context in
                _ = try context.update(Folder.all.where { $0.number == 1 }, set: (\.title, "turn \(turn)"))
            }
            #expect(try await next(&values).map(\.title) == ["folder 0", "turn \(turn)"])
        }
    }

    @Test func `follow every way of writing`() async throws {
        let store = try Archive.store().container
        var values = store.values(of: Folder.all.where { $0.rank > 100 }.sort(\.number)).makeAsyncIterator()
        #expect(try await next(&values).isEmpty)
        try store.perform { _ = try $0.insert(Folder(number: 100, rank: 101)) }
        #expect(try await next(&values).map(\.number) == [100])
        try store.perform { try $0.insert(contentsOf: [Folder(number: 101, rank: 101), Folder(number: 102, rank: 1)]) }
        #expect(try await next(&values).map(\.number) == [100, 101])
        try await store.write { _ = try $0.update(Folder.all.where { $0.number == 102 }, set: (\.rank, 102)) }
        #expect(try await next(&values).map(\.number) == [100, 101, 102])
        try store.perform { _ = try $0.upsert([Folder(number: 3, rank: 103)], on: \Folder.number) }
        #expect(try await next(&values).map(\.number) == [3, 100, 101, 102])
        try store.perform { try $0.fetchOne(Folder.all.where { $0.number == 3 })?.encode(\.rank, 5) }
        #expect(try await next(&values).map(\.number) == [100, 101, 102])
        try store.perform { try $0.delete(Folder.all.where { $0.number == 100 }) }
        #expect(try await next(&values).map(\.number) == [101, 102])
        try store.perform { _ = try $0.batchDelete(Folder.all.where { $0.number == 101 }) }
        #expect(try await next(&values).map(\.number) == [102])
        try store.perform { _ = try $0.batchDelete(Folder.all) }
        #expect(try await next(&values).isEmpty)
    }

    @Test func `follow conditions and orders behind relations`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.where { $0.shelf.floor == 1 && $0.marks.any.word == "red" }.sort(\.shelf.name)
        var values = store.count(of: request).makeAsyncIterator()
        #expect(try await next(&values) == 3)
        try store.perform { try $0.fetchOne(Archive.Shelf.all.where { $0.floor == 2 })?.encode(\.floor, 1) }
        #expect(try await next(&values) == 6)
        try store.perform { try $0.fetchOne(Archive.Mark.all.where { $0.word == "red" })?.encode(\.word, "pink") }
        #expect(try await next(&values) == 0)
        try store.perform { context in
            let mark = try context.insert(Archive.Mark(word: "red"))
            for folder in try context.fetch(Folder.all.where { $0.shelf.floor == 1 }.limit(2)) {
                try folder.marks.add(mark)
            }
        }
        #expect(try await next(&values) == 2)
        try store.perform { try $0.delete(Archive.Shelf.all) }
        #expect(try await next(&values) == 0)
    }

    @Test func `do not follow what they do not read`() async throws {
        let store = try Archive.store().container
        var values = store.values(of: Archive.Shelf.all.where { $0.floor < 2 }.sort(\.name)).makeAsyncIterator()
        _ = try await next(&values)
        let before = store.live.steps.withLock { $0 }
        for turn in 0..<50 {
            try store.perform { _ = try $0.insert(Folder(number: 1000 + turn)) }
            try store.perform { _ = try $0.update(Folder.all, set: (\.title, "t\(turn)")) }
        }
        store.live.queue.sync {}
        let after = store.live.steps.withLock { $0 }
        #expect(after.wakes == before.wakes && after.reads == before.reads)
    }

    @Test func `ignore rows that do not match, and read only the changed rows of a list`() async throws {
        let store = try Archive.store().container
        var values = store.values(of: Folder.all.where { $0.rank < 3 }.sort(\.number).limit(5)).makeAsyncIterator()
        _ = try await next(&values)
        let before = store.live.steps.withLock { $0 }
        try store.perform { _ = try $0.insert(Folder(number: 200, rank: 50)) }
        try store.perform { _ = try $0.update(Folder.all.where { $0.rank == 5 }, set: (\.rank, 6)) }
        store.live.queue.sync {}
        let tested = store.live.steps.withLock { $0 }
        #expect(tested.reruns == before.reruns && tested.deliveries == before.deliveries)
        #expect(tested.tests == before.tests)
        try store.perform { _ = try $0.update(Folder.all.where { $0.number == 1 }, set: (\.title, "new")) }
        let titles = try await next(&values).map(\.title)
        #expect(titles.contains("new"))
        let patched = store.live.steps.withLock { $0 }
        #expect(patched.reruns == before.reruns && patched.patches == before.patches + 1)
    }

    @Test func `ask the store about changed rows if a condition follows relations`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.where { $0.rank < 3 }.where(raw: "SELF != nil").sort(\.number)
        var values = store.values(of: request).makeAsyncIterator()
        let count = try await next(&values).count
        try store.perform { _ = try $0.insert(Folder(number: 200, rank: 50)) }
        try store.perform { _ = try $0.insert(Folder(number: 201, rank: 1)) }
        #expect(try await next(&values).count == count + 1)
    }

    @Test func `of a call that throws, or of a part of it that is undone, never come`() async throws {
        struct Failure: Swift.Error {}
        let store = try Archive.store().container
        var values = store.count(of: Folder.all).makeAsyncIterator()
        #expect(try await next(&values) == 30)
        let before = store.live.steps.withLock { $0.deliveries }
        #expect(throws: Failure.self) {
            try store.perform { context in
                try context.insert(contentsOf: [Folder(number: 300)])
                throw Failure()
            }
        }
        store.live.queue.sync {}
        #expect(store.live.steps.withLock { $0.deliveries } == before)
        try store.perform { context in
            try context.insert(contentsOf: [Folder(number: 301)])
            try? store.perform { inner in
                try inner.insert(contentsOf: [Folder(number: 302), Folder(number: 303)])
                throw Failure()
            }
        }
        #expect(try await next(&values) == 31)
    }

    @Test func `that nobody has taken are replaced by the newest one`() async throws {
        let store = try Archive.store().container
        var values = store.values(of: Folder.all.where { $0.number == 0 }).makeAsyncIterator()
        _ = try await next(&values)
        for turn in 0..<1000 {
            try store.perform { _ = try $0.update(Folder.all.where { $0.number == 0 }, set: (\.rank, turn)) }
        }
        #expect(try await next(&values).map(\.rank) == [999])
    }

    @Test func `end with their task, and leave nothing behind`() async throws {
        let store = try Archive.store().container
        let (started, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            for try await _ in store.values(of: Folder.all) { start.yield() }
            start.finish()
        }
        for await _ in started { break }
        #expect(!store.live.isIdle)
        task.cancel()
        try await task.value
        store.live.queue.sync {}
        #expect(store.live.isIdle)
        do {
            var values = store.lists(of: Folder.all).makeAsyncIterator()
            _ = try await next(&values)
        }
        store.live.queue.sync {}
        #expect(store.live.isIdle)
    }

    @Test func `of a store that is closed end with an error`() async throws {
        let test = try Archive.store()
        let store = test.container
        var values = store.values(of: Folder.all).makeAsyncIterator()
        _ = try await next(&values)
        try store.close()
        await expect(.storeClosed, from: &values)
        #expect(try await values.next() == nil)
        var others = store.values(of: Folder.all).makeAsyncIterator()
        await expect(.storeClosed, from: &others)
    }

    @Test(.over(.file, .server)) func `of a suspended store continue after it`() async throws {
        let store = try Archive.store()
        let other = try PersistentContainer(for: Archive.Shelf.self, at: store.location)
        var values = store.container.count(of: Folder.all).makeAsyncIterator()
        #expect(try await next(&values) == 30)
        try store.container.suspend()
        try other.perform { _ = try $0.insert(Folder(number: 400)) }
        store.container.live.queue.sync {}
        try store.container.resume()
        #expect(try await next(&values) == 31)
    }

    @Test func `of an invalid request throw its error`() async throws {
        let store = try Archive.store().container
        var values = store.values(of: Folder.all.limit(-1)).makeAsyncIterator()
        await expect(.invalidRequest, from: &values)
        store.live.queue.sync {}
        #expect(store.live.isIdle)
    }

    @Test func `come as lists with identities and differences`() async throws {
        let store = try Archive.store().container
        var lists = store.lists(of: Folder.all.where { $0.rank == 3 }.sort(\.title)).makeAsyncIterator()
        let first = try await next(&lists)
        #expect(first.changes.inserted == [0, 1, 2, 3])
        #expect(first.map(\.number) == [10, 17, 24, 3] && first[3].title == "folder 3")
        let id = first.ids[3]
        try store.perform { context in
            try context.object(with: id).encode(\.title, "a folder")
            try context.delete(Folder.all.where { $0.number == 17 })
        }
        let second = try await next(&lists)
        #expect(second.map(\.number) == [3, 10, 24])
        #expect(second.changes == ListChanges(removed: [1], moved: [.init(from: 3, to: 0)], updated: [0]))
        #expect(second[0].id == id)
        let applied = second.changes.applied(to: first.values) { second[$0].value }
        #expect(applied == second.values)
    }

    @Test func `can leave out equal ones`() async throws {
        let store = try Archive.store().container
        var counts = store.count(of: Folder.all.where { $0.rank == 3 }).removingDuplicates().makeAsyncIterator()
        #expect(try await next(&counts) == 4)
        try store.perform { context in
            _ = try context.update(Folder.all.where { $0.number == 3 }, set: (\.rank, 4))
            _ = try context.update(Folder.all.where { $0.number == 4 }, set: (\.rank, 3))
        }
        try store.perform { _ = try $0.insert(Folder(number: 500, rank: 3)) }
        #expect(try await next(&counts) == 5)
    }

    @Test(.over(.file, .server)) func `show commits of another container over the same file`() async throws {
        let store = try Archive.store()
        let other = try PersistentContainer(for: Archive.Shelf.self, at: store.location)
        var values = store.container.count(of: Folder.all).makeAsyncIterator()
        #expect(try await next(&values) == 30)
        try await other.write { _ = try $0.insert(Folder(number: 600)) }
        #expect(try await next(&values) == 31)
    }

    @Test(.over(.file, .server)) func `show commits of another container over a file with a history`() async throws {
        let test = try Archive.store()
        try test.container.close()
        let store = try PersistentContainer(for: Archive.Shelf.self, at: test.location, history: true)
        let other = try PersistentContainer(for: Archive.Shelf.self, at: test.location, history: true)
        var values = store.count(of: Folder.all).makeAsyncIterator()
        #expect(try await next(&values) == 30)
        for number in 1...5 {
            try await other.write { _ = try $0.insert(Folder(number: 600 + number)) }
            #expect(try await next(&values) == 30 + number)
        }
    }
}

extension ListChanges {
    init(removed: [Int] = [], inserted: [Int] = [], moved: [Move] = [], updated: [Int] = []) {
        self.init()
        (self.removed, self.inserted, self.moved, self.updated) = (removed, inserted, moved, updated)
    }
}
