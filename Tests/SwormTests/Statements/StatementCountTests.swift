import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

#if !canImport(CoreData)
@Suite("Numbers of statements", .overEachStore)
struct StatementCountTests {
    private static let authors = 3000

    @Test func `naive loops over a relation to many read its members in batches`() throws {
        let store = try Kiosk.store(authors: Self.authors)
        try expectStatements(2...(1 + Self.authors / 1000), in: store.container) {
            try store.container.perform { context in
                var books = 0
                for author in try context.fetch(Kiosk.Author.all) { books += author.books.count }
                #expect(books == 2 * Self.authors)
            }
        }
    }

    // A server needs other statements.
    @Test(.over(.memory, .file)) func `a long loop reads the rest of the members with their whole table`() throws {
        let store = try Kiosk.store(authors: 6000)
        // Authors, members of the first thousand, and the books.
        try expectStatements(3, in: store.container) {
            try store.container.perform { context in
                var titles: Set<String> = []
                for author in try context.fetch(Kiosk.Author.all) {
                    let number = try author.decode(\.name).dropFirst("author ".count)
                    for book in author.books {
                        let title = try book.decode(\.title)
                        #expect(title.hasPrefix("book \(number)."))
                        titles.insert(title)
                    }
                }
                #expect(titles.count == 12_000)
            }
        }
    }

    @Test func `naive loops over the rows of members read them in batches too`() throws {
        let store = try Kiosk.store(authors: Self.authors)
        // Authors, members for each thousand of them, and rows for each thousand of their books.
        try expectStatements(2...(1 + Self.authors / 1000 + 2 * Self.authors / 1000), in: store.container) {
            try store.container.perform { context in
                var titles: Set<String> = []
                for author in try context.fetch(Kiosk.Author.all) {
                    for book in author.books { titles.insert(try book.decode(\.title)) }
                }
                #expect(titles.count == 2 * Self.authors)
            }
        }
    }

    @Test func `naive loops over a relation to one read it in batches`() throws {
        let store = try Kiosk.store(authors: Self.authors, booksEach: 1)
        try expectStatements(2...(1 + Self.authors / 1000 + 1), in: store.container) {
            try store.container.perform { context in
                var names: Set<String> = []
                for book in try context.fetch(Kiosk.Book.all) { names.insert(try book.author?.decode(\.name) ?? "") }
                #expect(names.count == Self.authors)
            }
        }
    }

    // A server needs other statements.
    @Test(.over(.memory, .file)) func `a save writes only changes`() throws {
        let store = try Kiosk.store(authors: 200)
        // Each object that has changed is written by one statement, which finds its row by the version too.
        try expectStatements(1 + 3, in: store.container) {
            try store.container.perform { context in
                let authors = try context.fetch(Kiosk.Author.all.sort(\.name))
                for author in authors { _ = try author.decode(\.name) }
                for author in authors.prefix(3) { try author.encode(\.town, "Tula") }
                // A value that is the same is no change.
                for author in authors.dropFirst(3) { try author.encode(\.name, try author.decode(\.name)) }
            }
        }
    }

    @Test func `reading saves nothing`() throws {
        let store = try Kiosk.store(authors: 10)
        try expectStatements(1, in: store.container) {
            _ = try store.container.perform { try $0.decode(Kiosk.Author.all) }
        }
    }
}
#endif
