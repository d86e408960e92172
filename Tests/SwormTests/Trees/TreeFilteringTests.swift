import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Filtering trees in memory", .overEachStore) struct TreeFilteringTests {
    typealias Author = ReadingRoom.Author
    typealias Book = ReadingRoom.Book
    typealias BookPage = ReadingRoom.BookPage
    typealias Review = ReadingRoom.Review

    private struct Page: ManagedTreeConvertible, Equatable, Sendable {
        var id: ManagedObjectID<Book>?
        var book = Book()
        var author: Writer?
        var reviews: [Review]?
        var tags: Set<String> = []

        typealias Entity = Book
        static let attributes = Book.attributes(in: \Page.book)
        static let branches: [Branch<Page>] = [
            .id(\.id), .init(\.author, \.author, .readOnly), .init(\.reviews, \.reviews), .init(\.tags, \.tags, \.name),
        ]
    }

    private struct Writer: ManagedTreeConvertible, Equatable, Sendable {
        var author = Author()
        var country: ReadingRoom.Country?
        var best: [Book] = []

        typealias Entity = Author
        static let attributes = Author.attributes(in: \Writer.author)
        static let branches: [Branch<Writer>] = [
            .init(\.country, \.country, .linked), .init(\.best, \.books) { $0.where { $0.year > 1850 }.limit(2) },
        ]
    }

    private static func store(_ random: inout SeededRandom) throws -> TestStore {
        try ReadingRoom.store { context in
            let countries = try ["UA", "PL"].map { try context.insert(ReadingRoom.Country(code: $0)) }
            let authors = try (0..<6).map { number in
                let author = try context.insert(Author(name: "a\(number)", born: 1800 + number))
                author.country = random.pick(countries + countries.prefix(number % 2))
                if number % 3 == 0 { author.country = nil }
                return author
            }
            let tags = try ["x", "y", "z"].map { try context.insert(ReadingRoom.Tag(name: $0)) }
            for number in 0..<40 {
                let book = try context.insert(
                    Book(
                        isbn: "\(number)", title: "t\(number % 7)", year: 1840 + number,
                        rating: random.pick([nil, 1, 5]) ?? nil))
                book.author = random.chance(15) ? nil : random.pick(authors)
                for day in 0..<random.pick(4) {
                    try book.reviews.add(
                        context.insert(
                            Review(day: Date(timeIntervalSinceReferenceDate: Double(day)), mark: random.pick(6))))
                }
                for tag in tags where random.chance(40) { try book.tags.add(tag) }
            }
        }
    }

    @Test func `conditions follow branches as in a store`() throws {
        var random = SeededRandom(seed: 7)
        let test = try Self.store(&random)
        let conditions: [(EntityPath<Book, Book>) -> Condition<Book>] = [
            { $0.author.name == "a1" }, { $0.author == nil }, { !($0.author.born > 1802) },
            { $0.author.country.code == "UA" }, { $0.author.country == nil }, { $0.reviews.any.mark == 5 },
            { $0.reviews.count > 1 }, { $0.reviews.max(\.mark) > 3 },
            { $0.reviews.contains { $0.mark > 2 && $0.mark < 5 } }, { $0.tags.any.name == "x" },
            { $0.tags.count == 0 || $0.rating == 5 }, { !$0.reviews.contains { $0.mark <= 1 } },
            { $0.author.name.isIn(["a2", "a3"]) && $0.tags.any.name.isIn(["y", "z"]) },
        ]
        try test.container.read { context in
            let pages = try context.decode(Page.all)
            #expect(pages.count == 40)
            for (number, condition) in conditions.enumerated() {
                let wanted = try Set(context.decode(Book.all.where(condition)).map(\.isbn))
                #expect(try Set(pages.filtered(condition).map(\.book.isbn)) == wanted, "\(number)")
            }
            #expect(try !pages.filtered { $0.author.country.code == "UA" }.isEmpty)
        }
    }

    @Test func `what a tree does not have is an error that names it`() throws {
        let pages = [Page(book: Book(isbn: "1"), author: Writer(), reviews: nil, tags: ["x"])]
        func message(_ condition: (EntityPath<Book, Book>) -> Condition<Book>) -> String {
            let error = #expect(throws: StoreError.self) { try pages.filtered(condition) }
            #expect(error?.code == .invalidCondition)
            return error?.message ?? ""
        }
        #expect(message { $0.reviews.any.mark == 5 }.contains("Page leaves out 'reviews'"))
        #expect(message { $0.sequel.title == "x" }.contains("Page has no branch with all objects behind 'sequel'"))
        #expect(message { $0.author.books.any.year == 1900 }.contains("Writer has no branch with all objects"))
        #expect(message { $0.tags.any.color == "red" }.contains("color"))
        // The reviews of a plain book are not in it.
        #expect(throws: StoreError.Code.invalidCondition) { try [Book()].filtered { $0.reviews.any.mark == 5 } }
    }
}
