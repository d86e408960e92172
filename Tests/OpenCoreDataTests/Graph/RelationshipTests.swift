import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Relationships in memory", .overEachStore)
struct RelationshipTests {
    @Test func `both sides of a to-one and its to-many inverse agree at once`() throws {
        let context = try GraphLibrary.context()
        let leo = try context.make("Author", ["name": "Leo"])
        let ann = try context.make("Author", ["name": "Ann"])
        let book = try context.make("Book", ["title": "War"])
        book.setValue(leo, forKey: "author")
        #expect(leo.set("books") == [book])
        ann.mutableSetValue(forKey: "books").add(book)
        #expect(book.object("author") === ann)
        #expect(leo.set("books").isEmpty)
        ann.mutableSetValue(forKey: "books").remove(book)
        #expect(book.object("author") == nil)
    }

    @Test func `setting a to-many as a whole links and unlinks`() throws {
        let context = try GraphLibrary.context()
        let leo = try context.make("Author", ["name": "Leo"])
        let books = try (0..<4).map { try context.make("Book", ["title": "\($0)"]) }
        leo.setValue(Set(books[0...2]), forKey: "books")
        leo.setValue(NSSet(array: [books[2], books[3]]), forKey: "books")
        #expect(leo.set("books") == [books[2], books[3]])
        #expect(books[0].object("author") == nil && books[3].object("author") === leo)
    }

    @Test func `links that are set before a to-many was read are merged with the stored links`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let leo = try first.make("Author", ["name": "Leo"])
        let books = try (0..<3).map { try first.make("Book", ["title": "\($0)", "author": leo]) }
        try first.save()

        let context = GraphLibrary.context(coordinator)
        let author = context.object(with: leo.objectID)
        let gone = context.object(with: books[0].objectID)
        gone.setValue(nil, forKey: "author")
        let new = try context.make("Book", ["title": "new", "author": author])
        #expect(author.hasFault(forRelationshipNamed: "books"))
        let expected: Set = [context.object(with: books[1].objectID), context.object(with: books[2].objectID), new]
        #expect(author.set("books") == expected)
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Book", "author.name == 'Leo'").count == 3)
    }

    @Test func `an ordered to-many keeps its order through moves, insertions and a save`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try context.make("Book", ["title": "War"])
        for mark in 1...4 { try context.make("Review", ["mark": mark, "book": book]) }
        func marks(_ object: NSManagedObject) -> [Int] {
            object.list("reviews").compactMap { $0.value(forKey: "mark") as? Int }
        }
        #expect(marks(book) == [1, 2, 3, 4])
        try context.save()
        let ordered = book.mutableOrderedSetValue(forKey: "reviews")
        let last = try #require(ordered.lastObject)
        ordered.remove(last)
        ordered.insert(last, at: 0)
        ordered.insert(try context.make("Review", ["mark": 9]), at: 2)
        #expect(marks(book) == [4, 1, 9, 2, 3])
        try context.save()
        let other = GraphLibrary.context(coordinator)
        #expect(marks(other.object(with: book.objectID)) == [4, 1, 9, 2, 3])
        #expect(
            other.object(with: book.objectID).list("reviews").allSatisfy {
                $0.object("book")?.objectID == book.objectID
            })
    }

    @Test func `a many-to-many is linked from either side and unlinked from the other`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try context.make("Book", ["title": "War"])
        let tags = try ["a", "b", "c"].map { try context.make("Tag", ["name": $0]) }
        book.mutableSetValue(forKey: "tags").add(tags[0])
        tags[1].mutableSetValue(forKey: "books").add(book)
        #expect(book.set("tags") == [tags[0], tags[1]] && tags[0].set("books") == [book])
        try context.save()
        let other = GraphLibrary.context(coordinator)
        let tag = other.object(with: tags[0].objectID)
        #expect(tag.set("books").map(\.objectID) == [book.objectID])
        tag.setValue(Set<NSManagedObject>(), forKey: "books")
        other.object(with: tags[2].objectID).mutableSetValue(forKey: "books").add(other.object(with: book.objectID))
        try other.save()
        let third = GraphLibrary.context(coordinator)
        let names = third.object(with: book.objectID).set("tags").compactMap { $0.text("name") }
        #expect(names.sorted() == ["b", "c"])
    }

    @Test func `a one-to-one that is its own inverse moves in pairs`() throws {
        let context = try GraphLibrary.context()
        let people = try ["a", "b", "c"].map { try context.make("Person", ["name": $0]) }
        people[0].setValue(people[1], forKey: "partner")
        #expect(people[1].object("partner") === people[0])
        people[2].setValue(people[1], forKey: "partner")
        #expect(people[0].object("partner") == nil)
        #expect(people[1].object("partner") === people[2] && people[2].object("partner") === people[1])
        try context.save()
        #expect(try context.all("Person", "partner == nil").count == 1)
    }

    @Test func `a relation of an entity to itself keeps its two sides apart`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let people = try ["a", "b", "c"].map { try context.make("Person", ["name": $0]) }
        people[0].setValue(Set([people[1], people[2], people[0]]), forKey: "friends")
        people[1].mutableSetValue(forKey: "friendOf").add(people[2])
        try context.save()
        let other = GraphLibrary.context(coordinator)
        func names(_ index: Int, _ key: String) -> [String] {
            other.object(with: people[index].objectID).set(key).compactMap { $0.text("name") }.sorted()
        }
        #expect(names(0, "friends") == ["a", "b", "c"])
        #expect(names(2, "friends") == ["b"])
        #expect(names(1, "friendOf") == ["a", "c"])
        #expect(names(0, "friendOf") == ["a"])
    }

    @Test func `an iteration may change the collection that it iterates over`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "War"])
        for mark in 1...3 { try context.make("Review", ["mark": mark, "book": book]) }
        for review in book.list("reviews") {
            book.mutableOrderedSetValue(forKey: "reviews").remove(review)
            context.delete(review)
        }
        #expect(book.list("reviews").isEmpty)
        try context.save()
        #expect(try context.all("Review").isEmpty)
    }

    @Test func `objects of another entity or context are refused, and the save says so`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try context.make("Book", ["title": "War"])
        book.setValue(try context.make("Tag"), forKey: "author")
        let wrong = try #require(coreDataError { try context.save() })
        #expect(wrong.key == "author" && wrong.message.contains("the relationship is Author"))
        book.setValue(nil, forKey: "author")
        let foreign = try GraphLibrary.context(coordinator).make("Author", ["name": "Leo"])
        book.setValue(foreign, forKey: "author")
        let other = try #require(coreDataError { try context.save() })
        #expect(other.message.contains("different contexts"))
        book.setValue(nil, forKey: "author")
        try context.save()
    }

    @Test func `a sub-entity's object is at home in its parent's relationship`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let novel = try context.make("Novel", ["title": "War", "genre": "epic"])
        try context.make("Review", ["mark": 3, "book": novel])
        try context.save()
        let other = GraphLibrary.context(coordinator)
        let review = try #require(try other.all("Review").first)
        #expect(review.object("book")?.entity.name == "Novel")
        #expect(review.object("book")?.text("genre") == "epic")
    }
}
