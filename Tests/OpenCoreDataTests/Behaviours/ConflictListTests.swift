import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Source: NSMergePolicy.h and CoreDataErrors.h.
@Suite("Behaviours: conflicts in errors", .overEachStore)
struct ConflictListTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let first: NSManagedObjectContext
    private let second: NSManagedObjectContext

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        (first, second) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
    }

    private func mine(_ object: NSManagedObject) throws -> NSManagedObject {
        try second.existingObject(with: object.objectID)
    }

    private func conflicts<Conflict>(of code: CocoaError.Code, as type: Conflict.Type) throws -> [Conflict] {
        let error = try #require(throws: CocoaError.self) { try second.save() }
        #expect(error.code == code)
        let stores = error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore]
        #expect(stores == coordinator.persistentStores)
        return try #require(error.userInfo["conflictList"] as? [Conflict])
    }

    @Test func `a changed row is a merge conflict with both versions and three snapshots`() throws {
        let leo = try first.make("Author", ["name": "Leo", "age": 1])
        let book = try first.make("Book", ["title": "a", "author": leo, "scratch": "s"])
        let ann = try first.make("Author", ["name": "Ann"])
        try first.save()
        let object = try mine(book)
        book.setValue("theirs", forKey: "title")
        book.setValue(ann, forKey: "author")
        try first.save()
        object.setValue("mine", forKey: "title")
        object.setValue(5, forKey: "year")
        let found = try conflicts(of: .managedObjectMerge, as: NSMergeConflict.self)
        let conflict = try #require(found.first)
        #expect(found.count == 1 && conflict.sourceObject === object)
        #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
        #expect(conflict.cachedSnapshot?["title"] as? String == "a" && conflict.cachedSnapshot?["year"] is NSNull)
        #expect(conflict.cachedSnapshot?["author"] as? NSManagedObjectID == leo.objectID)
        #expect(conflict.persistedSnapshot?["title"] as? String == "theirs")
        #expect(conflict.persistedSnapshot?["author"] as? NSManagedObjectID == ann.objectID)
        #expect(conflict.objectSnapshot?["title"] as? String == "mine")
        #expect(conflict.objectSnapshot?["year"] as? NSNumber == 5)
        #expect(conflict.objectSnapshot?["author"] as? NSManagedObjectID == leo.objectID)
        // Attributes that are stored and to-one relationships, and nothing else.
        let keys: Set = ["title", "year", "isbn", "stock", "author", "shelf"]
        #expect(conflict.objectSnapshot.map { Set($0.keys) } == keys)
        #expect(conflict.persistedSnapshot.map { Set($0.keys) } == keys)
        // Nothing was changed by the report.
        #expect(object.text("title") == "mine" && second.updatedObjects == [object])
        second.refresh(object, mergeChanges: true)
        try second.save()
        #expect(object.text("title") == "mine")
        #expect(try object.object("author") === mine(ann))
    }

    @Test func `a deleted row has the version 0 and no persisted snapshot`() throws {
        let author = try first.make("Author", ["name": "Leo"])
        let tag = try first.make("Tag", ["name": "t"])
        try first.save()
        let objects = (try mine(author), try mine(tag))
        first.delete(author)
        tag.setValue("theirs", forKey: "name")
        try first.save()
        objects.0.setValue(3, forKey: "age")
        second.delete(objects.1)
        let found = try conflicts(of: .managedObjectMerge, as: NSMergeConflict.self)
        let changed = try #require(found.first { $0.sourceObject === objects.0 })
        #expect(changed.newVersionNumber == 0 && changed.oldVersionNumber == 1 && changed.persistedSnapshot == nil)
        #expect(changed.objectSnapshot?["age"] as? NSNumber == 3)
        let deleted = try #require(found.first { $0.sourceObject === objects.1 })
        #expect(deleted.newVersionNumber == 2 && deleted.objectSnapshot == nil)
        #expect(deleted.persistedSnapshot?["name"] as? String == "theirs" && found.count == 2)
    }

    @Test func `a taken unique value is a constraint conflict with the object of the row`() throws {
        let old = try first.make("Book", ["title": "old", "isbn": "1"])
        try first.save()
        let new = try second.make("Novel", ["title": "new", "isbn": "1"])
        let found = try conflicts(of: .managedObjectConstraintMerge, as: NSConstraintConflict.self)
        let conflict = try #require(found.first)
        #expect(found.count == 1 && conflict.constraint == ["isbn"])
        #expect(conflict.constraintValues["isbn"] as? String == "1")
        #expect(conflict.databaseObject === (try mine(old)) && conflict.conflictingObjects == [new])
        #expect(conflict.databaseSnapshot?["title"] as? String == "old")
        #expect(conflict.conflictingSnapshots.map(\.isEmpty) == [true])
        #expect(conflict.description.contains("isbn"))
    }

    @Test func `an object that takes another's unique value has its saved values as a snapshot`() throws {
        let books = try ["1", "2"].map { try first.make("Book", ["title": $0, "isbn": $0]) }
        try first.save()
        let object = try mine(books[1])
        object.setValue("1", forKey: "isbn")
        for policy in [NSMergePolicy.error, .overwrite] {
            second.mergePolicy = policy
            let found = try conflicts(of: .managedObjectConstraintMerge, as: NSConstraintConflict.self)
            let conflict = try #require(found.first)
            #expect(conflict.databaseObject === (try mine(books[0])) && conflict.conflictingObjects == [object])
            #expect(conflict.conflictingSnapshots.first?["isbn"] as? String == "2")
        }
    }

    @Test func `conflicts can be made as an application does`() throws {
        let book = try first.make("Book", ["title": "a", "isbn": "1"])
        let merge = NSMergeConflict(
            source: book, newVersion: 0, oldVersion: 3, cachedSnapshot: ["title": "b"], persistedSnapshot: nil)
        #expect(merge.sourceObject === book && merge.newVersionNumber == 0 && merge.oldVersionNumber == 3)
        #expect(merge.objectSnapshot?["title"] as? String == "a" && merge.cachedSnapshot?["title"] as? String == "b")
        let constraint = NSConstraintConflict(
            constraint: ["isbn"], database: nil, databaseSnapshot: nil, conflicting: [book],
            conflictingSnapshots: [NSNull()])
        #expect(constraint.constraintValues["isbn"] as? String == "1" && constraint.databaseObject == nil)
        #expect(constraint.conflictingObjects == [book] && constraint.conflictingSnapshots.count == 1)
    }
}
