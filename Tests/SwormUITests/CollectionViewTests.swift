#if STAND_INS
import Foundation
import Sworm
import Testing

@Suite("Collection and table views", .timeLimit(.minutes(30)))
@MainActor
struct CollectionViewTests {
    private let operations: [@Sendable (ManagedObjectContext) throws -> Void] = [
        { _ = try $0.insert(Book(title: "ba", year: 1901)) },
        { _ = try $0.update(Book.all.where { $0.title == "d" }, set: (\.year, 1900), (\.pages, 7)) },
        { _ = try $0.update(Book.all.where { $0.year == 1902 }, set: (\.year, 1800)) },
        { try $0.delete(Book.all.where { $0.year == 1901 }) },
        { _ = try $0.update(Book.all, set: (\.pages, 3)) },
        { _ = try $0.update(Book.all.where { $0.title == "a" }, set: (\.title, "z")) },
        { try $0.delete(Book.all) },
    ]

    private func line(_ row: LiveRow<Book>) -> String { "\(row.title) \(row.pages)" }

    @Test func `follow a list`() async throws {
        let store = try makeShelf()
        let views = BookViews(sections: 1)
        var turn = 0
        for try await list in store.lists(of: Book.all.sort(\.title)) {
            let lines = list.map { line($0) }
            #expect(views.apply(list, lines) == [lines])
            if list.isEmpty { break }
            try store.perform { try operations[turn]($0) }
            turn += 1
        }
        #expect(turn == operations.count)
    }

    @Test func `follow sections`() async throws {
        let store = try makeShelf()
        let views = BookViews(sections: 0)
        var turn = 0
        for try await list in store.lists(of: Book.all.sort(\.title).sections(by: \.year)) {
            let lines = list.sections.map { $0.map { line($0) } }
            #expect(views.apply(list, lines) == lines)
            if list.isEmpty { break }
            try store.perform { try operations[turn]($0) }
            turn += 1
        }
        #expect(turn == operations.count)
    }

    @Test func `are shown as snapshots`() async throws {
        let store = try makeShelf()
        var turn = 0
        for try await list in store.lists(of: Book.all.sort(\.title).sections(by: \.year)) {
            let snapshot = BookSnapshot(list)
            #expect(snapshot.sections == list.sections.map(\.key))
            #expect(snapshot.items == list.sections.map { $0.map(\.id) })
            #expect(snapshot.reconfigured == (turn == 0 ? [] : [list[2].id]))
            if turn == 1 { break }
            turn += 1
            try store.perform { _ = try $0.update(Book.all.where { $0.title == "c" }, set: (\.pages, 9)) }
        }
        for try await list in store.lists(of: Book.all.sort(\.title)) {
            #expect(BookSnapshot(list).sections == [0] && BookSnapshot(list).items == [list.ids])
            #expect(BookSnapshot(list, section: 7).sections == [7])
            break
        }
    }
}
#endif
