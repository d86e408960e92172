import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: required to-many relationships", .overEachStore)
struct RequiredToManyTests {
    /// Authors whose books are required, with a minimum count.
    private func context(minCount: Int, maxCount: Int = 0) throws -> NSManagedObjectContext {
        let model = GraphLibrary.model()
        let books = try #require(model.entitiesByName["Author"]?.relationshipsByName["books"])
        (books.isOptional, books.minCount, books.maxCount) = (false, minCount, maxCount)
        return GraphLibrary.context(try GraphLibrary.coordinator(model: model))
    }

    @Test func `a required to-many relationship without a minimum count may be empty`() throws {
        let context = try context(minCount: 0)
        let author = try context.make("Author", ["name": "Leo"])
        try author.validateForInsert()
        try context.save()
        let book = try context.make("Book", ["title": "War", "author": author])
        try context.save()
        context.delete(book)
        try context.save()
        try context.make("Book", ["title": "Peace", "author": author])
        try context.save()
        // A batch deletion follows the same rules.
        try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book")))
        #expect(try context.all("Book").isEmpty)
    }

    @Test func `a minimum count holds, and a maximum count too`() throws {
        let atLeast = try context(minCount: 1)
        try atLeast.make("Author", ["name": "Leo"])
        let error = coreDataError { try atLeast.save() }
        #expect(error?.errorCode == NSValidationRelationshipLacksMinimumCountError && error?.key == "books")
        let atMost = try context(minCount: 0, maxCount: 2)
        let author = try atMost.make("Author", ["name": "Leo"])
        try atMost.save()
        for title in ["a", "b", "c"] { try atMost.make("Book", ["title": title, "author": author]) }
        let other = coreDataError { try atMost.save() }
        #expect(other?.errorCode == NSValidationRelationshipExceedsMaximumCountError && other?.key == "books")
    }
}
