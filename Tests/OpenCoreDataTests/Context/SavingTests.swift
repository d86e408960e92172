import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving", .overEachStore)
struct SavingTests {
    @Test func `a save is one transaction: an error in the last object leaves the first unsaved`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        try context.make("Book", ["title": "old", "isbn": "1"])
        try context.save()
        let other = GraphLibrary.context(coordinator)
        try other.make("Author", ["name": "Leo"])
        try other.make("Book", ["title": "new", "isbn": "1"])
        #expect(coreDataError { try other.save() }?.errorCode == NSManagedObjectConstraintMergeError)
        #expect(other.hasChanges)
        #expect(try GraphLibrary.context(coordinator).all("Author").isEmpty)
    }

    @Test func `only changed columns are written, and an equal value is not written`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let author = try context.make("Author", ["name": "Leo", "age": 3])
        try context.save()
        author.setValue("Leo", forKey: "name")
        #expect(author.hasChanges && !author.hasPersistentChangedValues && author.changedValues().isEmpty)
        let saved = author.snapshot.version
        try context.save()
        #expect(!context.hasChanges && author.snapshot.version == saved)
        author.setValue(4, forKey: "age")
        #expect(author.changedValues().keys.sorted() == ["age"])
        author.setValue(3, forKey: "age")
        #expect(!author.hasPersistentChangedValues)
        let version = author.snapshot.version
        author.setValue(9, forKey: "age")
        #expect(author.committedValues(forKeys: ["age"])["age"] as? Int == 3)
        try context.save()
        #expect(author.snapshot.version == (version ?? 0) + 1)
        #expect(author.committedValues(forKeys: nil)["age"] as? Int == 9)
    }

    @Test func `the sets of inserted, updated and deleted objects are correct`() throws {
        let context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Leo"])
        #expect(context.insertedObjects == [author] && author.isInserted && !author.isUpdated)
        try context.save()
        #expect(!context.hasChanges && !author.isInserted)
        author.setValue("Ann", forKey: "name")
        #expect(context.updatedObjects == [author] && author.isUpdated)
        context.delete(author)
        #expect(context.deletedObjects == [author] && context.updatedObjects.isEmpty && author.isDeleted)
        try context.save()
        #expect(context.deletedObjects.isEmpty && context.registeredObjects.isEmpty)
    }

    @Test func `rollback restores the state of the store`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let leo = try context.make("Author", ["name": "Leo"])
        let book = try context.make("Book", ["title": "War", "author": leo])
        let tag = try context.make("Tag", ["name": "t", "books": Set([book])])
        try context.save()
        leo.setValue("Changed", forKey: "name")
        context.delete(book)
        let new = try context.make("Author", ["name": "New"])
        context.rollback()
        #expect(!context.hasChanges)
        #expect(leo.text("name") == "Leo" && !book.isDeleted && book.object("author") === leo)
        #expect(leo.set("books") == [book] && tag.set("books") == [book])
        #expect(new.managedObjectContext == nil)
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Author").count == 1)
    }

    @Test func `reset releases everything`() throws {
        let context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Leo"])
        try context.save()
        try context.make("Author", ["name": "Ann"])
        context.reset()
        #expect(author.managedObjectContext == nil && !context.hasChanges && context.registeredObjects.isEmpty)
        #expect(try context.all("Author").count == 1)
    }

    @Test func `permanent ids can be had before the save`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let first = try context.make("Author", ["name": "Leo"])
        let book = try context.make("Book", ["title": "War", "author": first])
        try context.obtainPermanentIDs(for: [first, book])
        #expect(!first.objectID.isTemporaryID && first.isInserted)
        #expect(context.registeredObject(for: first.objectID) === first)
        let id = first.objectID
        try context.make("Author", ["name": "Ann"])
        try context.save()
        #expect(first.objectID == id)
        let other = GraphLibrary.context(coordinator)
        #expect(try other.existingObject(with: id).text("name") == "Leo")
        #expect(other.object(with: book.objectID).object("author")?.objectID == id)
    }

    @Test func `a save is announced with its objects and its ids`() throws {
        let context = try GraphLibrary.context()
        let leo = try context.make("Author", ["name": "Leo"])
        let ann = try context.make("Author", ["name": "Ann"])
        try context.save()
        let seen = Seen()
        let center = NotificationCenter.default
        let tokens = [
            center.addObserver(forName: .NSManagedObjectContextDidSave, object: context, queue: nil) { note in
                seen.note(
                    "objects", NSInsertedObjectsKey,
                    (note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count)
                seen.note(
                    "objects", NSUpdatedObjectsKey,
                    (note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>)?.count)
                seen.note(
                    "objects", NSDeletedObjectsKey,
                    (note.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.count)
            },
            center.addObserver(
                forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: context, queue: nil
            ) { note in
                let ids = note.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>
                seen.note("ids", NSInsertedObjectsKey, ids?.filter { !$0.isTemporaryID }.count)
            },
        ]
        defer { for token in tokens { center.removeObserver(token) } }
        leo.setValue("Leon", forKey: "name")
        context.delete(ann)
        try context.make("Tag", ["name": "a"])
        try context.make("Tag", ["name": "b"])
        try context.save()
        #expect(seen.all == ["objects inserted 2", "objects updated 1", "objects deleted 1", "ids inserted 2"])
    }

    @Test func `a transient attribute keeps its value as long as the object, and is never stored`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try context.make("Book", ["title": "War", "scratch": "note"])
        try context.save()
        #expect(book.text("scratch") == "note")
        #expect(GraphLibrary.context(coordinator).object(with: book.objectID).text("scratch") == nil)
    }

    @Test func `a transient attribute keeps its value when another attribute is set after a save`() throws {
        let context = GraphLibrary.context(try GraphLibrary.coordinator())
        let book = try context.make("Book", ["title": "War", "scratch": "note"])
        try context.save()
        book.setValue("Peace", forKey: "title")
        #expect(book.text("scratch") == "note")
        try context.save()
        #expect(book.text("scratch") == "note")
        book.setValue(nil, forKey: "scratch")
        try context.save()
        book.setValue("War", forKey: "title")
        #expect(book.text("scratch") == nil)
    }

    @Test(
        arguments: [NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite], [true, false])
    func `a transient attribute keeps its value when a conflict is settled`(
        policy: NSMergePolicy, changesRelationshipsAlone: Bool
    ) throws {
        let coordinator = try GraphLibrary.coordinator()
        let (context, other) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
        context.mergePolicy = policy
        let book = try context.make("Book", ["title": "War", "scratch": "note"])
        let author = try context.make("Author", ["name": "Leo"])
        try context.save()
        other.object(with: book.objectID).setValue("Peace", forKey: "title")
        try other.save()
        if changesRelationshipsAlone {
            book.setValue(author, forKey: "author")
        } else {
            book.setValue(5, forKey: "year")
        }
        try context.save()
        #expect(book.text("title") == (policy.mergeType == .overwriteMergePolicyType ? "War" : "Peace"))
        #expect(book.text("scratch") == "note")
        book.setValue(changesRelationshipsAlone ? nil : author, forKey: "author")
        context.refresh(book, mergeChanges: true)
        #expect(book.text("scratch") == "note")
    }

    @Test func `a read-only store rejects a save with a clear error`() throws {
        let folder = try StoreFolder()
        let url = folder.url()
        let writer = try GraphLibrary.context(at: url)
        try writer.make("Tag", ["name": "a"])
        try writer.save()
        let coordinator = try GraphLibrary.coordinator(at: url, options: [NSReadOnlyPersistentStoreOption: true])
        let context = GraphLibrary.context(coordinator)
        #expect(try context.all("Tag").count == 1)
        try context.make("Tag", ["name": "b"])
        let error = try #require(coreDataError { try context.save() })
        #expect(error.errorCode == NSPersistentStoreSaveError && error.message.contains("read-only"))
    }
}

private final class Seen: @unchecked Sendable {
    // Notifications of these tests arrive on the thread that saves.
    private(set) var all: [String] = []
    func note(_ kind: String, _ key: String, _ count: Int?) { all.append("\(kind) \(key) \(count ?? -1)") }
}
