import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Live sections", .timeLimit(.minutes(30)), .overEachStoreThatAnnouncesOnce)
struct LiveSectionsTests {
    typealias Folder = Archive.Folder
    typealias Shelf = Archive.Shelf

    private func next<Element>(_ iterator: inout LiveValues<Element>.Iterator) async throws -> Element {
        try #require(try await iterator.next())
    }

    /// The keys and the numbers of the folders of each section.
    private func content<Key>(_ list: SectionedLiveList<Folder, Key>) -> [Key: [Int]] {
        Dictionary(uniqueKeysWithValues: list.sections.map { ($0.key, $0.map(\.number)) })
    }

    @Test func `divide a list by an attribute, which sorts it first`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.sort(\.number).sections(by: \.rank)
        #expect(request.description == "Folder sorted by rank, number")
        var lists = store.lists(of: request).makeAsyncIterator()
        let list = try await next(&lists)
        #expect(list.sections.map(\.key) == Array(0..<7) && list.sections.map(\.id) == Array(0..<7))
        #expect(list.sections[3].map(\.number) == [3, 10, 17, 24])
        #expect(list.sections[3].range == 14..<18 && list[14].number == 3)
        #expect(list.sections[3][1].id == list.ids[15] && list.values[15].number == 10)
        #expect(list.changes.sections.inserted == Array(0..<7) && list.changes.sections.removed.isEmpty)
        #expect(list.changes.inserted == Array(0..<30))
    }

    @Test func `come and go with their objects`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.where { $0.number < 6 }.sort(\.number).sections(by: \.rank, ascending: false)
        var lists = store.lists(of: request).makeAsyncIterator()
        #expect(try await next(&lists).sections.map(\.key) == [5, 4, 3, 2, 1, 0])
        try store.perform { _ = try $0.update(Folder.all.where { $0.number == 3 }, set: (\.rank, 9)) }
        var list = try await next(&lists)
        #expect(list.sections.map(\.key) == [9, 5, 4, 2, 1, 0])
        #expect(list.changes.sections.inserted == [0] && list.changes.sections.removed == [2])
        #expect(list.changes.moved == [.init(from: 2, to: 0)] && list.changes.updated == [0])
        try store.perform { try $0.delete(Folder.all.where { $0.number == 3 }) }
        list = try await next(&lists)
        #expect(list.sections.map(\.key) == [5, 4, 2, 1, 0])
        #expect(list.changes.removed == [0] && list.changes.sections.removed == [0])
    }

    @Test func `are changed by an object that keeps its offset`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.where { $0.number < 4 }.sort(\.number).sections(by: \.rank)
        var lists = store.lists(of: request).makeAsyncIterator()
        #expect(try await next(&lists).sections.map(\.range) == [0..<1, 1..<2, 2..<3, 3..<4])
        try store.perform { _ = try $0.update(Folder.all.where { $0.number == 1 }, set: (\.rank, 2)) }
        let list = try await next(&lists)
        #expect(content(list) == [0: [0], 2: [1, 2], 3: [3]])
        #expect(list.changes.sections.removed == [1] && list.changes.sections.inserted.isEmpty)
        #expect(list.changes.moved == [.init(from: 1, to: 1)])
    }

    @Test func `follow the attribute of a relation, and objects without one`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.where { $0.rank == 3 }.sort(\.number).sections(by: \.shelf.name)
        var lists = store.lists(of: request).makeAsyncIterator()
        #expect(content(try await next(&lists)) == ["shelf 0": [3], "shelf 1": [10, 17], "shelf 2": [24]])
        try store.perform { _ = try $0.update(Shelf.all.where { $0.floor == 1 }, set: (\.name, "shelf 1b")) }
        var list = try await next(&lists)
        #expect(content(list) == ["shelf 0": [3], "shelf 1b": [10, 17], "shelf 2": [24]])
        #expect(list.changes.sections.removed == [1] && list.changes.sections.inserted == [1])
        #expect(list.changes.moved == [.init(from: 1, to: 1), .init(from: 2, to: 2)])
        #expect(list.changes.updated.isEmpty && list.changes.removed.isEmpty)
        try store.perform { try $0.fetchOne(Folder.all.where { $0.number == 17 })?.shelf = nil }
        list = try await next(&lists)
        #expect(list.sections.first?.key == nil)
        #expect(content(list) == [nil: [17], "shelf 0": [3], "shelf 1b": [10], "shelf 2": [24]])
    }

    @Test func `follow the count of a relation`() async throws {
        let store = try Archive.store().container
        var lists = store.lists(of: Shelf.all.sort(\.name).sections(by: \.folders.count)).makeAsyncIterator()
        #expect(try await next(&lists).sections.map(\.key) == [10])
        try store.perform { try $0.delete(Folder.all.where { $0.number == 3 }) }
        let list = try await next(&lists)
        #expect(list.sections.map(\.key) == [9, 10] && list.sections.map(\.count) == [1, 2])
    }

    @Test func `have the objects that limits select in the new order`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.sort(\.number).offset(3).limit(5).sections(by: \.rank)
        var lists = store.lists(of: request).makeAsyncIterator()
        #expect(content(try await next(&lists)) == [0: [21, 28], 1: [1, 8, 15]])
        try store.perform { try $0.delete(Folder.all.where { $0.number == 7 }) }
        #expect(content(try await next(&lists)) == [0: [28], 1: [1, 8, 15, 22]])
        var none = store.lists(of: Folder.all.limit(0).sections(by: \.rank)).makeAsyncIterator()
        #expect(try await next(&none).sections.isEmpty)
    }

    @Test func `are not read again for values that decide nothing, and are shared`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.sort(\.number).sections(by: \.rank)
        var lists = store.lists(of: request).makeAsyncIterator()
        var others = store.lists(of: request).makeAsyncIterator()
        _ = try await next(&lists)
        _ = try await next(&others)
        let before = store.live.steps.withLock { $0 }
        try store.perform { _ = try $0.update(Folder.all.where { $0.number == 3 }, set: (\.title, "new")) }
        let list = try await next(&lists)
        #expect(list.changes == ListChanges(updated: [14]) && list[14].title == "new")
        #expect(try await next(&others)[14].title == "new")
        let after = store.live.steps.withLock { $0 }
        #expect(after.reruns == before.reruns && after.patches == before.patches + 1)
    }

    @Test func `of an invalid request are an error`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.limit(-1).sections(by: \.rank)
        #expect(throws: StoreError.self) { try request.validate() }
        var lists = store.lists(of: request).makeAsyncIterator()
        await #expect(throws: StoreError.self) { _ = try await lists.next() }
    }

    @Test @MainActor func `are properties of observable results`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.where { $0.number < 6 }.sort(\.number)
        let results = SectionedLiveResults(request.sections(by: \.rank), in: store)
        #expect(!results.isLoaded && results.list.sections.isEmpty)
        await waitUntil { results.isLoaded }
        #expect(results.list.sections.map(\.key) == [0, 1, 2, 3, 4, 5] && results.values.count == 6)
        // The sections in the other order are other ones for a view.
        results.request = request.sections(by: \.rank, ascending: false)
        await waitUntil { results.list.sections.first?.key == 5 }
        #expect(results.list.changes.sections.removed.count == 5 && results.list.changes.sections.inserted.count == 5)
        try store.perform { try $0.delete(Folder.all.where { $0.rank < 3 }) }
        await waitUntil { results.list.sections.map(\.key) == [5, 4, 3] }
        results.request = request.limit(-1).sections(by: \.rank)
        await waitUntil { results.error != nil }
        #expect(results.list.sections.map(\.key) == [5, 4, 3])
        try await store.waitUntilIdle()
    }

    @Test func `are in the encoded differences only if they change`() throws {
        var changes = ListChanges(inserted: [2])
        let plain = String(decoding: try JSONEncoder().encode(changes), as: UTF8.self)
        #expect(!plain.contains("sections"))
        changes.sections.removed = [1]
        let copy = try JSONDecoder().decode(ListChanges.self, from: JSONEncoder().encode(changes))
        #expect(copy == changes && !copy.isEmpty)
        #expect(try JSONDecoder().decode(ListChanges.self, from: Data(plain.utf8)) == ListChanges(inserted: [2]))
    }
}
