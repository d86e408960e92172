import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Relations that are read with a fetch", .overEachStore)
struct PrefetchTests {
    /// Runs a closure and checks the number of its statements, where they can be counted.
    private func statements<R>(_ count: Int, _ store: TestStore, _ body: () throws -> R) throws -> R {
        #if canImport(CoreData)
        try body()
        #else
        try expectStatements(count, in: store.container, body)
        #endif
    }

    /// What a fetch of books finds behind them.
    private func lines(_ books: [ManagedObject<Press.Book>]) throws -> [String] {
        try books.map { book in
            let publisher = try book.author?.publisher?.decode(\.name) ?? "none"
            let notes = try book.notes.map { try $0.decode(\.text) }.joined(separator: ",")
            let tags = try book.tags.map { try $0.decode(\.word) }.joined(separator: ",")
            return
                "\(try book.decode(\.title)) \(try book.author?.decode(\.name) ?? "none") \(publisher) \(notes) \(tags)"
        }
    }

    @Test func `a relation to many takes one statement for a thousand owners, and its rows none`() throws {
        let store = try Press.store(authors: 1100, booksEach: 2)
        try store.container.perform { context in
            let authors = try statements(1 + 2, store) { try context.fetch(Press.Author.all.prefetch(\.books)) }
            try statements(0, store) { () throws in
                var titles: Set<String> = []
                for author in authors { for book in author.books { titles.insert(try book.decode().title) } }
                #expect(titles.count == 2200)
            }
        }
    }

    @Test func `a relation to one takes one statement for a thousand destinations`() throws {
        let store = try Press.store(authors: 1100, booksEach: 2)
        try store.container.perform { context in
            let books = try statements(1 + 2, store) { try context.fetch(Press.Book.all.prefetch(\.author)) }
            try statements(0, store) { () throws in
                #expect(Set(try books.map { try $0.author?.decode(\.name) ?? "" }).count == 1100)
                // A second time, too, and for one author by way of each of the books.
                #expect(Set(books.compactMap { $0.author }).count == 1100)
            }
            // What few objects lead to is read once.
            let authors = try statements(1 + 1, store) { try context.fetch(Press.Author.all.prefetch(\.publisher)) }
            try statements(0, store) { () throws in
                #expect(Set(try authors.compactMap { try $0.publisher?.decode(\.name) }).count == 3)
                #expect(authors.filter { $0.publisher == nil }.count == 1)
            }
        }
    }

    @Test func `several relations, ordered, with many on both sides, and nested, take one statement each`()
        throws
    {
        let store = try Press.store(authors: 10)
        let request = Press.Book.all.sort(\.number)
        let plain = try store.container.perform { try lines($0.fetch(request)) }
        #expect(plain[5] == "book 5 author 2 publisher 2 5a,5b tag 1")
        #expect(plain[19] == "book 19 author 9 none 19a,19b tag 3")
        try store.container.perform { context in
            let books = try statements(1 + 4, store) {
                try context.fetch(request.prefetch(\.author.publisher, \.notes, \.tags).prefetch(\.author))
            }
            #expect(try statements(0, store) { try lines(books) } == plain)
        }
        try store.container.perform { context in
            let publishers = try statements(1 + 3, store) {
                try context.fetch(Press.Publisher.all.prefetch(\.authors.books.notes))
            }
            try statements(0, store) { () throws in
                let notes = publishers.flatMap { $0.authors.flatMap { $0.books.flatMap { Array($0.notes) } } }
                #expect(Set(try notes.map { try $0.decode(\.text) }).count == 2 * 18)
            }
        }
    }

    @Test func `only the destinations of the found objects are read`() throws {
        let store = try Press.store(authors: 20)
        try store.container.perform { context in
            let request = Press.Author.all.sort(\.name, ascending: false).offset(1).limit(2).prefetch(\.books)
            let authors = try statements(2, store) { try context.fetch(request) }
            #expect(try authors.map { try $0.decode(\.name) } == ["author 8", "author 7"])
            #expect(try statements(0, store) { authors.map { $0.books.count } } == [2, 2])
            let one = try statements(2, store) { try context.fetchOne(request) }
            #expect(try statements(0, store) { one?.books.count } == 2)
        }
    }

    @Test func `a fetch without results reads nothing more, and relations without a destination are not read again`()
        throws
    {
        let store = try Press.store(authors: 3, booksEach: 0)
        try store.container.perform { context in
            let none = Press.Author.all.where { $0.name == "nobody" }.prefetch(\.books.notes, \.publisher)
            #expect(try statements(1, store) { try context.fetch(none) }.isEmpty)
            let authors = try statements(2, store) { try context.fetch(Press.Author.all.prefetch(\.books.notes)) }
            #expect(try statements(0, store) { authors.map { $0.books.count } } == [0, 0, 0])
            #expect(try statements(1, store) { try context.fetch(Press.Book.all.prefetch(\.author)) }.isEmpty)
        }
    }

    @Test func `unsaved changes are merged with the rows`() throws {
        let store = try Press.store(authors: 4)
        try store.container.perform { context in
            let author = try #require(try context.fetchOne(Press.Author.all.where { $0.name == "author 1" }))
            let gone = try #require(try context.fetchOne(Press.Book.all.where { $0.number == 2 }))
            let moved = try #require(try context.fetchOne(Press.Book.all.where { $0.number == 4 }))
            try context.delete(gone)
            moved.author = author
            try moved.encode(\.title, "moved")
            try author.books.add(context.insert(Press.Book(number: 99, title: "new")))
            // Both ways: where the changes bear on the request, and where they do not.
            let authors = try context.fetch(Press.Author.all.sort(\.name).prefetch(\.books.notes))
            #expect(
                try authors.map { Set(try $0.books.map { try $0.decode(\.title) }) } == [
                    ["book 0", "book 1"], ["book 3", "moved", "new"], ["book 5"], ["book 6", "book 7"],
                ])
            let books = try context.fetch(Press.Book.all.sort(\.number).prefetch(\.author.publisher, \.notes, \.tags))
            #expect(
                try books.map { try $0.author?.decode(\.name) ?? "" } == [
                    "author 0", "author 0", "author 1", "author 1", "author 2", "author 3", "author 3", "author 1",
                ])
            #expect(books.map { $0.notes.count } == [2, 2, 2, 2, 2, 2, 2, 0])
            #expect(books.map { $0.tags.count } == [1, 1, 1, 1, 1, 1, 1, 0])
        }
    }

    @Test func `prefetched rows serve objects too, once there are unsaved changes`() throws {
        let store = try Press.store(authors: 30)
        try store.container.perform { context in
            let authors = try context.fetch(Press.Author.all.sort(\.name).prefetch(\.books, \.publisher))
            let books = try context.fetch(Press.Book.all.prefetch(\.author.publisher))
            try context.insert(Press.Tag(word: "new"))
            try statements(0, store) { () throws in
                #expect(authors.allSatisfy { $0.books.count == 2 })
                #expect(try authors.compactMap { try $0.publisher?.decode(\.name) }.count == 29)
                #expect(try books.compactMap { try $0.author?.publisher?.decode(\.name) }.count == 58)
            }
        }
    }

    @Test func `a request on which unsaved changes bear reads relations in batches, too`() throws {
        let store = try Press.store(authors: 1100, booksEach: 1)
        try store.container.perform { context in
            let new = try context.insert(Press.Author(name: "new"))
            try new.books.add(context.insert(Press.Book(number: -1, title: "new")))
            let authors = try statements(1 + 2 + 2 + 1, store) {
                try context.fetch(Press.Author.all.prefetch(\.books.notes, \.publisher))
            }
            try statements(0, store) { () throws in
                #expect(authors.count == 1101 && authors.allSatisfy { $0.books.count == 1 })
                #expect(try authors.flatMap { try $0.books.map { try $0.notes.decode().count } }.reduce(0, +) == 2200)
                #expect(try authors.compactMap { try $0.publisher?.decode(\.name) }.count == 1099)
            }
        }
    }

    @Test func `rows that statements of the same perform have changed are read again`() throws {
        let store = try Press.store(authors: 3)
        try store.container.perform { context in
            let authors = try context.fetch(Press.Author.all.sort(\.name).prefetch(\.books, \.publisher))
            _ = try context.update(Press.Book.all.where { $0.number == 1 }, set: (\.title, "changed"))
            _ = try context.batchDelete(Press.Book.all.where { $0.number == 2 })
            _ = try context.update(Press.Publisher.all, set: (\.name, "changed"))
            #expect(
                try authors.map { Set(try $0.books.map { try $0.decode(\.title) }) } == [
                    ["book 0", "changed"], ["book 3"], ["book 4", "book 5"],
                ])
            #expect(try authors.map { try $0.publisher?.decode(\.name) } == ["changed", "changed", nil])
        }
    }

    @Test func `changes through prefetched relations are saved`() throws {
        let store = try Press.store(authors: 4)
        try store.container.perform { context in
            let authors = try context.fetch(Press.Author.all.sort(\.name).prefetch(\.books, \.publisher))
            for book in authors[0].books { try book.encode(\.title, "changed") }
            try authors[0].publisher?.encode(\.name, "changed")
            authors[1].publisher = authors[0].publisher
            try context.delete(authors[2])
        }
        try store.container.perform { context in
            #expect(
                try context.decode(Press.Book.all.sort(\.number)).map(\.title) == [
                    "changed", "changed", "book 2", "book 3", "book 6", "book 7",
                ])
            let authors = try context.fetch(Press.Author.all.sort(\.name))
            #expect(try authors.map { try $0.publisher?.decode(\.name) } == ["changed", "changed", nil])
        }
        try store.verifyIfFile()
    }

    @Test func `values, columns and counts read no relations`() throws {
        let store = try Press.store(authors: 5)
        let request = Press.Author.all.prefetch(\.books)
        try statements(4, store) {
            try store.container.perform { context in
                #expect(try context.decode(request).count == 5)
                #expect(try context.count(of: request) == 5)
                #expect(try context.fetch(request, \.name).count == 5)
                try context.forEach(request) { #expect($0.name.hasPrefix("author")) }
            }
        }
    }

    @Test func `a path that is not a relation is an error before anything is read`() throws {
        let store = try Press.store(authors: 2)
        let error = storeError { try Press.Author.all.prefetch(\.self).validate() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("Author") == true && error?.message.contains("prefetch") == true)
        #expect(throws: StoreError.self) {
            try store.container.perform { _ = try $0.fetch(Press.Author.all.prefetch(\.self)) }
        }
        // A table further on that does not fit the model.
        try store.container.perform { context in
            let wrong = try statements(0, store) { () throws in
                storeError { try context.fetch(Stray.all.prefetch(\.books.reviews)) }
            }
            #expect(wrong?.code == .unknownName && wrong?.entity == "Book" && wrong?.attribute == "nots")
            #expect(wrong?.message.contains("Did you mean 'notes'?") == true)
        }
    }
}

/// A table of the authors that leads to books with a misspelt relation.
private struct Stray: ManagedObjectConvertible {
    var name = ""
    static let entityName = "Author"
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
    struct Relations: Sendable { let books = ToManyRelation<StrayBook>("books") }
    static let relations = Relations()
}

private struct StrayBook: ManagedObjectConvertible {
    var title = ""
    static let entityName = "Book"
    static let attributes: Set<Attribute<Self>> = [.init(\.title, "title")]
    struct Relations: Sendable { let reviews = ToManyRelation<StrayBook>("nots") }
    static let relations = Relations()
}
