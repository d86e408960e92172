import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Delete rules", .overEachStore)
struct DeleteRuleTests {
    @Test func `nullify unlinks, in memory at once and in the store after the save`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let leo = try context.make("Author", ["name": "Leo"])
        let book = try context.make("Book", ["title": "War", "author": leo])
        try context.save()
        context.delete(leo)
        #expect(leo.isDeleted && book.object("author") == nil)
        try context.save()
        let other = try #require(try GraphLibrary.context(coordinator).all("Book").first)
        #expect(other.object("author") == nil)
        #expect(try context.all("Author").isEmpty)
    }

    @Test(arguments: [true, false])
    func `rules apply at once, whatever propagatesDeletesAtEndOfEvent is`(propagates: Bool) throws {
        let context = try GraphLibrary.context()
        context.propagatesDeletesAtEndOfEvent = propagates
        let leo = try context.make("Author", ["name": "Leo"])
        let book = try context.make("Book", ["title": "War", "author": leo])
        context.delete(leo)
        #expect(book.object("author") == nil)
    }

    @Test func `cascade deletes the related objects, including faults`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try context.make("Book", ["title": "War"])
        for mark in 1...5 { try context.make("Review", ["mark": mark, "book": book]) }
        try context.save()
        let other = GraphLibrary.context(coordinator)
        other.delete(other.object(with: book.objectID))
        try other.save()
        #expect(try other.all("Review").isEmpty)
    }

    @Test func `a cascade through a cycle ends`() throws {
        let context = try GraphLibrary.context()
        let people = try (0..<5).map { try context.make("Person", ["name": "\($0)"]) }
        // Children and parents cascade both ways, and the first is its own ancestor.
        for index in people.indices { people[index].setValue(people[(index + 1) % 5], forKey: "parent") }
        try context.save()
        context.delete(people[2])
        #expect(people.allSatisfy { $0.isDeleted })
        try context.save()
        #expect(try context.all("Person").isEmpty)
    }

    @Test(.over(.memory, .file)) func `a cascade of great depth does not exhaust the stack`() throws {
        let context = try GraphLibrary.context()
        var previous: NSManagedObject?
        for index in 0..<20_000 {
            let person = try context.make("Person", ["name": "\(index)"])
            if let previous { person.setValue(previous, forKey: "parent") }
            previous = person
        }
        try context.save()
        context.delete(try #require(previous))
        #expect(context.deletedObjects.count == 20_000)
    }

    @Test func `deny prevents a deletion while a related object stays, and not when it is deleted too`() throws {
        let context = try GraphLibrary.context()
        let shelf = try context.make("Shelf", ["label": "A"])
        let book = try context.make("Book", ["title": "War", "shelf": shelf])
        try context.save()
        context.delete(shelf)
        let error = try #require(coreDataError { try context.save() })
        #expect(error.errorCode == NSValidationRelationshipDeniedDeleteError)
        #expect(error.entity == "Shelf" && error.key == "content")
        context.delete(book)
        try context.save()
        #expect(try context.all("Shelf").isEmpty)
    }

    @Test func `deleting an object that was never saved leaves no trace`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "War"])
        let review = try context.make("Review", ["book": book])
        context.delete(book)
        #expect(context.insertedObjects.isEmpty && !context.hasChanges)
        #expect(review.managedObjectContext == nil || !review.isInserted)
        try context.save()
        #expect(try context.all("Book").isEmpty)
    }

    @Test func `deleting many-to-many partners removes the links`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try context.make("Book", ["title": "War"])
        let tag = try context.make("Tag", ["name": "a", "books": Set([book])])
        try context.save()
        context.delete(tag)
        #expect(book.set("tags").isEmpty)
        try context.save()
        #expect(GraphLibrary.context(coordinator).object(with: book.objectID).set("tags").isEmpty)
        #expect(try context.all("Book", "tags.@count == 0").count == 1)
    }
}
