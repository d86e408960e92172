import Foundation
import OpenCoreData
import TestSupport
import Testing

/// Source: the documentation of `NSManagedObject` and of key-value coding, and NSManagedObject.h.
@Suite("Sentences about objects", .overEachStore)
struct ObjectSentenceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: SentenceTag.self)
        coordinator = try GraphLibrary.coordinator(model: model)
        context = GraphLibrary.context(coordinator)
        let writer = GraphLibrary.context(coordinator)
        let leo = try writer.make("Author", ["name": "Leo"])
        let tag = try writer.make("Tag", ["name": "old"])
        for title in ["War", "Peace"] {
            try writer.make("Book", ["title": title, "author": leo, "tags": Set([tag])])
        }
        try writer.save()
    }

    private func book() throws -> NSManagedObject {
        try #require(try context.all("Book", "title == 'War'").first)
    }

    private func tag() throws -> SentenceTag { try #require(try context.all("Tag").first as? SentenceTag) }

    // MARK: Values

    @Test func `the ids of a relationship to one are a list of one id, or an empty list`() throws {
        let book = try book()
        let author = try #require(try context.all("Author").first)
        #expect(book.objectIDs(forRelationshipNamed: "author") == [author.objectID])
        #expect(book.objectIDs(forRelationshipNamed: "shelf").isEmpty)
    }

    @Test func `the ids of a relationship to many are a list, whether it is ordered or not`() throws {
        let author = try #require(try context.all("Author").first)
        let book = try book()
        for mark in 1...3 { try context.make("Review", ["mark": mark, "book": book]) }
        try context.save()
        let books = try context.all("Book")
        let ids = author.objectIDs(forRelationshipNamed: "books")
        #expect(ids.count == 2 && Set(ids) == Set(books.map { $0.objectID }))
        #expect(book.objectIDs(forRelationshipNamed: "reviews") == book.list("reviews").map { $0.objectID })
        #expect(book.list("reviews").count == 3)
    }

    @Test func `a dictionary of values has NSNull for a missing one`() throws {
        let values = try book().dictionaryWithValues(forKeys: ["title", "year"])
        #expect(values.count == 2 && values["title"] as? String == "War")
        #expect(values["year"] is NSNull)
    }

    @Test func `NSNull in a dictionary of values sets nil`() throws {
        let book = try book()
        book.setValuesForKeys(["title": "Anna", "stock": NSNull()])
        #expect(book.text("title") == "Anna")
        #expect(book.value(forKey: "stock") == nil)
    }

    @Test func `the committed values of all keys have NSNull for missing ones, and no transient values`() throws {
        let book = try book()
        book.setValue(1869, forKey: "year")
        book.setValue("note", forKey: "scratch")
        let values = book.committedValues(forKeys: nil)
        #expect(values["title"] as? String == "War")
        #expect(values["year"] is NSNull)
        #expect(values["scratch"] == nil)
    }

    @Test func `a transient value is a change, and not a persistent one`() throws {
        let book = try book()
        book.setValue("note", forKey: "scratch")
        #expect(book.hasChanges && !book.hasPersistentChangedValues)
        book.setValue(1869, forKey: "year")
        #expect(book.hasPersistentChangedValues)
    }

    // MARK: Faults

    @Test func `a fault stays one when its identity and its state are asked for`() throws {
        let id = try tag().objectID
        let other = GraphLibrary.context(coordinator)
        let fault = other.object(with: id)
        #expect(fault.objectID == id && fault.entity.name == "Tag" && fault.managedObjectContext === other)
        #expect(!fault.isInserted && !fault.isUpdated && !fault.isDeleted && !fault.hasChanges)
        #expect(Set([fault]).contains(fault) && fault.isEqual(fault))
        #expect(!fault.description.isEmpty)
        #expect(fault.isFault)
    }

    @Test func `access to no key in particular fires a fault`() throws {
        let id = try book().objectID
        let other = GraphLibrary.context(coordinator)
        let fault = other.object(with: id)
        #expect(fault.isFault)
        fault.willAccessValue(forKey: nil)
        #expect(!fault.isFault)
    }

    @Test func `an object has its values before it turns into a fault, and is one afterwards`() throws {
        let tag = try tag()
        #expect(tag.text("name") == "old")
        #expect(tag.notes("fault").isEmpty)
        context.refresh(tag, mergeChanges: false)
        #expect(tag.notes("fault") == ["fault: will be, named old", "fault: is true"])
    }

    // MARK: Life

    @Test func `an object awakes from its insertion when a context gets it, and not before`() throws {
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
        let tag = SentenceTag(entity: entity, insertInto: nil)
        #expect(tag.managedObjectContext == nil && tag.notes("awake").isEmpty)
        context.insert(tag)
        #expect(tag.managedObjectContext === context && tag.notes("awake") == ["awakeFromInsert"])
    }

    @Test func `an object is told that its change was undone`() throws {
        let manager = UndoManager()
        context.undoManager = manager
        let tag = try tag()
        tag.setValue("new", forKey: "name")
        context.processPendingChanges()
        #expect(tag.snapshotEvents.isEmpty)
        context.undo()
        #expect(tag.text("name") == "old")
        #expect(tag.snapshotEvents.contains { $0.contains(.undoUpdate) })
    }

    @Test func `an object is told that its deletion was undone`() throws {
        let manager = UndoManager()
        context.undoManager = manager
        let tag = try tag()
        context.delete(tag)
        context.processPendingChanges()
        context.undo()
        #expect(!tag.isDeleted && tag.text("name") == "old")
        #expect(tag.snapshotEvents.contains { $0.contains(.undoDeletion) })
    }

    @Test func `an object that is about to be deleted still has its relationships`() throws {
        let tag = try tag()
        context.delete(tag)
        #expect(tag.notes("prepareForDeletion") == ["prepareForDeletion, books: 2"])
    }

    @Test func `an object that is deleted knows it before the save`() throws {
        let tag = try tag()
        context.delete(tag)
        #expect(tag.notes("willSave").isEmpty)
        try context.save()
        #expect(tag.notes("willSave") == ["willSave, isDeleted: true"])
    }

    @Test func `a save validates an object for what happens to it`() throws {
        let tag = SentenceTag(context: context)
        tag.setValue("new", forKey: "name")
        try context.save()
        #expect(Set(tag.notes("validate")) == ["validate insertion"])
        tag.setValue("newer", forKey: "name")
        try context.save()
        #expect(Set(tag.notes("validate")) == ["validate insertion", "validate update"])
        let updates = tag.notes("validate").count
        context.delete(tag)
        try context.save()
        #expect(Set(tag.notes("validate").dropFirst(updates)) == ["validate deletion"])
    }
}
