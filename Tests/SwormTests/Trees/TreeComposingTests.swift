import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Trees that are composed where they are used", .overEachStore) struct TreeComposingTests {
    typealias Author = ReadingRoom.Author
    typealias Book = ReadingRoom.Book
    typealias Review = ReadingRoom.Review
    typealias Tag = ReadingRoom.Tag
    typealias Country = ReadingRoom.Country
    typealias BookPage = ReadingRoom.BookPage

    struct Page: Equatable {
        var book: Book
        var author: Author?
        var reviews: [Review]

        init(book: Book, author: Author?, reviews: [Review]) {
            (self.book, self.author, self.reviews) = (book, author, reviews)
        }
    }

    private func store() throws -> TestStore {
        try ReadingRoom.store { context in
            let country = try context.insert(Country(code: "UA"))
            for number in 0..<6 {
                let author = try context.insert(Author(name: "a\(number)", born: 1800 + number))
                if number % 2 == 0 { author.country = country }
                for place in 0..<number {
                    let book = try context.insert(
                        Book(isbn: "\(number).\(place)", title: "t\(place)", year: 1900 + place))
                    book.author = author
                    for mark in 0..<place {
                        try book.reviews.add(try context.insert(Review(mark: mark, text: "\(number).\(place).\(mark)")))
                    }
                }
            }
            try context.insert(Book(isbn: "x"))
        }
    }

    @Test(arguments: [false, true]) func `relations are read as tuples and as values of a type`(isUnsaved: Bool) throws
    {
        try store().container.perform { context in
            if isUnsaved { try context.insert(Tag(name: "unsaved")) }
            let rows: [(Book, Author?, [Review])] = try context.decode(Book.all.sort(\.isbn).with(\.author, \.reviews))
            let pages = try context.decode(Book.all.sort(\.isbn).with(\.author, \.reviews, as: Page.init))
            #expect(rows.count == 16)
            #expect(rows.map(\.0.isbn) == (try context.decode(Book.all.sort(\.isbn))).map(\.isbn))
            #expect(rows.map(\.1?.name) == rows.map { $0.0.isbn == "x" ? nil : "a\($0.0.isbn.prefix(1))" })
            #expect(rows.last?.1 == nil)
            #expect(
                rows.map { row in row.2.map(\.text) } == rows.map { row in row.2.indices.map { "\(row.0.isbn).\($0)" } }
            )
            #expect(pages == rows.map { Page(book: $0, author: $1, reviews: $2) })
            let one = try context.decodeOne(Book.all.where { $0.isbn == "5.2" }.with(\.author))
            #expect(one?.1?.name == "a5")
        }
    }

    @Test(arguments: [false, true]) func `closures narrow, sort, limit and nest`(isUnsaved: Bool) throws {
        try store().container.perform { context in
            if isUnsaved { try context.insert(Tag(name: "unsaved")) }
            let views = try context.decode(
                Book.all.where { $0.author.name == "a5" }.sort(\.isbn).with {
                    (
                        $0.author.with { $0.country }, $0.reviews.sort(\.mark, ascending: false).limit(2),
                        $0.reviews.count, $0.author.born
                    )
                })
            #expect(views.map(\.1?.0.name) == Array(repeating: "a5", count: 5))
            #expect(views.allSatisfy { $0.1?.1 == nil })
            #expect(views.map { $0.2.map(\.mark) } == [[], [0], [1, 0], [2, 1], [3, 2]])
            #expect(views.map(\.3) == [0, 1, 2, 3, 4])
            #expect(views.map(\.4) == Array(repeating: 1805, count: 5))
            let nested = try context.decode(
                Author.all.sort(\.name).with {
                    $0.books.where { $0.year > 1902 }.with { ($0.reviews.count, $0.reviews.max(\.mark)) }
                })
            #expect(nested.map { $0.1.map(\.0.isbn) } == [[], [], [], [], ["4.3"], ["5.3", "5.4"]])
            #expect(nested.last?.1.map(\.1) == [3, 4])
            #expect(nested.last?.1.map(\.2) == [2, 3])
            let counts = try context.decode(
                Author.all.sort(\.name).with {
                    ($0.books.where { $0.year > 1902 }.count, $0.books.sum(\.year), $0.country.code)
                })
            #expect(counts.map(\.1) == [0, 0, 0, 0, 1, 2])
            #expect(counts.map(\.2) == [0, 1900, 3801, 5703, 7606, 9510])
            #expect(counts.map(\.3) == ["UA", nil, "UA", nil, "UA", nil])
            let cards: [(Author, [BookPage])] = try context.decode(
                Author.all.sort(\.name).with { $0.books.where { $0.year > 1903 }.as(BookPage.self) })
            #expect(cards.last?.1.map(\.reviews.count) == [4])
            #expect(cards.last?.1.first?.author?.name == "a5")
            let pages = try context.decode(BookPage.all.sort(\.isbn).with(\.author.name))
            #expect(pages.map { $0.0.author?.name } == pages.map(\.1))
        }
    }

    #if !canImport(CoreData)
    @Test func `each relation is one statement`() throws {
        let container = try store().container
        func count(_ number: Int, _ body: (ManagedObjectContext) throws -> Void) throws {
            try expectStatements(number, in: container) { try container.perform { try body($0) } }
        }
        try count(4) { _ = try $0.decode(BookPage.all) }
        try count(3) { _ = try $0.decode(Author.all.with { $0.books.with(\.reviews) }) }
        try count(1) { _ = try $0.decode(Author.all.with(\.books.count, \.country.code)) }
        try count(6) { _ = try $0.decode(ReadingRoom.AuthorPage.all) }
        // The author, its country, two parts of the reviews.
        try count(5) { _ = try $0.decode(ReadingRoom.BookCard.all) }
        try count(4) { context in try context.forEach(BookPage.all) { _ in } }
    }
    #endif

    @Test func `invalid parts are errors before anything is read`() throws {
        let container = try store().container
        let error = storeError {
            try container.perform { try $0.decode(Book.all.with { $0.reviews.limit(-1) }) }
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == "Review: the limit -1 is negative.")
        #expect(try container.perform { try $0.decode(Book.all.limit(0).with(\.author)) }.isEmpty)
    }
}
