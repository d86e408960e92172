import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Filtering without a request", .overEachStore)
struct FilteringTests {
    private static let books: [Book] = [
        Book(title: "War and Peace", year: 1869, rating: 5, status: .printed, price: 12.5),
        Book(title: "Anna Karenina", year: 1878, rating: nil, subtitle: "a novel", price: 10),
        Book(title: "été", year: 1900, rating: 3, address: Address(city: "Rouen"), weight: 0.5),
        Book(title: "", year: -5, rating: nil),
    ]

    /// Conditions over attributes; each is asked of values, of objects in memory and of the store.
    private static let conditions: [Condition<Book>] = [
        \.year > 1869, \.year >= 1869 && \.rating != nil, !(\.rating == 5), \.rating == nil, \.rating != 3,
        \.status == .printed, "title CONTAINS[cd] 'ETE'", "title LIKE '*a*'", "title MATCHES '[A-Z].*'", "title == ''",
        "year * 2 + 1 BETWEEN {3000, 3800}", "title.length > 5", "price IN {10, 12.5}", "subtitle ENDSWITH 'novel'",
        "TERNARY(rating == nil, year, rating) > 4", "NOT (subtitle == 'x')", "weight == 0.5 OR FALSEPREDICATE",
        Condition(format: "status == %@ AND title < %@", "draft", "B"),
    ]

    @Test(arguments: conditions)
    func `values, objects and rows that fulfil a condition are the same`(condition: Condition<Book>) throws {
        let store = try PersistentContainer(for: Book.self, at: .tested)
        let values = try Self.books.filtered(by: condition).map(\.title)
        try store.perform { context in
            let objects = try Self.books.map { try context.insert($0) }
            let filtered = try objects.filtered(by: condition)
            #expect(try filtered.map { try $0.decode(\.title) } == values)
            for (object, book) in zip(objects, Self.books) {
                #expect(try condition.matches(object) == condition.matches(book))
            }
        }
        let rows = try store.perform { try $0.decode(Book.all.where(condition)).map(\.title) }
        #expect(Set(rows) == Set(values) && rows.count == values.count)
    }

    @Test func `the closure form filters too`() throws {
        #expect(try Self.books.filtered { $0.year > 1800 && $0.rating != nil }.map(\.year) == [1869, 1900])
        #expect(try Set(Self.books.map(\.year)).sorted().map { Book(year: $0) }.filtered { $0.year < 0 }.count == 1)
    }

    @Test func `objects are filtered across their relations, including unsaved changes`() throws {
        let store = try PersistentContainer(for: Book.self, at: .tested)
        try store.perform { context in
            let leo = try context.insert(Author(name: "Leo", born: 1828))
            for year in [1869, 1878] { try leo.books.add(context.insert(Book(title: "\(year)", year: year))) }
            try context.insert(Book(title: "alone"))
        }
        try store.perform { context in
            let books = try context.fetch(Book.all.sort(\.title))
            #expect(try books.filtered { $0.author.name == "Leo" }.count == 2)
            #expect(try books.filtered { $0.author == nil }.map { try $0.decode(\.title) } == ["alone"])
            #expect(try books.filtered { $0.reviews.any.mark > 3 }.isEmpty)
            let review = try context.insert(Review(mark: 4))
            try books[0].reviews.add(review)
            #expect(try books.filtered { $0.reviews.any.mark > 3 }.map { try $0.decode(\.title) } == ["1869"])
            try books[1].encode(\.year, 1)
            #expect(try books.filtered { $0.author.books.any.year == 1 }.count == 2)
            let id = books[1].id
            #expect(try books.filtered { $0 == id } == [books[1]])
            try context.delete(books[1])
            #expect(throws: StoreError.self) { try books.filtered { $0.year == 1 } }
            #expect(try books[0].reviews.filtered { $0.mark == 4 } == [review])
            let authors = try context.fetch(Author.all)
            #expect(try authors.filtered { $0.books.count == 1 }.count == 1)
        }
    }

    @Test func `a relation that a plain value does not have is an error that names it`() throws {
        let relation = storeError { try Self.books.filtered { $0.author.name == "Leo" } }
        #expect(relation?.code == .invalidCondition && relation?.entity == "Book")
        #expect(relation?.message.contains("'author'") == true && relation?.message.contains("managed objects") == true)
        let unknown = storeError { try Self.books.filtered(by: "titel == 'x'") }
        #expect(unknown?.code == .invalidCondition && unknown?.message.contains("'titel'") == true)
        let text = storeError { try Self.books.filtered(by: "title ==") }
        #expect(text?.code == .invalidCondition)
        let pattern = storeError { try [Book]().filtered(by: "title MATCHES '('") }
        #expect(pattern?.code == .invalidCondition)
    }

    @Test func `objects are not filtered after their scope`() throws {
        let store = try PersistentContainer(for: Book.self, at: .tested)
        // Unsafe: a handle is taken out on purpose. The closure runs on this thread, before the next line.
        nonisolated(unsafe) var kept: [ManagedObject<Book>] = []
        try store.perform { context in kept = [try context.insert(Book())] }
        #expect(storeError { try kept.filtered(by: "year == 0") }?.code == .scopeEnded)
    }
}
