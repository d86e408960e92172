import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Validation", .overEachStore)
struct ValidationTests {
    private func save(_ values: [String: Any]) throws -> CoreDataError? {
        let context = try GraphLibrary.context()
        try context.make("Author", values)
        return coreDataError { try context.save() }
    }

    @Test func `a missing required value is named with its entity`() throws {
        let error = try #require(try save([:]))
        #expect(error.errorCode == NSValidationMissingMandatoryPropertyError)
        #expect(error.entity == "Author" && error.key == "name")
    }

    @Test(
        arguments: [
            (["name": "L"], NSValidationStringTooShortError, "name"),
            (["name": "LeoLeoLeoLeoLeoLeoLeoLeo"], NSValidationStringTooLongError, "name"),
            (["name": "Leo", "age": -1], NSValidationNumberTooSmallError, "age"),
            (["name": "Leo", "age": 151], NSValidationNumberTooLargeError, "age"),
            (["name": "Leo", "age": 40_000], NSValidationNumberTooLargeError, "age"),
            (["name": "Leo", "code": "AB"], NSValidationStringPatternMatchingError, "code"),
            (["name": "Leo", "code": "xABCx"], NSValidationStringPatternMatchingError, "code"),
            (["name": 5], NSManagedObjectValidationError, "name"),
            (["name": "Leo", "age": "old"], NSManagedObjectValidationError, "age"),
            (["name": "Leo", "nothing": 1], NSManagedObjectValidationError, "nothing"),
        ] as [([String: any Sendable], Int, String)])
    func `a value that breaks a rule is rejected by its own error`(
        values: [String: any Sendable], code: Int, key: String
    ) throws {
        let error = try #require(try save(values))
        #expect(error.flattened.contains { $0.errorCode == code && $0.key == key && $0.entity == "Author" })
    }

    @Test func `the edges of the rules pass`() throws {
        #expect(try save(["name": "Le", "age": 0, "code": "ABC"]) == nil)
        #expect(try save(["name": String(repeating: "a", count: 20), "age": 150]) == nil)
    }

    @Test func `several errors are thrown together and nothing is saved`() throws {
        let context = try GraphLibrary.context()
        try context.make("Author", ["age": 200])
        try context.make("Book")
        let error = try #require(coreDataError { try context.save() })
        #expect(error.errorCode == NSValidationMultipleErrorsError)
        #expect(error.details.count == 3)
        #expect(context.insertedObjects.count == 2)
        #expect(try GraphLibrary.context(try #require(context.persistentStoreCoordinator)).all("Author").isEmpty)
    }

    @Test func `an update is checked too, and the object stays changed`() throws {
        let context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Leo"])
        try context.save()
        author.setValue(nil, forKey: "name")
        #expect(coreDataError { try context.save() }?.errorCode == NSValidationMissingMandatoryPropertyError)
        #expect(author.isUpdated && author.text("name") == nil)
        author.setValue("Leo N.", forKey: "name")
        try context.save()
    }

    @Test func `two objects of one save with the same unique value are rejected`() throws {
        let context = try GraphLibrary.context()
        try context.make("Book", ["title": "a", "isbn": "1"])
        try context.make("Novel", ["title": "b", "isbn": "1"])
        let error = try #require(coreDataError { try context.save() })
        #expect(error.errorCode == NSManagedObjectConstraintMergeError)
        #expect(error.message.contains("isbn"))
    }

    @Test func `an object of an abstract entity can't be saved`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Book"]?.isAbstract = true
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        try context.make("Book", ["title": "a"])
        #expect(coreDataError { try context.save() }?.message.contains("abstract") ?? false)
    }

    @Test func `a subclass may add rules of its own`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: StrictTag.self)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        let tag = StrictTag(context: context)
        tag.setValue("lower", forKey: "name")
        #expect(throws: StrictTag.NotUpper.self) { try context.save() }
        tag.setValue("UPPER", forKey: "name")
        try context.save()
    }
}

final class StrictTag: NSManagedObject {
    struct NotUpper: Error {}
    override func validateForInsert() throws {
        try super.validateForInsert()
        if let name = text("name"), name != name.uppercased() { throw NotUpper() }
    }
}
