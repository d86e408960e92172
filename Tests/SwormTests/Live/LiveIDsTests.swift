import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Live ids", .timeLimit(.minutes(30)), .overEachStoreThatAnnouncesOnce)
struct LiveIDsTests {
    typealias Folder = Archive.Folder

    /// A model that is a class, and therefore not `Sendable`.
    final class Sheet {
        var number = 0
        var text = ""
    }

    private func next<Element>(_ iterator: inout LiveValues<Element>.Iterator) async throws -> Element {
        try #require(try await iterator.next())
    }

    @Test func `follow the objects of a request and their order, and no values`() async throws {
        let store = try Archive.store().container
        let request = Folder.all.where { $0.rank == 3 }.sort(\.title)
        var ids = store.ids(of: request).makeAsyncIterator()
        let first = try await next(&ids)
        #expect(first == (try store.perform { try $0.fetch(request).map(\.id) }))
        store.live.queue.sync {}
        let before = store.live.steps.withLock { $0.reruns }
        try store.perform { _ = try $0.update(Folder.all, set: (\.rating, 4)) }
        store.live.queue.sync {}
        #expect(store.live.steps.withLock { $0.reruns } == before)
        try store.perform { _ = try $0.update(Folder.all.where { $0.number == 3 }, set: (\.title, "a")) }
        #expect(try await next(&ids) == [first[3]] + first[..<3])
        try store.perform { try $0.delete(Folder.all.where { $0.rank == 3 }) }
        #expect(try await next(&ids).isEmpty)
    }

    @Test func `follow objects whose model is a class`() async throws {
        let store = try PersistentContainer(for: Sheet.self, at: .tested)
        var ids = store.ids(of: Sheet.all.sort(\.number)).makeAsyncIterator()
        var count = store.count(of: Sheet.all).makeAsyncIterator()
        #expect(try await next(&ids).isEmpty)
        #expect(try await next(&count) == 0)
        let id = try store.perform { try $0.insert(Sheet()) }
        #expect(try await next(&ids) == [id])
        #expect(try await next(&count) == 1)
    }

    @Test func `throw the error of the request`() async throws {
        let store = try Archive.store().container
        var ids = store.ids(of: Folder.all.limit(-1)).makeAsyncIterator()
        await #expect(throws: StoreError.self) { _ = try await ids.next() }
        var none = store.ids(of: Folder.all.limit(0)).makeAsyncIterator()
        #expect(try await next(&none).isEmpty)
    }
}

extension LiveIDsTests.Sheet: ManagedObjectConvertible {
    static let attributes: Set<Attribute<LiveIDsTests.Sheet>> = [.init(\.number, "number"), .init(\.text, "text")]
}
