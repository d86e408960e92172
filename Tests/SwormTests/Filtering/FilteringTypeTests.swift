import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Types in conditions without a request", .overEachStore)
struct FilteringTypeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let condition: Condition<Book>
        let words: [String]
        var testDescription: String { condition.description }

        init(_ condition: Condition<Book>, _ words: String...) {
            (self.condition, self.words) = (condition, words)
        }
    }

    /// Over attributes: for plain values too.
    private static let mismatches = [
        Case("year == 'x'", "year of Book", "an integer cannot be compared with the string 'x'"),
        Case("'x' == year", "year of Book", "the string 'x'"),
        Case(Condition(format: "year != %@", Date(timeIntervalSinceReferenceDate: 0)), "year of Book", "the date 2001"),
        Case("NOT (title > 5)", "title of Book", "a string cannot be compared with the number 5"),
        Case("title == year", "title of Book", "a string cannot be compared with an integer"),
        Case("id < 'x'", "id of Book", "a UUID cannot be compared with the string"),
        Case(Condition(format: "id < %@", UUID()), "id of Book", "a UUID has no order; use == or !="),
        Case("year IN {1, 'x'}", "year of Book", "the string 'x'"),
        Case("'x' IN {year, 1}", "cannot be compared"),
        Case("year BETWEEN {1, 'x'}", "year of Book", "the string 'x'"),
        Case("year CONTAINS 'x'", "year of Book", "a string is needed here, not an integer"),
        Case("title LIKE price", "price of Book", "a string is needed here"),
        Case("title * 2 > 1", "title of Book", "a number is needed here, not a string"),
        Case("-title == 1", "title of Book", "a number is needed here"),
        Case("abs(title) == 1", "title of Book", "a number is needed here"),
        Case("uppercase(title) == 1", "cannot be compared with the number 1"),
        Case("title.length == 'x'", "an integer cannot be compared with the string 'x'"),
        Case("year.length == 1", "year of Book", "cannot follow it"),
        Case("TERNARY(rating == nil, title, year) == 1", "title of Book", "an integer"),
        Case("TERNARY(rating == 'x', title, subtitle) == 'x'", "rating of Book"),
        Case("title == 'a' OR (year == 'x' AND title == 'b')", "year of Book", "the string 'x'"),
    ]

    /// Over relations: for objects.
    private static let mismatchesBehindRelations = [
        Case("author.name == 5", "author.name of Author", "a string cannot be compared with the number 5"),
        Case("author == 5", "author of Author", "an object can only be compared with an object"),
        Case("author < author", "author of Author", "objects have no order"),
        Case("ANY reviews.mark == 'x'", "reviews.mark of Review", "the string 'x'"),
        Case("reviews.mark == 3", "relates to many objects"),
        Case("reviews.@count == 'x'", "reviews.@count of Book", "the string 'x'"),
        Case("reviews.@sum.text > 1", "'@sum' cannot be applied to a string"),
        Case("SUBQUERY(reviews, $r, $r.mark == 'x').@count > 0", "reviews.mark of Review", "the string 'x'"),
        Case("'x' IN reviews.mark", "reviews.mark of Review", "the string 'x'"),
    ]

    @Test(arguments: mismatches)
    func `an incomparable comparison is the same error over values, objects and rows`(_ mismatch: Case) throws {
        expect(mismatch, "values") { try [Book()].filtered(by: mismatch.condition) }
        expect(mismatch, "one value") { try mismatch.condition.matches(Book()) }
        // There is nothing to find out from, so that only the condition itself can say it.
        expect(mismatch, "no values") { try [Book]().filtered(by: mismatch.condition) }
        try overObjectsAndRows(mismatch)
    }

    @Test(arguments: mismatchesBehindRelations)
    func `the same applies through relations, over objects and rows`(_ mismatch: Case) throws {
        try overObjectsAndRows(mismatch)
    }

    private func overObjectsAndRows(_ mismatch: Case) throws {
        let store = try PersistentContainer(for: Book.self, at: .tested)
        expect(mismatch, "rows") { try store.perform { try $0.decode(Book.all.where(mismatch.condition)).count } }
        try store.perform { context in
            let book = try context.insert(Book())
            expect(mismatch, "objects") { try [book].filtered(by: mismatch.condition) }
            expect(mismatch, "one object") { try mismatch.condition.matches(book) }
        }
    }

    private func expect<R>(_ mismatch: Case, _ place: String, _ work: () throws -> R) {
        let error = storeError(work)
        #expect(error?.code == .invalidCondition, "\(place): \(String(describing: error))")
        for word in mismatch.words {
            #expect(error?.message.contains(word) == true, "\(place): \(error?.message ?? "no error")")
        }
    }

    @Test func `a long value is cut in the message`() {
        let text = String(repeating: "x", count: 10_000)
        let error = storeError { try [Book()].filtered(by: Condition(format: "year == %@", text)) }
        #expect((error?.message.utf8.count ?? .max) < 500)
    }

    @Test func `valid comparisons are not rejected`() throws {
        let sound: [Condition<Book>] = [
            "year == 1.5", "price > 1", "title == nil", "year IN {1, nil, 2.5}", "rating BETWEEN {nil, 3}",
            "TERNARY(year == 1, nil, year) > 1", "id == nil", "status == 'x'", "year == TRUE", "nil IN {year}",
            "CAST(year, 'NSString') == '1'", "year == rating + 1 AND NOT (weight > year)",
            "title IN 'a long text'", "modulus:by:(year, 2) == 0", "length(title) > 3", "title CONTAINS nil",
        ]
        for condition in sound {
            _ = try [Book](repeating: Book(), count: 2).filtered(by: condition)
        }
    }
}
