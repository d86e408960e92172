import Foundation
@testable import Sworm
import TestSupport
import Testing

// A server's history has a transaction only when all earlier writers have ended, also those of other tests.
@Suite("Bundles of changes", .over(.memory, .file))
struct ChangeBundleTests: ExchangeSteps {
    typealias Author = Exchange.Author
    typealias Book = Exchange.Book
    typealias Chapter = Exchange.Chapter
    typealias Tag = Exchange.Tag

    @Test func `carry objects, links and orders to another store`() throws {
        let (one, other) = (try Exchange.store(), try Exchange.store())
        try one.perform { context in
            let leo = try context.insert(Author(name: "Leo", rank: 1))
            let red = try context.insert(Tag(word: "red", color: 3))
            for number in [3, 1, 2] {
                let book = try context.insert(Book(number: number, title: "book \(number)", cover: Data([0, 255])))
                try leo.books.add(book)
                try book.tags.add(red)
                for part in [2, 1] {
                    try book.chapters.add(context.insert(Chapter(code: "\(number).\(part)", text: "…")))
                }
            }
        }
        try send(one, to: other)
        try expectEqual(one, other)
        try one.perform { context in
            let leo = try #require(try context.fetchOne(Author.all))
            try leo.books.move(from: 0, to: 2)
            let book = try #require(try context.fetchOne(Book.all.where { $0.number == 2 }))
            try book.tags.removeAll()
            try book.encode(\.cover, nil)
            try context.delete(Book.all.where { $0.number == 1 })
            book.sequel = try context.fetchOne(Book.all.where { $0.number == 3 })
        }
        let bundle = try #require(try one.changeBundle(after: 1))
        #expect(bundle.after == 1 && bundle.number == 2)
        let deleted = bundle.transactions.flatMap(\.changes).filter { $0.kind == .deleted }.map(\.key.entity)
        #expect(deleted.sorted() == ["Book", "Chapter", "Chapter"])
        try send(one, to: other)
        try expectEqual(one, other)
    }

    @Test func `are not sent back, and are applied once`() throws {
        let (one, other) = (try Exchange.store(), try Exchange.store())
        try one.perform { _ = try $0.insert(Book(number: 1, title: "a")) }
        let bundle = try #require(try one.changeBundle())
        #expect(try !other.apply(bundle).isRepeated)
        #expect(try other.changeBundle() == nil)
        #expect(try other.apply(bundle).isRepeated)
        #expect(try one.apply(bundle).isRepeated)
        try rename(1, "b", in: other)
        #expect(try other.apply(bundle).isRepeated)
        #expect(try title(1, in: other) == "b")
        #expect(try send(other, to: one).isEmpty)
        #expect(try title(1, in: one) == "b")
    }

    @Test func `of one origin are applied in order`() throws {
        let (one, other) = (try Exchange.store(), try Exchange.store())
        _ = try one.changeBundle()
        var bundles: [ChangeBundle] = []
        for number in 1...3 {
            try one.perform { _ = try $0.insert(Book(number: number)) }
            bundles.append(try #require(try one.changeBundle(after: Int64(number - 1))))
        }
        try other.apply(bundles[0])
        do {
            try other.apply(bundles[2])
            Issue.record("a gap was not noticed")
        } catch let error as StoreError where error.code == .bundleMissing {
            #expect(error.message.contains("number 2 is missing"))
        }
        // The sender creates it again.
        try other.apply(try #require(try one.changeBundle(after: 1)))
        try expectEqual(one, other)
        #expect(throws: StoreError.Code.bundleMissing) { try one.changeBundle(after: 9) }
    }

    @Test func `report conflicts, and the later change wins everywhere`() throws {
        let (one, other) = (try Exchange.store(), try Exchange.store())
        try one.perform { _ = try $0.insert(Book(number: 1, title: "a", rating: 1)) }
        try send(one, to: other)
        try rename(1, "one", in: one)
        _ = try one.changeBundle()
        try rename(1, "other", in: other)
        let conflict = try #require(try send(one, to: other).first)
        #expect(conflict.key == ChangeBundle.Key(entity: "Book", values: [.int(1)]) && conflict.property == "title")
        #expect(conflict.local == .attribute(.string("other")) && conflict.remote == .attribute(.string("one")))
        #expect(conflict.kept == .local)
        #expect(try send(other, to: one).map(\.kept) == [.remote])
        #expect(try title(1, in: one) == "other")
        try expectEqual(one, other)
        #expect(try send(one, to: other).isEmpty && send(other, to: one).isEmpty)
    }

    @Test func `follow a policy, whose decisions reach the other store`() throws {
        for (policy, expected) in [
            (ConflictPolicy.keepLocal, "other"), (.takeRemote, "one"),
            (ConflictPolicy { _ in .value(.string("both")) }, "both"),
        ] {
            let (one, other) = (try Exchange.store(), try Exchange.store())
            try one.perform { _ = try $0.insert(Book(number: 1, title: "a")) }
            try send(one, to: other)
            // Each order of the two changes.
            for isFirst in [true, false] {
                // Titles that the book does not have yet, because a change to the same value is none.
                let prefix = isFirst ? "first " : "second "
                try rename(1, prefix + (isFirst ? "one" : "other"), in: isFirst ? one : other)
                _ = try (isFirst ? one : other).changeBundle()
                try rename(1, prefix + (isFirst ? "other" : "one"), in: isFirst ? other : one)
                #expect(try send(one, to: other, policy: policy).count == 1)
                let decided = expected == "both" ? expected : prefix + expected
                #expect(try title(1, in: other) == decided)
                try send(other, to: one)
                #expect(try title(1, in: one) == decided)
                try expectEqual(one, other)
                #expect(try send(one, to: other).isEmpty && send(other, to: one).isEmpty)
            }
        }
    }

    @Test func `decide between a deletion and a change by their times`() throws {
        let (one, other) = (try Exchange.store(), try Exchange.store())
        try one.perform { context in
            let author = try context.insert(Author(name: "Leo"))
            for number in 1...2 {
                let book = try context.insert(Book(number: number, title: "a", rating: 5))
                book.author = author
                try book.chapters.add(context.insert(Chapter(code: "\(number)")))
            }
        }
        try send(one, to: other)
        try rename(1, "kept", in: other)
        _ = try other.changeBundle()
        try delete(1, in: one)
        try delete(2, in: one)
        _ = try one.changeBundle()
        try rename(2, "kept", in: other)
        let conflicts = try send(one, to: other)
        #expect(conflicts.map(\.remote) == [.deleted, .deleted] && conflicts.allSatisfy { $0.property == nil })
        #expect(Set(conflicts.map(\.kept)) == [.local, .remote])
        #expect(try title(1, in: other) == nil && title(2, in: other) == "kept")
        // The other store reports both as well, although it does not get the title of the deleted book.
        let answers = try send(other, to: one)
        #expect(answers.map(\.local) == [.deleted, .deleted] && answers.map(\.remote) == [.changed, .changed])
        #expect(Set(answers.map(\.kept)) == [.local, .remote])
        #expect(try send(one, to: other).isEmpty)
        #expect(try title(2, in: one) == "kept")
        try expectEqual(one, other)
    }

    @Test func `carry changed and exchanged keys as other objects`() throws {
        let (one, other) = (try Exchange.store(), try Exchange.store())
        try one.perform { context in
            for number in 1...3 {
                let book = try context.insert(Book(number: number, title: "book \(number)"))
                book.author = try context.insert(Author(name: "author \(number)"))
            }
        }
        try send(one, to: other)
        try one.perform { context in
            let books = try context.fetch(Book.all.sort(\.number))
            try books[0].encode(\.number, 2)
            try books[1].encode(\.number, 1)
            try books[2].encode(\.number, 9)
            try context.fetchOne(Author.all.where { $0.name == "author 3" })?.encode(\.name, "author 9")
        }
        #expect(try send(one, to: other).isEmpty)
        #expect(try title(1, in: other) == "book 2" && title(9, in: other) == "book 3" && title(3, in: other) == nil)
        try expectEqual(one, other)
    }

    @Test func `show an object when its required object arrives`() throws {
        let (one, other, third) = (try Exchange.store(), try Exchange.store(), try Exchange.store())
        try one.perform { _ = try $0.insert(Book(number: 1, title: "a")) }
        try send(one, to: other)
        try other.perform { context in
            let book = try #require(try context.fetchOne(Book.all))
            try book.chapters.add(context.insert(Chapter(code: "1.1", text: "…")))
        }
        try send(other, to: third)
        #expect(try Exchange.content(of: third).isEmpty)
        try send(one, to: third)
        try expectEqual(other, third)
        // A deleted book hides the chapters that its deletion did not know.
        try delete(1, in: one)
        try send(one, to: third)
        #expect(try Exchange.content(of: third).isEmpty)
    }

    @Test func `bring a new store up to date with a snapshot`() throws {
        let (one, other, new) = (try Exchange.store(), try Exchange.store(), try Exchange.store())
        try one.perform { _ = try $0.insert(Book(number: 1, title: "a", rating: 2)) }
        try send(one, to: other)
        try other.perform { context in
            let book = try #require(try context.fetchOne(Book.all))
            try book.encode(\.title, "b")
            book.author = try context.insert(Author(name: "Leo"))
            _ = try context.insert(Book(number: 2))
        }
        try delete(2, in: other)
        try new.apply(try other.changeSnapshot())
        try expectEqual(other, new)
        let position = try new.bundlePosition()
        #expect(position.applied[try one.bundlePosition().origin] == 1)
        // It continues with ordinary bundles.
        try rename(1, "c", in: one)
        #expect(try send(one, to: new).map(\.property) == ["title"])
        try send(other, to: one)
        try send(one, to: other)
        try send(one, to: new)
        try expectEqual(one, new)
        let origin = position.origin
        try new.resetChangeBundles()
        #expect(try new.bundlePosition().origin != origin)
        try new.apply(try one.changeSnapshot())
        try expectEqual(one, new)
    }

    @Test func `survive the end of the history`() throws {
        let store = try Exchange.store()
        try store.perform { _ = try $0.insert(Book(number: 1, title: "a")) }
        _ = try store.changeBundle()
        try rename(1, "b", in: store)
        try store.purgeHistory(before: store.changeToken())
        let bundle = try #require(try store.changeBundle(after: 1))
        #expect(bundle.transactions.first?.changes.first?.attributes == ["title": .string("b")])
        try rename(1, "c", in: store)
        try store.perform { context in
            _ = try context.instance.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: 60)))
        }
        #expect(throws: StoreError.Code.historyTokenExpired) { try store.changeBundle(after: 2) }
    }

    @Test func `come from a sequence as changes are committed`() async throws {
        let store = try Exchange.store()
        try store.perform { _ = try $0.insert(Book(number: 1)) }
        var bundles = store.changeBundles().makeAsyncIterator()
        #expect(try await bundles.next()?.number == 1)
        try store.perform { _ = try $0.insert(Book(number: 2)) }
        let bundle = try #require(try await bundles.next())
        #expect(bundle.after == 1 && bundle.number == 2)
        #expect(bundle.transactions.flatMap(\.changes).map(\.key.values) == [[.int(2)]])
        let other = try Exchange.store()
        let outcome = try await other.apply(try #require(try await store.changeBundle()))
        #expect(!outcome.isRepeated)
        try expectEqual(store, other)
    }
}
