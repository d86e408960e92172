import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Live values of closures and projections", .timeLimit(.minutes(30)), .overEachStoreThatAnnouncesOnce)
struct LiveReadingTests {
    typealias Folder = Archive.Folder
    typealias Shelf = Archive.Shelf

    private func next<Element>(_ iterator: inout LiveValues<Element>.Iterator) async throws -> Element {
        try #require(try await iterator.next())
    }

    private func reruns(_ store: PersistentContainer) -> Int {
        store.live.queue.sync {}
        return store.live.steps.withLock { $0.reruns }
    }

    @Test func `follow one object, which may come and go`() async throws {
        let store = try Archive.store().container
        let id = try store.perform { try #require(try $0.fetchOne(Folder.all.where { $0.number == 4 })) }
        var values = store.value(of: id).makeAsyncIterator()
        #expect(try await next(&values)?.title == "folder 4")
        let before = reruns(store)
        try store.perform { _ = try $0.update(Folder.all.where { $0.number == 5 }, set: (\.title, "other")) }
        try store.perform { _ = try $0.insert(Folder(number: 70)) }
        #expect(reruns(store) == before)
        try store.perform { try $0.object(with: id).encode(\.title, "new") }
        #expect(try await next(&values)?.title == "new")
        try store.perform { try $0.delete($0.object(with: id)) }
        #expect(try await next(&values) == nil)
    }

    @Test func `follow the columns of a projection, and no others`() async throws {
        let store = try Archive.store().container
        let projection = Folder.all.where { $0.rank == 3 }.sort(\.number).select(\.number, \.shelf.name)
        var values = store.values(of: projection).makeAsyncIterator()
        #expect(try await next(&values).map(\.1) == ["shelf 0", "shelf 1", "shelf 1", "shelf 2"])
        let before = reruns(store)
        try store.perform { _ = try $0.update(Folder.all, set: (\.title, "other")) }
        try store.perform { _ = try $0.update(Shelf.all, set: (\.floor, 9)) }
        #expect(reruns(store) == before)
        try store.perform { _ = try $0.update(Shelf.all.where { $0.name == "shelf 2" }, set: (\.name, "top")) }
        #expect(try await next(&values).map(\.1) == ["shelf 0", "shelf 1", "shelf 1", "top"])
    }

    @Test func `follow groups`() async throws {
        let store = try Archive.store().container
        let groups = Folder.all.grouped(by: \.shelf.name).select { ($0.key, $0.count) }
        var values = store.values(of: groups).makeAsyncIterator()
        #expect(try await next(&values).map(\.1) == [10, 10, 10])
        try store.perform { context in
            let shelf = try context.fetchOne(Shelf.all.where { $0.floor == 0 })
            try context.fetchOne(Folder.all.where { $0.number == 25 })?.shelf = shelf
        }
        #expect(try await next(&values).map(\.1) == [11, 10, 9])
        // Equal groups are not delivered: two folders change places.
        try store.perform { context in
            let (one, other) = (
                try context.fetchOne(Folder.all.where { $0.number == 1 }),
                try context.fetchOne(Folder.all.where { $0.number == 11 })
            )
            let shelf = one?.shelf
            one?.shelf = other?.shelf
            other?.shelf = shelf
        }
        try store.perform { _ = try $0.insert(Folder(number: 80)) }
        #expect(try await next(&values).map(\.1).sorted() == [1, 9, 10, 11])
    }

    @Test func `follow all requests of a closure`() async throws {
        let store = try Archive.store().container
        var values = store.values { context in
            [
                try context.count(of: Folder.all.where { $0.rank == 3 }),
                try context.decode(Shelf.all).map(\.floor).reduce(0, +),
                try context.fetch(Archive.Mark.all.where { $0.word == "red" }).reduce(0) { $0 + $1.folders.count },
                Int(try context.max(of: Folder.all, \.number) ?? 0),
            ]
        }.makeAsyncIterator()
        #expect(try await next(&values) == [4, 3, 10, 29])
        try store.perform { _ = try $0.insert(Folder(number: 90, rank: 3)) }
        #expect(try await next(&values) == [5, 3, 10, 90])
        try store.perform { _ = try $0.update(Shelf.all, set: (\.floor, 2)) }
        #expect(try await next(&values) == [5, 6, 10, 90])
        try store.perform { context in
            let mark = try #require(try context.fetchOne(Archive.Mark.all.where { $0.word == "red" }))
            try mark.folders.add(try #require(try context.fetchOne(Folder.all.where { $0.number == 90 })))
        }
        #expect(try await next(&values) == [5, 6, 11, 90])
        let before = reruns(store)
        try store.perform { _ = try $0.update(Shelf.all.where { $0.floor == 7 }, set: (\.name, "none")) }
        #expect(reruns(store) == before)
    }

    @Test func `follow a closure that reads something else each time`() async throws {
        let store = try Archive.store().container
        var values = store.values { context in
            try context.count(of: Shelf.all.where { $0.floor == 9 }) == 0
                ? try context.count(of: Folder.all) : try context.count(of: Archive.Mark.all)
        }.makeAsyncIterator()
        #expect(try await next(&values) == 30)
        try store.perform { _ = try $0.insert(Shelf(name: "high", floor: 9)) }
        #expect(try await next(&values) == 3)
        try store.perform { _ = try $0.insert(Archive.Mark(word: "white")) }
        #expect(try await next(&values) == 4)
        let before = reruns(store)
        try store.perform { _ = try $0.insert(Folder(number: 95)) }
        #expect(reruns(store) == before)
    }

    @Test func `share the rows of equal requests`() async throws {
        let store = try Archive.store().container
        let before = reruns(store)
        let request = { Folder.all.where { $0.rank == 3 }.sort(\.number) }
        var values = store.values(of: request()).makeAsyncIterator()
        var lists = store.lists(of: request()).makeAsyncIterator()
        var others = store.values(of: request().limit(2)).makeAsyncIterator()
        #expect(try await next(&values).count == 4)
        #expect(try await next(&lists).changes.inserted.count == 4)
        #expect(try await next(&others).count == 2)
        #expect(reruns(store) == before + 2)
        try store.perform { _ = try $0.insert(Folder(number: 100, rank: 3)) }
        #expect(try await next(&values).count == 5)
        #expect(try await next(&lists).changes == ListChanges(inserted: [4]))
        #expect(reruns(store) == before + 4)
        values = store.values(of: request()).makeAsyncIterator()
        #expect(try await next(&values).count == 5)
        #expect(reruns(store) == before + 4)
    }

    @Test func `end with the error of a closure`() async throws {
        struct Failure: Swift.Error {}
        let store = try Archive.store().container
        var values = store.values { context in
            if try context.count(of: Folder.all) > 30 { throw Failure() }
            return 1
        }.makeAsyncIterator()
        #expect(try await next(&values) == 1)
        try store.perform { _ = try $0.insert(Folder(number: 100)) }
        await #expect(throws: Failure.self) { _ = try await values.next() }
        store.live.queue.sync {}
        #expect(store.live.isIdle)
    }
}

extension LiveReadingTests {
    @Test func `of several closures that use handles of one type are all followed`() async throws {
        let store = try Archive.store().container
        let ids = try await store.read { context in
            try [1, 2].map { number in try #require(try context.fetchOne(Folder.all.where { $0.number == number })).id }
        }
        var one = store.values { try $0.object(with: ids[0]).decode().title }.makeAsyncIterator()
        var other = store.values { try $0.object(with: ids[1]).decode().title }.makeAsyncIterator()
        #expect(try await next(&one) == "folder 1")
        #expect(try await next(&other) == "folder 2")
        for title in ["a", "b", "c"] {
            try store.perform { _ = try $0.update(Folder.all, set: (\.title, title)) }
            #expect(try await next(&one) == title)
            #expect(try await next(&other) == title)
        }
    }

    @Test func `release the store with their last iteration`() async throws {
        weak var released: PersistentContainer?
        do {
            let store = try PersistentContainer(for: Shelf.self, at: .tested)
            released = store
            var counts = store.count(of: Folder.all).makeAsyncIterator()
            #expect(try await next(&counts) == 0)
            var rows = store.values(of: Folder.all.select(\.title)).makeAsyncIterator()
            #expect(try await next(&rows).isEmpty)
            var failing = store.values { context in
                if try context.count(of: Shelf.all) > 0 { throw StoreError(.unsupported, "not now") }
                return 1
            }.makeAsyncIterator()
            #expect(try await next(&failing) == 1)
            try store.perform { _ = try $0.insert(Shelf()) }
            await #expect(throws: StoreError.self) { _ = try await failing.next() }
        }
        for _ in 0..<200 where released != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(released == nil)
    }

    @Test func `of one closure end with its error, and those of others do not`() async throws {
        let store = try Archive.store().container
        var failing = store.values { context in
            if try context.count(of: Folder.all) > 30 { throw StoreError(.timedOut, "too late") }
            return 1
        }.makeAsyncIterator()
        var counts = store.count(of: Folder.all).makeAsyncIterator()
        #expect(try await next(&failing) == 1)
        #expect(try await next(&counts) == 30)
        try store.perform { _ = try $0.insert(Folder(number: 100)) }
        await #expect(throws: StoreError.self) { _ = try await failing.next() }
        #expect(try await next(&counts) == 31)
    }

    @Test func `are shared only if the bytes of the conditions are the same`() async throws {
        let store = try Archive.store().container
        try store.perform { _ = try $0.insert(Folder(number: 100, title: "caf\u{e9}")) }
        var composed = store.values(of: Folder.all.where { $0.title == "caf\u{e9}" }).makeAsyncIterator()
        var decomposed = store.values(of: Folder.all.where { $0.title == "cafe\u{301}" }).makeAsyncIterator()
        #expect(try await next(&composed).count == 1)
        #expect(try await next(&decomposed).isEmpty)
    }

    @Test func `of an invalid request do not disturb a valid one`() async throws {
        let store = try Archive.store().container
        do {
            var valid = store.values(of: Folder.all.limit(5)).makeAsyncIterator()
            #expect(try await next(&valid).count == 5)
            var invalid = store.values(of: Folder.all.limit(-1).limit(5)).makeAsyncIterator()
            await #expect(throws: StoreError.self) { _ = try await invalid.next() }
        }
        store.live.queue.sync {}
        #expect(store.live.isIdle)
    }

    @Test func `follow a relation without an inverse, and its destination`() async throws {
        let store = try PersistentContainer(for: OneWay.Note.self, at: .tested)
        try store.perform { context in
            let note = try context.insert(OneWay.Note(text: "a"))
            note.author = try context.insert(OneWay.Person(name: "Leo"))
        }
        var values = store.count(of: OneWay.Note.all.where { $0.author.name == "Leo" }).makeAsyncIterator()
        #expect(try await next(&values) == 1)
        try store.perform { try $0.delete(OneWay.Person.all) }
        #expect(try await next(&values) == 0)
    }
}

/// A relation that cannot be followed back.
private enum OneWay {
    struct Person: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Person>> = [.init(\.name, "name")]
    }
    struct Note: ManagedObjectConvertible {
        var text = ""
        static let attributes: Set<Attribute<Note>> = [.init(\.text, "text")]
        struct Relations: Sendable { let author = ToOneRelation<Person>("author") }
        static let relations = Relations()
    }
}
