import Foundation
import Sworm
import SwormPredicates
import Testing

/// The condition that the closure makes.
private func book(_ make: (EntityPath<Book, Book>) -> Condition<Book>) -> Condition<Book> {
    Book.all.where(make).condition ?? "TRUEPREDICATE"
}

private func author(_ make: (EntityPath<Author, Author>) -> Condition<Author>) -> Condition<Author> {
    Author.all.where(make).condition ?? "TRUEPREDICATE"
}

@Suite("The closure form of conditions")
struct ClosureFormTests {
    @Test func `attributes compare with values`() {
        #expect(book { $0.year == 1 }.format == "year == %@")
        #expect(book { $0.year != 1 }.format == "year != %@")
        #expect(book { $0.year < 1 }.format == "year < %@")
        #expect(book { $0.year > 1 }.format == "year > %@")
        #expect(book { $0.year <= 1 }.format == "year <= %@")
        #expect(book { $0.year >= 1 }.format == "year >= %@")
        #expect(book { $0.status == .draft }.arguments as? [String] == ["draft"])
        let unset: Int? = nil
        #expect(
            values(book { $0.rating == unset || $0.rating == 3 || $0.rating != nil }) == "[\"nil\", \"3\", \"nil\"]")
    }

    @Test func `lists and ranges`() {
        #expect(book { $0.year.isIn([1, 2]) }.arguments as? [[Int64]] == [[1, 2]])
        #expect(book { $0.year.isIn(Set([1])) }.format == "year IN %@")
        #expect((book { $0.rating.isIn([nil, 2]) }.arguments.first as? [Any])?.first is NSNull)
        #expect(book { $0.year.between(1...3) }.format == "year BETWEEN %@")
        #expect(book { $0.status.between(.draft, .printed) }.arguments as? [[String]] == [["draft", "printed"]])
    }

    @Test func `strings`() {
        #expect(book { $0.title.hasPrefix("x") }.format == "title BEGINSWITH %@")
        #expect(book { $0.title.hasSuffix("x", .caseInsensitive) }.format == "title ENDSWITH[c] %@")
        #expect(book { $0.subtitle.contains("x", .search) }.format == "subtitle CONTAINS[cd] %@")
        #expect(book { $0.title.like("x*", .diacriticInsensitive) }.format == "title LIKE[d] %@")
        #expect(book { $0.title.matches("x+") }.format == "title MATCHES %@")
        #expect(book { $0.status.equals("DRAFT", .caseInsensitive) }.format == "status ==[c] %@")
        #expect(book { !$0.author.name.hasPrefix("L") }.format == "NOT (author.name BEGINSWITH %@)")
    }

    @Test func `relations to one`() {
        let id = ManagedObjectID<Author>(ObjectReference(storeIdentifier: "S", entityName: "Author", key: 1))
        #expect(book { $0.author == nil || $0.author != nil }.format == "(author == %@) OR (author != %@)")
        #expect(book { $0.author == id }.arguments as? [ObjectReference] == [id.reference])
        #expect(book { $0.author.isIn([id]) }.arguments as? [[ObjectReference]] == [[id.reference]])
        #expect(book { $0.author == $0.editor }.format == "author == editor")
        #expect(
            book { $0.author.name == "Leo" && $0.author.born == nil }.format
                == "(author.name == %@) AND (author.born == %@)")
        #expect(author { $0 == id || $0.isIn([id]) }.format == "(SELF == %@) OR (SELF IN %@)")
    }

    @Test func `columns and arithmetic`() {
        #expect(book { $0.author.year < $0.year }.format == "author.year < year")
        #expect(book { $0.year - $0.author.year > 40 }.format == "(year - author.year) > %@")
        #expect(book { 1 + $0.year * 2 >= $0.rating }.format == "(%@ + (year * %@)) >= rating")
        #expect(book { -$0.year == 1 }.format == "-year == %@")
        #expect(book { $0.weight / 2 < 1 && $0.price / $0.price == 1 }.arguments.count == 3)
    }

    @Test func `any, all and none`() {
        #expect(book { $0.reviews.any.mark > 3 }.format == "ANY reviews.mark > %@")
        #expect(book { $0.reviews.all.mark > 3 }.format == "ALL reviews.mark > %@")
        #expect(book { $0.reviews.none.mark > 3 }.format == "NOT (ANY reviews.mark > %@)")
        #expect(book { $0.reviews.any.mark > $0.year }.format == "ANY reviews.mark > year")
        #expect(book { $0.year < $0.reviews.any.mark }.format == "ANY reviews.mark > year")
        #expect(author { $0.books.any.reviews.any.mark == 3 }.format == "ANY books.reviews.mark == %@")
        #expect(author { $0.books.all.reviews.all.mark == 3 }.format == "ALL books.reviews.mark == %@")
        #expect(author { $0.books.none.reviews.any.mark == 3 }.format == "NOT (ANY books.reviews.mark == %@)")
    }

    @Test func `a condition that no operator expresses becomes a subquery`() {
        #expect(
            author { $0.books.any.reviews.all.mark == 3 }.format
                == "SUBQUERY(books, $x1, SUBQUERY($x1.reviews, $x, $x.mark == %@).@count == $x1.reviews.@count).@count > %@"
        )
        #expect(
            author { $0.books.any.reviews.none.mark == 3 }.format
                == "SUBQUERY(books, $x1, SUBQUERY($x1.reviews, $x, $x.mark == %@).@count == %@).@count > %@")
        #expect(book { $0.reviews.any.mark + 1 > 3 }.format == "SUBQUERY(reviews, $x, ($x.mark + %@) > %@).@count > %@")
        #expect(
            author { $0.books.any.reviews.count > 3 }.format
                == "SUBQUERY(books, $x, $x.reviews.@count > %@).@count > %@")
        #expect(
            author { $0.books.any.year == $0.books.any.rating }.format
                == "SUBQUERY(books, $x1, SUBQUERY(books, $x, $x1.year == $x.rating).@count > %@).@count > %@")
        let same = author { author in
            let some = author.books.any
            return some.year == some.rating
        }
        #expect(same.format == "SUBQUERY(books, $x, $x.year == $x.rating).@count > %@")
    }

    @Test func `filters, counts and aggregates`() {
        #expect(book { $0.reviews.count > 2 }.format == "reviews.@count > %@")
        #expect(book { $0.reviews.isEmpty }.format == "reviews.@count == %@")
        #expect(
            book { $0.reviews.filter { $0.mark == 5 && $0.text != "" }.count > 1 }.format
                == "SUBQUERY(reviews, $x, ($x.mark == %@) AND ($x.text != %@)).@count > %@")
        #expect(
            book { book in book.reviews.contains { $0.mark > 3 && $0.book.year == book.year } }.format
                == "SUBQUERY(reviews, $x, ($x.mark > %@) AND ($x.book.year == year)).@count > %@")
        #expect(book { $0.reviews.max(\.mark) == 5 }.format == "reviews.@max.mark == %@")
        #expect(book { $0.reviews.min(\.book.year) == nil }.format == "reviews.@min.book.year == %@")
        #expect(book { $0.reviews.sum(\.mark) > 5 }.format == "reviews.@sum.mark > %@")
        #expect(book { $0.reviews.average(\.mark) > 3.5 }.format == "reviews.@avg.mark > %@")
        #expect(
            book { $0.reviews.filter { $0.mark > 1 }.max(\.mark) == 5 }.format
                == "SUBQUERY(reviews, $x, $x.mark > %@).@max.mark == %@")
        let id = ManagedObjectID<Review>(ObjectReference(storeIdentifier: "S", entityName: "Review", key: 1))
        #expect(book { $0.reviews.contains(id) }.format == "ANY reviews == %@")
    }

    @Test func `nested filters have variables of their own, whichever row they speak of`() {
        let condition = author { author in
            author.books.contains { book in
                book.reviews.contains { review in
                    author.books.contains { $0.year == review.mark && $0.rating == book.year && $0.year == author.year }
                }
            }
        }
        #expect(
            condition.format
                == "SUBQUERY(books, $x2, SUBQUERY($x2.reviews, $x1, SUBQUERY(books, $x, (($x.year == $x1.mark) AND "
                + "($x.rating == $x2.year)) AND ($x.year == year)).@count > %@).@count > %@).@count > %@")
        #expect(throws: Never.self) { try Condition<Author>(format: condition.format, 0, 0, 0).validate() }
    }

    @Test func `arguments are in the order of the format string`() {
        let condition = book { $0.reviews.filter { $0.mark == 5 }.count + 1 > 7 && $0.year == 8 }
        #expect(condition.arguments as? [Int64] == [5, 1, 7, 8])
    }

    @Test func `statements, literals and held conditions`() {
        let late = true
        let held: Condition<Book> = \.year > 3
        #expect(book { b in if late { b.year > 3 } else { b.year < 3 } }.format == "year > %@")
        #expect(book { !("year == 1") && $0.year == 1 && held }.arguments.count == 3)
        #expect(book { _ in "year == 1" }.format == "year == %@")
    }

    @Test func `an error is carried until the request runs`() {
        #expect(throws: StoreError.self) { try book { $0.cover == "x" }.validate() }
        #expect(throws: StoreError.self) { try book { $0.reviews.filter { _ in "mark = = 3" }.count > 1 }.validate() }
        #expect(throws: StoreError.self) { try author { $0.books.any.cover == "x" }.validate() }
        #expect(throws: StoreError.self) { try author { $0.books.max(\.reviews.count) == 1 }.validate() }
        #expect(throws: StoreError.self) { try author { $0.books.sum(\.reviews.any.mark) == 1 }.validate() }
    }
}
