import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: key paths", .overEachStore)
struct KeyPathTests {
    /// An author with three books, one of them without a year, and a book with reviews.
    private struct Shelf {
        let context: NSManagedObjectContext
        let author: NSManagedObject
        let books: [NSManagedObject]

        init() throws {
            let context = try GraphLibrary.context()
            self.context = context
            author = try context.make("Author", ["name": "Leo"])
            let tags = try ["art", "war"].map { try context.make("Tag", ["name": $0]) }
            books = [
                try context.make("Book", ["title": "War", "year": 1869, "author": author, "tags": Set(tags)]),
                try context.make("Book", ["title": "Anna", "year": 1877, "author": author, "tags": Set(tags[...0])]),
                try context.make("Book", ["title": "Diary", "author": author]),
            ]
            for mark in [3, 1, 3] { try context.make("Review", ["mark": mark, "book": books[0]]) }
            try context.save()
            context.refreshAllObjects()
        }

        func number(_ path: String) -> NSNumber? { author.value(forKeyPath: path) as? NSNumber }
        func text(_ path: String) -> String? { author.value(forKeyPath: path) as? String }
    }

    @Test func `a path through a set gives a set, without missing values`() throws {
        let shelf = try Shelf()
        #expect(shelf.author.value(forKeyPath: "books") as? Set<NSManagedObject> == Set(shelf.books))
        #expect(shelf.author.value(forKeyPath: "books.title") as? Set<String> == ["War", "Anna", "Diary"])
        #expect(shelf.author.value(forKeyPath: "books.year") as? Set<NSNumber> == [1869, 1877])
        #expect(shelf.author.value(forKeyPath: "books.author") as? Set<NSManagedObject> == [shelf.author])
        #expect(shelf.author.value(forKeyPath: "books.author.name") as? Set<String> == ["Leo"])
        let ids = shelf.author.value(forKeyPath: "books.objectID") as? Set<NSManagedObjectID>
        #expect(ids == Set(shelf.books.map(\.objectID)))
    }

    @Test func `a path through an ordered set gives an ordered set`() throws {
        let shelf = try Shelf()
        let marks = shelf.books[0].value(forKeyPath: "reviews.mark") as? NSOrderedSet
        #expect(marks?.array as? [Int] == [3, 1])
        // A set of ordered sets: nothing is flattened.
        let nested = shelf.author.value(forKeyPath: "books.reviews.mark") as? Set<NSOrderedSet>
        #expect(nested?.map(\.count).sorted() == [0, 2])
    }

    @Test func `count, sum, average, minimum and maximum are those of key-value coding`() throws {
        let shelf = try Shelf()
        #expect(shelf.number("books.@count") == 3)
        #expect(shelf.number("books.@count.title") == 3)
        #expect(shelf.number("books.@sum.year") == 3746)
        // A missing value counts as zero.
        #expect(shelf.number("books.@avg.year")?.doubleValue == 3746.0 / 3)
        #expect(shelf.number("books.@min.year") == 1869)
        #expect(shelf.number("books.@max.year") == 1877)
        #expect(shelf.text("books.@min.title") == "Anna" && shelf.text("books.@max.title") == "War")
        #expect(shelf.number("books.@max.reviews.@count") == 3)
        #expect(shelf.number("books.@sum.reviews.@sum.mark") == 7)
        #expect(shelf.number("books.year.@sum.self") == 3746)
        let other = try shelf.context.make("Author", ["name": "Ann"])
        #expect(other.value(forKeyPath: "books.@count") as? Int == 0)
        #expect(other.value(forKeyPath: "books.@sum.year") as? Int == 0)
        #expect(other.value(forKeyPath: "books.@avg.year") as? Double == 0)
        #expect(other.value(forKeyPath: "books.@min.year") == nil)
    }

    @Test func `sums of decimals keep all digits, and values without an order have no extreme`() throws {
        let line = Build.entity(
            "Line",
            [Build.attribute("price", .decimalAttributeType), Build.attribute("code", .binaryDataAttributeType)])
        let order = Build.entity("Order")
        let (lines, back) = (Build.toMany("lines", line), Build.toOne("order", order))
        Build.connect(lines, back)
        line.properties += [back]
        order.properties += [lines]
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(line, order)))
        let parent = try context.make("Order")
        for price in ["12345678901234567890.01", "0.01"] {
            try context.make("Line", ["price": NSDecimalNumber(string: price), "code": Data([1]), "order": parent])
        }
        let sum = parent.value(forKeyPath: "lines.@sum.price") as? NSDecimalNumber
        #expect(sum == NSDecimalNumber(string: "12345678901234567890.02"))
        #expect(parent.value(forKeyPath: "lines.@max.code") == nil)
        #expect(parent.value(forKeyPath: "lines.@max.order") == nil)
    }

    @Test func `unions of objects are arrays, and distinct ones have each value once`() throws {
        let shelf = try Shelf()
        let book = shelf.books[0]
        #expect(book.value(forKeyPath: "reviews.@unionOfObjects.mark") as? [Int] == [3, 1, 3])
        #expect(book.value(forKeyPath: "reviews.@distinctUnionOfObjects.mark") as? [Int] == [3, 1])
        let titles = shelf.author.value(forKeyPath: "books.@unionOfObjects.title") as? [String]
        #expect(titles?.sorted() == ["Anna", "Diary", "War"])
        let names = shelf.author.value(forKeyPath: "books.@unionOfObjects.author.name") as? [String]
        #expect(names == ["Leo", "Leo", "Leo"])
        #expect(shelf.author.value(forKeyPath: "books.@distinctUnionOfObjects.author.name") as? [String] == ["Leo"])
    }

    @Test func `unions of sets and of arrays combine the collections of the members`() throws {
        let shelf = try Shelf()
        let tags = shelf.author.value(forKeyPath: "books.@distinctUnionOfSets.tags.name") as? Set<String>
        #expect(tags == ["art", "war"])
        #expect((shelf.author.value(forKeyPath: "books.@unionOfSets.tags") as? Set<NSManagedObject>)?.count == 2)
        let all = shelf.author.value(forKeyPath: "books.@unionOfArrays.tags.name") as? [String]
        #expect(all?.sorted() == ["art", "art", "war"])
        let distinct = shelf.author.value(forKeyPath: "books.@distinctUnionOfArrays.tags.name") as? [String]
        #expect(distinct?.sorted() == ["art", "war"])
    }

    @Test func `an unknown operator or key is passed to valueForUndefinedKey, and the value is nil`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Book"]?.managedObjectClassName = String(reflecting: UndefinedBook.self)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        let book = UndefinedBook(context: context)
        #expect(book.value(forKeyPath: "reviews.@median.mark") as? String == "undefined @median")
        #expect(book.value(forKeyPath: "reviews.@sum") as? String == "undefined @sum")
        #expect(book.value(forKeyPath: "nothing") as? String == "undefined nothing")
        #expect(try context.make("Tag").value(forKeyPath: "books.@median.year") == nil)
        #expect(try context.make("Tag").value(forKeyPath: "name.@count") == nil)
        #expect(book.value(forKeyPath: "self.stock") as? Int == 7)
    }

    @Test func `a value is set on every member of a collection`() throws {
        let shelf = try Shelf()
        shelf.author.setValue(1900, forKeyPath: "books.year")
        #expect(shelf.author.value(forKeyPath: "books.year") as? Set<NSNumber> == [1900])
        try shelf.context.save()
    }

    @Test func `the relationships at the end of a path can be changed`() throws {
        let shelf = try Shelf()
        let book = try shelf.context.make("Book", ["title": "Hadji"])
        shelf.books[0].mutableSetValue(forKeyPath: "author.books").add(book)
        #expect(book.object("author") === shelf.author)
        let review = try #require(shelf.books[0].list("reviews").first)
        review.mutableOrderedSetValue(forKeyPath: "book.reviews").removeObject(at: 0)
        #expect(shelf.books[0].list("reviews").count == 2 && review.object("book") == nil)
        shelf.author.mutableSetValue(forKeyPath: "books").remove(book)
        #expect(book.object("author") == nil)
        try shelf.context.save()
    }

    @Test func `a path without an object gives an empty set, and a change of it is an error of the next save`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "a"])
        let other = try context.make("Book", ["title": "b"])
        let books = book.mutableSetValue(forKeyPath: "author.books")
        books.add(other)
        #expect(books.count == 0)
        #expect(coreDataError { try context.save() }?.message.contains("author.books") ?? false)
    }

    @Test func `a value at the end of a path is validated by its object`() throws {
        let shelf = try Shelf()
        let book = shelf.books[0]
        var name: Any? = "Leo Tolstoy"
        try book.validateValue(&name, forKeyPath: "author.name")
        name = "L"
        expectError(.validationStringTooShort) { try book.validateValue(&name, forKeyPath: "author.name") }
        expectError(.managedObjectValidation) { try book.validateValue(&name, forKeyPath: "shelf.label") }
    }
}

private final class UndefinedBook: NSManagedObject {
    override func value(forUndefinedKey key: String) -> Any? { "undefined \(key)" }
}
