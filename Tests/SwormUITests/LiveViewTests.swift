#if STAND_INS
import Foundation
import Sworm
import SwiftUI
import SwormUI
import Testing

/// A list of books, with the state of its results.
private struct BookList: View {
    @Live(Book.all.sort(\.title)) var books

    init() {}

    init(from year: Int) { _books = Live(Book.all.where { $0.year >= year }.sort(\.title)) }

    var body: some View {
        Text($books.isLoaded ? "\(books.count) books" : "loading")
        ForEach(books) { Text($0.title) }
    }
}

private struct YearList: View {
    @SectionedLive(Book.all.sort(\.title).sections(by: \.year)) var books

    var body: some View {
        List(books.sections) { section in
            Section("\(section.key)") { ForEach(section) { Text($0.title) } }
        }
    }
}

/// A property that is declared with its type, and one of a named store.
private struct NamedList: View {
    @Live var books: LiveList<Book>

    init(_ store: PersistentContainer, animation: Animation?) {
        _books = Live(Book.all.sort(\.title), in: store, animation: animation)
    }

    var body: some View { Text(books.map(\.title).joined()) }
}

private struct FailingList: View {
    @Live var books: LiveList<Book>

    var body: some View {
        if let error = $books.error as? StoreError { return Text(error.message) }
        return Text("\(books.count)")
    }
}

private struct Parent<Content: View>: View {
    let store: PersistentContainer
    let content: Content

    var body: some View { content.persistentContainer(store) }
}

@Suite("Views of live results", .timeLimit(.minutes(30)), .serialized)
@MainActor
struct LiveViewTests {
    @Test func `show the list, and newer ones after commits`() async throws {
        let store = try makeShelf()
        let host = ViewHost(Parent(store: store, content: BookList()))
        #expect(host.lines == ["loading"])
        await host.wait { $0.count > 1 }
        #expect(host.lines == ["6 books", "a", "b", "c", "d", "e", "f"])
        try store.perform { try $0.delete(Book.all.where { $0.year == 1901 }) }
        await host.wait { $0.count == 5 }
        #expect(host.lines == ["4 books", "a", "b", "e", "f"])
        let renderings = host.renderings
        try await store.write { _ = try $0.update(Book.all.where { $0.title == "a" }, set: (\.title, "g")) }
        await host.wait { $0.last == "g" }
        #expect(host.renderings == renderings + 1)
    }

    @Test func `keep their results while they are created again, and follow another request`() async throws {
        let store = try makeShelf()
        let host = ViewHost(Parent(store: store, content: BookList(from: 1900)))
        await host.wait { $0.count == 7 }
        host.root = Parent(store: store, content: BookList(from: 1900))
        #expect(host.lines.count == 7)
        host.root = Parent(store: store, content: BookList(from: 1902))
        #expect(host.lines.count == 7)
        await host.wait { $0 == ["2 books", "e", "f"] }
        let other = try makeShelf()
        try other.perform { try $0.delete(Book.all.where { $0.title == "f" }) }
        host.root = Parent(store: other, content: BookList(from: 1902))
        await host.wait { $0 == ["1 books", "e"] }
    }

    @Test func `show sections`() async throws {
        let store = try makeShelf()
        let host = ViewHost(Parent(store: store, content: YearList()))
        await host.wait { !$0.isEmpty }
        #expect(host.lines == ["1900", "a", "b", "1901", "c", "d", "1902", "e", "f"])
        try store.perform { _ = try $0.update(Book.all.where { $0.year == 1901 }, set: (\.year, 1902)) }
        await host.wait { $0 == ["1900", "a", "b", "1902", "c", "d", "e", "f"] }
    }

    @Test func `change with an animation, and appear without one`() async throws {
        let store = try makeShelf()
        Animation.used = []
        let host = ViewHost(NamedList(store, animation: .smooth))
        await host.wait { $0 == ["abcdef"] }
        #expect(Animation.used.isEmpty)
        try store.perform { try $0.delete(Book.all.where { $0.title == "c" }) }
        await host.wait { $0 == ["abdef"] }
        #expect(Animation.used == [.smooth])
    }

    @Test func `show an error without a store`() throws {
        let host = ViewHost(FailingList())
        #expect(host.lines.first?.contains("persistentContainer(store)") == true)
    }

    @Test func `end the work with the view`() async throws {
        weak var released: PersistentContainer?
        try await {
            let store = try makeShelf()
            released = store
            let host = ViewHost(Parent(store: store, content: BookList()))
            await host.wait { $0.count > 1 }
        }()
        while released != nil { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `set the request through the projected value`() async throws {
        let store = try makeShelf()
        let view = NamedList(store, animation: nil)
        let host = ViewHost(view)
        await host.wait { $0 == ["abcdef"] }
        view.$books.request = Book.all.where { $0.year == 1900 }.sort(\.title)
        await host.wait { $0 == ["ab"] }
        // The view's own request has not changed, so that the new one remains.
        host.root = NamedList(store, animation: nil)
        #expect(host.lines == ["ab"])
    }
}
#endif
