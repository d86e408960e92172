import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Deletions by statements", .overEachStore)
struct BatchDeletionTests {
    private let library: HistoryLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws {
        library = try HistoryLibrary()
        let author = try context.make("Author", ["name": "Leo"])
        let shelf = try context.make("Shelf", ["label": "s"])
        let tag = try context.make("Tag", ["name": "t"])
        for index in 1...3 {
            let book = try context.make("Book", ["title": "t\(index)", "year": index, "author": author])
            book.setValue(Set([tag]), forKey: "tags")
            if index == 3 { book.setValue(shelf, forKey: "shelf") }
            for mark in 0..<2 { try context.make("Review", ["mark": mark, "book": book]) }
        }
        try context.save()
    }

    @Test func `cascades delete related objects, links are removed, and objects of the context are updated`() throws {
        let author = try #require(try context.all("Author").first)
        let tag = try #require(try context.all("Tag").first)
        let books = try context.all("Book", sort: "year")
        let review = try #require(books[0].list("reviews").first)
        #expect(author.set("books").count == 3 && tag.set("books").count == 3)
        #expect(try context.deleteAll("Book", "year < 3") == 2)
        #expect(!context.hasChanges)
        #expect(author.set("books") == [books[2]] && tag.set("books") == [books[2]])
        #expect(try context.all("Review").count == 2)
        for object in [books[0], review] {
            expectError(.managedObjectReferentialIntegrity) { _ = try context.existingObject(with: object.objectID) }
        }
        #expect(try context.deleteAll("Author") == 1)
        #expect(books[2].object("author") == nil)
        #expect(author.isFault)
        try library.verify()
    }

    @Test func `a denial says how many objects keep which from being deleted, and undoes everything`() throws {
        let error = coreDataError { try context.deleteAll("Shelf") }
        #expect(error?.errorCode == NSValidationRelationshipDeniedDeleteError)
        #expect(error?.entity == "Shelf" && error?.key == "content")
        #expect(error?.message.contains("relates to 1 object of Book, such as p3") == true, "\(error?.message ?? "")")
        #expect(try context.all("Shelf").count == 1)
        #expect(try context.deleteAll("Book", "year == 3") == 1)
        #expect(try context.deleteAll("Shelf") == 1)
        try library.verify()
    }

    @Test func `a link that must not be empty rejects the deletion`() throws {
        let model = GraphLibrary.model()
        let book = try #require(model.entitiesByName["Book"])
        book.relationshipsByName["author"]?.isOptional = false
        book.relationshipsByName["tags"]?.minCount = 2
        let folder = try StoreFolder()
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model))
        let author = try context.make("Author", ["name": "Leo"])
        let tags = try ["a", "b", "c"].map { try context.make("Tag", ["name": $0]) }
        try context.make("Book", ["title": "t", "author": author, "tags": Set(tags)])
        try context.save()
        var error = coreDataError { try context.deleteAll("Author") }
        #expect(error?.errorCode == NSValidationMissingMandatoryPropertyError)
        #expect(error?.entity == "Book" && error?.key == "author")
        error = coreDataError { try context.deleteAll("Tag", "name > 'a'") }
        #expect(error?.errorCode == NSValidationRelationshipLacksMinimumCountError && error?.key == "tags")
        #expect(try context.all("Tag").count == 3)
        #expect(try context.deleteAll("Tag", "name > 'b'") == 1)
        #expect(try StoreVerification.issues(of: folder.url(), model: #require(context.compiledModel)) == [])
    }

    @Test func `unsaved changes of affected objects count`() throws {
        let book = try #require(try context.all("Book", "year == 1").first)
        try context.make("Review", ["mark": 9, "book": book])
        #expect(try context.deleteAll("Book", "year == 1") == 1)
        #expect(context.hasChanges)
        try context.save()
        #expect(try context.all("Review").count == 4)
        try context.make("Person", ["name": "not concerned"])
        #expect(try context.deleteAll("Book", "year == 2") == 1)
        #expect(context.deletedObjects.isEmpty)
        try context.save()
        try library.verify()
    }

    @Test func `a chain of any depth is deleted, and rings too`() throws {
        let people = try (0..<300).map { try context.make("Person", ["name": "\($0)"]) }
        for (index, person) in people.enumerated().dropFirst() { person.setValue(people[index - 1], forKey: "parent") }
        let ring = try (0..<3).map { try context.make("Person", ["name": "ring \($0)"]) }
        for (index, person) in ring.enumerated() { person.setValue(ring[(index + 1) % 3], forKey: "parent") }
        try context.make("Person", ["name": "alone"])
        try context.save()
        #expect(try context.deleteAll("Person", "name == '0'") == 1)
        #expect(try context.all("Person").count == 4)
        #expect(try context.deleteAll("Person", "name == 'ring 1'") == 1)
        #expect(try context.all("Person").map { $0.text("name") } == ["alone"])
        try library.verify()
    }

    @Test func `a store in memory follows the same rules`() throws {
        let context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Leo"])
        let book = try context.make("Book", ["title": "t", "author": author])
        try context.save()
        #expect(try context.deleteAll("Author") == 1)
        #expect(book.object("author") == nil)
        #expect(try context.update("Book", nil, ["title": .string("x")]) == 1)
        #expect(book.text("title") == "x")
    }
}
