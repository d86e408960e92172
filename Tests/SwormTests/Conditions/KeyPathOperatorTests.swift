import Foundation
import Sworm
import SwormPredicates
import Testing

@Suite("Operators on key paths")
struct KeyPathOperatorTests {
    @Test func `an attribute that cannot be nil`() {
        #expect((\Book.year == 1).format == "year == %@")
        #expect(Query.equalTo(\Book.year, 1).format == "year == %@")
        #expect(values(\Book.year == 1) == "[\"1\"]")
        #expect((\Book.year != 1).format == "year != %@")
        #expect(Query.notEqualTo(\Book.year, 1).format == "year != %@")
        #expect(values(\Book.year != 1) == "[\"1\"]")
        #expect((\Book.year < 1).format == "year < %@")
        #expect(Query.lessThan(\Book.year, 1).format == "year < %@")
        #expect(values(\Book.year < 1) == "[\"1\"]")
        #expect((\Book.year > 1).format == "year > %@")
        #expect(Query.greaterThan(\Book.year, 1).format == "year > %@")
        #expect(values(\Book.year > 1) == "[\"1\"]")
        #expect((\Book.year <= 1).format == "year <= %@")
        #expect(Query.lessThanOrEqualTo(\Book.year, 1).format == "year <= %@")
        #expect(values(\Book.year <= 1) == "[\"1\"]")
        #expect((\Book.year >= 1).format == "year >= %@")
        #expect(Query.greaterThanOrEqualTo(\Book.year, 1).format == "year >= %@")
        #expect(values(\Book.year >= 1) == "[\"1\"]")
    }

    @Test func `an attribute that may be nil`() {
        #expect((\Book.rating == 1).format == "rating == %@")
        #expect(Query.equalTo(\Book.rating, 1).format == "rating == %@")
        #expect(values(\Book.rating == 1) == "[\"1\"]")
        #expect((\Book.rating != 1).format == "rating != %@")
        #expect(Query.notEqualTo(\Book.rating, 1).format == "rating != %@")
        #expect(values(\Book.rating != 1) == "[\"1\"]")
        #expect((\Book.rating < 1).format == "rating < %@")
        #expect(Query.lessThan(\Book.rating, 1).format == "rating < %@")
        #expect(values(\Book.rating < 1) == "[\"1\"]")
        #expect((\Book.rating > 1).format == "rating > %@")
        #expect(Query.greaterThan(\Book.rating, 1).format == "rating > %@")
        #expect(values(\Book.rating > 1) == "[\"1\"]")
        #expect((\Book.rating <= 1).format == "rating <= %@")
        #expect(Query.lessThanOrEqualTo(\Book.rating, 1).format == "rating <= %@")
        #expect(values(\Book.rating <= 1) == "[\"1\"]")
        #expect((\Book.rating >= 1).format == "rating >= %@")
        #expect(Query.greaterThanOrEqualTo(\Book.rating, 1).format == "rating >= %@")
        #expect(values(\Book.rating >= 1) == "[\"1\"]")
    }

    @Test func `nil is a value to compare with`() {
        let unset: Int? = nil
        #expect((\Book.rating == nil).format == "rating == %@")
        #expect(values(\Book.rating == nil) == "[\"nil\"]")
        #expect(values(\Book.rating != unset) == "[\"nil\"]")
        #expect(values(\Book.rating < nil) == "[\"nil\"]")
    }

    @Test func `lists are one argument`() {
        #expect((\Book.year === [1, 2]).format == "year IN %@")
        #expect((\Book.year === [1, 2]).arguments as? [[Int64]] == [[1, 2]])
        #expect((\Book.rating === [nil, 3]).format == "rating IN %@")
        #expect((Query.in(\Book.rating, [nil, 3]).arguments.first as? [Any])?.count == 2)
        #expect(Query.in(\Book.year, []).format == "year IN %@")
        #expect(Query.between(\Book.year, 1, 2).format == "year BETWEEN %@")
        #expect(Query.between(\Book.rating, 1, 2).arguments as? [[Int64]] == [[1, 2]])
    }

    @Test func `strings are compared without case and diacritics unless specified otherwise`() {
        #expect(Query.contains(\Book.title, "x").format == "title CONTAINS[cd] %@")
        #expect(Query.beginsWith(\Book.title, "x").format == "title BEGINSWITH[cd] %@")
        #expect(Query.endsWith(\Book.title, "x").format == "title ENDSWITH[cd] %@")
        #expect(Query.like(\Book.title, "x*").format == "title LIKE[cd] %@")
        #expect(Query.matches(\Book.title, "x+").format == "title MATCHES[cd] %@")
        #expect(Query.contains(\Book.subtitle, "x", caseInsensitive: false).format == "subtitle CONTAINS %@")
        #expect(Query.beginsWith(\Book.subtitle, "x", caseInsensitive: false).format == "subtitle BEGINSWITH %@")
        #expect(Query.endsWith(\Book.subtitle, "x", caseInsensitive: false).format == "subtitle ENDSWITH %@")
        #expect(Query.contains(\Book.status, "raf").format == "status CONTAINS[cd] %@")
    }

    @Test func `custom types are encoded`() {
        #expect(values(\Book.status == .draft) == "[\"draft\"]")
        let address = \Book.address == Address(city: "Bern")
        #expect(address.arguments as? [Data] == [Data(#"{"city":"Bern"}"#.utf8)])
        let id = UUID()
        #expect((\Book.id == id).arguments as? [UUID] == [id])
        #expect((\Book.price > 3).arguments as? [Decimal] == [3])
    }

    @Test func `conditions join as they are written`() {
        let all = (\Book.year == 1 || \Book.year == 2) && (\Book.title == "b" || \Book.year == 3) && !(\Book.year == 4)
        #expect(
            all.format
                == "(((year == %@) OR (year == %@)) AND ((title == %@) OR (year == %@))) AND (NOT (year == %@))")
        #expect(values(all) == "[\"1\", \"2\", \"b\", \"3\", \"4\"]")
        #expect((\Book.year == 1 && \Book.title == "x").format == "(year == %@) AND (title == %@)")
        #expect(Query.not(\Book.year == 1).format == "NOT (year == %@)")
        #expect(Query.and(\Book.year == 1, \Book.year == 2).format == "(year == %@) AND (year == %@)")
        #expect(Query.or(\Book.year == 1, \Book.year == 2).format == "(year == %@) OR (year == %@)")
        let right = \Book.year == 1 && (\Book.year == 2 && \Book.year == 3)
        #expect(right.format == "(year == %@) AND ((year == %@) AND (year == %@))")
    }

    @Test func `reserved words are names behind a hash sign`() {
        let condition = \Reserved.first == 1 && \Reserved.size > 2 && \Reserved.no == "x"
        #expect(condition.format == "((#first == %@) AND (#size > %@)) AND (#in == %@)")
        #expect(throws: Never.self) { try condition.validate() }
    }

    @Test func `key paths may be held, rooted or rootless`() {
        let held = \Book.year
        #expect((held == 3).format == "year == %@")
        #expect(Book.all.where(held == 3).condition?.format == "year == %@")
        #expect(
            Book.all.where(\.rating == nil && \.status != .draft).condition?.format
                == "(rating == %@) AND (status != %@)")
    }

    @Test func `operators of other modules keep their meaning`() {
        let one = \Book.year
        let other = \Book.year
        let text: String? = "a"
        final class Box: Sendable {}
        let box = Box()
        #expect(one == other)
        #expect([\Book.year, \Book.year].contains(\Book.year))
        #expect([one: 1][other] == 1)
        #expect(text != nil && text == "a")
        #expect(box === box)
    }

    @Test func `a long chain is one node and prints in full`() throws {
        let first: Condition<Book> = "FALSEPREDICATE"
        let many = (0..<5000).reduce(first) { $0 || \Book.year == $1 }
        #expect(many.arguments.count == 5000)
        guard case .or(let parts) = try many.tree() else { return #expect(Bool(false), "not a chain") }
        #expect(parts.count == 5001)
    }

    @Test func `a condition nested too deeply is a failure and no crash`() {
        let deep = (0..<100_000).reduce(\Book.year == 0) { condition, _ in !condition }
        #expect(throws: StoreError.self) { try deep.validate() }
        var mixed = \Book.year == 0
        for year in 0..<10_000 {
            let other = \Book.year == year
            mixed = year.isMultiple(of: 2) ? other || mixed : other && mixed
        }
        #expect(throws: StoreError.self) { try mixed.validate() }
    }
}
