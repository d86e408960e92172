#if STAND_INS
import Foundation
import Sworm
import Testing

@Suite("AppKit's views", .timeLimit(.minutes(30)))
@MainActor
struct AppKitViewTests {
    @Test func `follow a list in a table`() async throws {
        let store = try makeShelf()
        let table = BookTable()
        var turn = 0
        for try await list in store.lists(of: Book.all.sort(\.title)) {
            let items = list.map { "\($0.title) \($0.pages)" }
            #expect(table.apply(list, items) == items)
            turn += 1
            switch turn {
            case 1: try store.perform { _ = try $0.update(Book.all.where { $0.title == "b" }, set: (\.title, "x")) }
            case 2:
                try store.perform { context in
                    try context.delete(Book.all.where { $0.year == 1901 })
                    _ = try context.insert(Book(title: "aa"))
                    _ = try context.update(Book.all.where { $0.title == "f" }, set: (\.pages, 3))
                }
            default: return
            }
        }
    }

    @Test func `receive the changes of sections in one batch`() async throws {
        let store = try makeShelf()
        let view = BookCollection()
        var turn = 0
        for try await list in store.lists(of: Book.all.sort(\.title).sections(by: \.year)) {
            if turn == 0 {
                #expect(view.snapshotItems(list) == list.ids)
                try store.perform { context in
                    _ = try context.update(Book.all.where { $0.title == "a" }, set: (\.year, 1902))
                    try context.delete(Book.all.where { $0.year == 1901 })
                    _ = try context.update(Book.all.where { $0.title == "f" }, set: (\.year, 1910))
                }
            } else {
                let expected = [
                    "begin", "delete sections [1]", "insert sections [2]", "delete [[2, 1]]", "insert []",
                    "move [0, 0] to [1, 0]", "end", "reload [[1, 0]]",
                ]
                #expect(view.apply(list) == expected)
                return
            }
            turn += 1
        }
    }
}
#endif
