import Foundation
import Sworm
import TestSupport
import Testing

// A server's history has a transaction only when all earlier writers have ended, also those of other tests.
@Suite("Bundles with objects that come back after a deletion", .over(.memory, .file))
struct ChangeBundleRevivalTests: ExchangeSteps {
    typealias Author = Exchange.Author
    typealias Book = Exchange.Book
    typealias Tag = Exchange.Tag

    private func edit(
        _ number: Int, in store: PersistentContainer, _ body: (ManagedObject<Book>, ManagedObjectContext) throws -> Void
    ) throws {
        try store.perform { context in
            try body(try #require(try context.fetchOne(Book.all.where { $0.number == number })), context)
        }
    }

    @Test func `contain what any store has written, for the store that has lost it`() throws {
        let (one, two, three) = (try Exchange.store(), try Exchange.store(), try Exchange.store())
        try one.perform { _ = try $0.insert(Book(number: 1, title: "a", rating: 1)) }
        try send(one, to: two)
        try send(one, to: three)
        // The first store knows the rating of the third one, and the second store does not.
        try edit(1, in: three) { book, _ in try book.encode(\.rating, 3) }
        try send(three, to: one)
        try delete(1, in: one)
        _ = try one.changeBundle()
        try rename(1, "kept", in: two)
        // The third store deletes the book, so that its rating is gone there, too.
        try send(one, to: three)
        #expect(try title(1, in: three) == nil)
        #expect(try send(one, to: two).map(\.kept) == [.local])
        let bundle = try #require(try two.changeBundle())
        #expect(Array(bundle.restored.keys) == [ChangeBundle.Key(entity: "Book", values: [.int(1)])])
        #expect(Set(bundle.transactions.map(\.origin)).count == 2)
        for store in [one, three] {
            #expect(try send(two, to: store).map(\.remote) == [.changed])
            #expect(try title(1, in: store) == "kept")
        }
        // Nobody has the rating of the third store any more.
        for (sender, receiver) in [(three, two), (three, one), (one, two), (one, three), (two, one), (two, three)] {
            #expect(try send(sender, to: receiver).isEmpty)
        }
        try expectEqual(one, two)
        try expectEqual(one, three)
        #expect(try one.read { try $0.fetchOne(Book.all)?.decode(\.rating) } == 1)
        // An edit of restored values is no conflict with them.
        try rename(1, "later", in: three)
        for store in [one, two] { #expect(try send(three, to: store).isEmpty) }
        try expectEqual(one, two)
    }

    @Test func `have the values that came after the deletion`() throws {
        let (one, two, three) = (try Exchange.store(), try Exchange.store(), try Exchange.store())
        try one.perform { _ = try $0.insert(Book(number: 1, title: "a", rating: 1)) }
        try send(one, to: two)
        try send(one, to: three)
        try edit(1, in: three) { book, _ in try book.encode(\.rating, 3) }
        _ = try three.changeBundle()
        try delete(1, in: one)
        _ = try one.changeBundle()
        try rename(1, "kept", in: two)
        try send(one, to: two)
        try send(two, to: one)
        #expect(try one.read { try $0.fetchOne(Book.all)?.decode(\.rating) } == 1)
        // The rating is older than the deletion, but the book has outlived it.
        try send(three, to: two)
        try send(two, to: one)
        #expect(try one.read { try $0.fetchOne(Book.all)?.decode(\.rating) } == 3)
        for (sender, receiver) in [(one, three), (two, three), (three, one), (one, two)] {
            try send(sender, to: receiver)
        }
        try expectEqual(one, two)
        try expectEqual(one, three)
    }

    @Test func `do not have links that are older than the deletion`() throws {
        let (one, other) = (try Exchange.store(), try Exchange.store())
        try one.perform { context in
            let book = try context.insert(Book(number: 1, title: "a"))
            let author = try context.insert(Author(name: "Leo"))
            book.author = author
            try book.tags.add(context.insert(Tag(word: "red")))
        }
        try send(one, to: other)
        try one.perform { context in
            try context.delete(Author.all)
            try context.delete(Tag.all)
        }
        _ = try one.changeBundle()
        try other.perform { context in
            try context.fetchOne(Author.all)?.encode(\.rank, 7)
            try context.fetchOne(Tag.all)?.encode(\.color, 7)
        }
        try send(one, to: other)
        try send(other, to: one)
        try expectEqual(one, other)
        let content = try Exchange.content(of: one)
        #expect(content.contains { $0.contains("rank: 7") && $0.contains("books []") })
        #expect(content.contains { $0.hasPrefix("1 a") && $0.contains("tags []") && $0.contains("[\"-\", ") })
        // A link that is made again is shown everywhere.
        try edit(1, in: other) { book, context in
            book.author = try context.fetchOne(Author.all)
            try book.tags.add(#require(try context.fetchOne(Tag.all)))
        }
        #expect(try send(other, to: one).isEmpty)
        try expectEqual(one, other)
        #expect(try Exchange.content(of: one).contains { $0.contains("tags [\"red\"]") })
    }

    @Test func `can be inserted again with the same key, as new objects`() throws {
        let (one, other) = (try Exchange.store(), try Exchange.store())
        try one.perform { context in
            let book = try context.insert(Book(number: 1, title: "old", rating: 1))
            try book.tags.add(context.insert(Tag(word: "red")))
        }
        try send(one, to: other)
        try delete(1, in: one)
        try one.perform { _ = try $0.insert(Book(number: 1, title: "new")) }
        #expect(try send(one, to: other).isEmpty)
        try expectEqual(one, other)
        #expect(try title(1, in: other) == "new")
        // In one transaction, while the other store changes the object.
        try rename(1, "changed", in: other)
        _ = try other.changeBundle()
        try one.perform { context in
            try context.delete(Book.all)
            _ = try context.insert(Book(number: 1, title: "newest"))
        }
        #expect(try send(one, to: other).map(\.property) == ["title"])
        #expect(try send(other, to: one).map(\.property) == ["title"])
        try expectEqual(one, other)
        #expect(try title(1, in: other) == "newest")
    }
}
