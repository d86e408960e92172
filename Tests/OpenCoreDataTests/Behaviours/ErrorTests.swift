import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Source: CoreDataErrors.h, and Apple's "Object Validation" for the details of several errors.
@Suite("Behaviours: errors", .overEachStore)
struct ErrorTests {
    private func cocoaError(
        sourceLocation: SourceLocation = #_sourceLocation, _ work: () throws -> Void
    ) throws -> CocoaError {
        try #require(throws: CocoaError.self, sourceLocation: sourceLocation) { try work() }
    }

    @Test func `a code is caught by its name, and by the name of the error`() throws {
        let context = try GraphLibrary.context()
        try context.make("Author")
        var caught: [String] = []
        do {
            try context.save()
        } catch let error as CocoaError where error.code == .validationMissingMandatoryProperty {
            caught.append("code")
        }
        do {
            try context.save()
        } catch CocoaError.managedObjectMerge {
            caught.append("another one")
        } catch CocoaError.validationMissingMandatoryProperty {
            caught.append("name")
        }
        do {
            try context.save()
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSValidationMissingMandatoryPropertyError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
            caught.append("number")
        }
        #expect(caught == ["code", "name", "number"])
        let error = try cocoaError { try context.save() }
        #expect(error.isValidationError)
    }

    @Test func `the codes and keys are Apple's`() {
        let codes: [(CocoaError.Code, CocoaError.Code, Int, Int)] = [
            (.managedObjectValidation, CocoaError.managedObjectValidation, NSManagedObjectValidationError, 1550),
            (.validationMultipleErrors, CocoaError.validationMultipleErrors, NSValidationMultipleErrorsError, 1560),
            (
                .validationStringPatternMatching, CocoaError.validationStringPatternMatching,
                NSValidationStringPatternMatchingError, 1680
            ),
            (
                .managedObjectContextLocking, CocoaError.managedObjectContextLocking,
                NSManagedObjectContextLockingError, 132000
            ),
            (.managedObjectMerge, CocoaError.managedObjectMerge, NSManagedObjectMergeError, 133020),
            (
                .managedObjectConstraintMerge, CocoaError.managedObjectConstraintMerge,
                NSManagedObjectConstraintMergeError, 133021
            ),
            (
                .persistentStoreInvalidType, CocoaError.persistentStoreInvalidType, NSPersistentStoreInvalidTypeError,
                134000
            ),
            (.coreData, CocoaError.coreData, NSCoreDataError, 134060),
            (.migrationCancelled, CocoaError.migrationCancelled, NSMigrationCancelledError, 134120),
            (.entityMigrationPolicy, CocoaError.entityMigrationPolicy, NSEntityMigrationPolicyError, 134170),
            (.sqlite, CocoaError.sqlite, NSSQLiteError, 134180),
        ]
        for (code, member, global, number) in codes {
            #expect(code == member && code.rawValue == global && global == number, "\(number)")
        }
        #expect(CocoaError.externalRecordImport.rawValue == 134200)
        // The keys as Apple's logs show them.
        #expect(NSDetailedErrorsKey == "NSDetailedErrors" && NSValidationObjectErrorKey == "NSValidationErrorObject")
        #expect(NSValidationPredicateErrorKey == "NSValidationErrorPredicate")
        #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
    }

    @Test func `a single error names its object, key and value`() throws {
        let context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Leo", "age": 151])
        try context.make("Author", ["name": "Anna"])
        for call in [context.save, author.validateForInsert] {
            let error = try cocoaError { try call() }
            #expect(error.code == .validationNumberTooLarge)
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === author)
            #expect(error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [author])
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "age")
            #expect(error.userInfo[NSValidationValueErrorKey] as? NSNumber == 151)
            let predicate = error.userInfo[NSValidationPredicateErrorKey] as? NSPredicate
            #expect(predicate?.evaluate(with: 150) == true && predicate?.evaluate(with: 151) == false)
            for part in ["Author", "age", "151", "150"] { #expect(error.localizedDescription.contains(part)) }
        }
    }

    @Test func `a missing value is NSNull, and a relationship is the set of its objects`() throws {
        let context = try GraphLibrary.context()
        let author = try context.make("Author")
        var error = try cocoaError { try context.save() }
        #expect(error.code == .validationMissingMandatoryProperty)
        #expect(error.userInfo[NSValidationValueErrorKey] is NSNull)
        author.setValue("Leo", forKey: "name")
        let (shelf, book) = (try context.make("Shelf"), try context.make("Book", ["title": "a"]))
        book.setValue(shelf, forKey: "shelf")
        try context.save()
        context.delete(shelf)
        error = try cocoaError { try context.save() }
        #expect(error.code == .validationRelationshipDeniedDelete)
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === shelf)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "content")
        #expect(error.userInfo[NSValidationValueErrorKey] as? Set<NSManagedObject> == [book])
    }

    @Test func `several errors are details of one, each with its own object`() throws {
        let context = try GraphLibrary.context()
        let (author, book) = (try context.make("Author", ["age": 200]), try context.make("Book"))
        let error = try cocoaError { try context.save() }
        #expect(error.code == .validationMultipleErrors)
        #expect(error.userInfo[NSValidationObjectErrorKey] == nil)
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [any Error])
        let errors = details.compactMap { $0 as? CocoaError }
        #expect(errors.count == 3 && details.count == 3)
        func detail(_ key: String, of object: NSManagedObject) -> CocoaError? {
            errors.first {
                $0.userInfo[NSValidationKeyErrorKey] as? String == key
                    && $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === object
            }
        }
        #expect(detail("name", of: author)?.code == .validationMissingMandatoryProperty)
        #expect(detail("age", of: author)?.code == .validationNumberTooLarge)
        #expect(detail("title", of: book)?.code == .validationMissingMandatoryProperty)
        for detail in errors { #expect(error.localizedDescription.contains(detail.localizedDescription)) }
        let affected = error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] ?? []
        #expect(Set(affected) == [author, book])
    }

    @Test func `an error of an override is thrown as it is`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: OpinionatedTag.self)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        try context.make("Author", ["name": "Leo"])
        let tag = try #require(try context.make("Tag", ["name": "bad"]) as? OpinionatedTag)
        #expect(throws: OpinionatedTag.Opinion.self) { try context.save() }
        // Beside other errors, it is one of the details.
        try context.make("Book")
        let error = try cocoaError { try context.save() }
        #expect(error.code == .validationMultipleErrors)
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [any Error])
        #expect(details.count == 2 && details.contains { $0 is OpinionatedTag.Opinion })
        #expect(details.contains { ($0 as? CocoaError)?.code == .validationMissingMandatoryProperty })
        // A CocoaError of the application is not taken for one of the framework.
        tag.setValue("worse", forKey: "name")
        try #require(try context.all("Book").first).setValue("a", forKey: "title")
        let own = try cocoaError { try context.save() }
        #expect(own.code == .validationStringTooShort && own.asCoreData == nil && own.userInfo["mine"] as? Int == 1)
    }

    @Test func `an error that an override passes on keeps its content`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Author"]?.managedObjectClassName = String(reflecting: ForwardingAuthor.self)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        let author = try context.make("Author", ["age": 151, "code": "x"])
        for asNSError in [false, true] {
            try #require(author as? ForwardingAuthor).throwsNSErrors = asNSError
            try context.make("Book")
            let error = try cocoaError { try context.save() }
            let details = error.userInfo[NSDetailedErrorsKey] as? [CocoaError]
            let keys = details?.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String }
            #expect(keys?.sorted() == ["age", "code", "name", "title"], "\(asNSError)")
            for book in try context.all("Book") { context.delete(book) }
        }
    }

    @Test(.over(.file)) func `a container passes a CocoaError to its completion handler`() throws {
        let folder = try StoreFolder()
        try Data("no store, but some text that is long enough".utf8).write(to: folder.url())
        let container = NSPersistentContainer(name: "Library", managedObjectModel: GraphLibrary.model())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: folder.url())]
        // The stores are loaded before the call returns.
        nonisolated(unsafe) var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        let error = try #require(failure as? CocoaError)
        #expect(error.code.rawValue == error.asCoreData?.errorCode)
        #expect(error.localizedDescription.contains(folder.url().path))
    }

    @Test func `an error outside of a context has no objects, and still its values`() throws {
        let model = GraphLibrary.model()
        let author = NSManagedObject(entity: try #require(model.entitiesByName["Author"]), insertInto: nil)
        author.setValue("L", forKey: "name")
        let error = try cocoaError { try author.validateForUpdate() }
        #expect(error.code == .validationStringTooShort)
        #expect(error.userInfo[NSValidationValueErrorKey] as? String == "L")
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === author)
    }
}

final class OpinionatedTag: NSManagedObject {
    struct Opinion: Error {}

    override func validateForInsert() throws {
        try super.validateForInsert()
        if text("name") == "bad" { throw Opinion() }
        throw CocoaError(.validationStringTooShort, userInfo: ["mine": 1])
    }
}

final class ForwardingAuthor: NSManagedObject {
    var throwsNSErrors = false

    override func validateForInsert() throws {
        do {
            try super.validateForInsert()
        } catch {
            if throwsNSErrors { throw error as NSError }
            throw error
        }
    }
}
