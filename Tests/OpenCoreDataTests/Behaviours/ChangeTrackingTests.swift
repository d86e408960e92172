import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Change tracking as Apple's headers describe it: `NSManagedObject.h`.
@Suite(.overEachStore)
struct ChangeTrackingTests {
    private func coordinator() throws -> NSPersistentStoreCoordinator {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: SavingTag.self)
        let coordinator = try GraphLibrary.coordinator(model: model)
        try GraphLibrary.context(coordinator).with { context in
            let author = try context.make("Author", ["name": "Ann"])
            let other = try context.make("Author", ["name": "Ben"])
            _ = try context.make("Book", ["title": "a", "author": author])
            _ = try context.make("Book", ["title": "b", "author": other])
            _ = try context.make("Tag", ["name": "t"])
        }
        return coordinator
    }

    private func version(_ title: String, _ coordinator: NSPersistentStoreCoordinator) throws -> Int64? {
        try GraphLibrary.context(coordinator).all("Book", "title == %@", title).first?.snapshot.version
    }

    @Test func `setValue with an equal value makes the object dirty, and writes nothing`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try #require(try context.all("Book", "title == 'a'").first)
        let before = try version("a", coordinator)
        book.setValue("a", forKey: "title")
        #expect(book.hasChanges && book.isUpdated && context.hasChanges)
        #expect(context.updatedObjects == [book])
        #expect(!book.hasPersistentChangedValues)
        #expect(book.changedValues().isEmpty)
        try context.save()
        #expect(!book.hasChanges && !context.hasChanges)
        #expect(try version("a", coordinator) == before)
    }

    @Test func `setPrimitiveValue bypasses change tracking`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try #require(try context.all("Book", "title == 'a'").first)
        book.setPrimitiveValue(1999, forKey: "year")
        #expect(book.primitiveValue(forKey: "year") as? Int == 1999)
        #expect(book.value(forKey: "year") as? Int == 1999)
        #expect(!book.hasChanges && !context.hasChanges)
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Book", "year == 1999").isEmpty)
    }

    @Test func `a primitive value is saved with the other changes of its object`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try #require(try context.all("Book", "title == 'a'").first)
        book.setPrimitiveValue(1999, forKey: "year")
        book.setValue(3, forKey: "stock")
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Book", "year == 1999 AND stock == 3").count == 1)
    }

    @Test func `willChangeValue and didChangeValue around a primitive value mark the object`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try #require(try context.all("Book", "title == 'a'").first)
        book.willChangeValue(forKey: "year")
        book.setPrimitiveValue(1999, forKey: "year")
        book.didChangeValue(forKey: "year")
        #expect(book.isUpdated)
        #expect(book.changedValuesForCurrentEvent().keys.sorted() == ["year"])
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Book", "year == 1999").count == 1)
    }

    @Test func `the earlier value of a second event is noted by willChangeValue`() throws {
        let context = GraphLibrary.context(try coordinator())
        let book = try #require(try context.all("Book", "title == 'a'").first)
        book.setValue(1, forKey: "stock")
        context.processPendingChanges()
        book.willChangeValue(forKey: "stock")
        book.setPrimitiveValue(2, forKey: "stock")
        book.didChangeValue(forKey: "stock")
        #expect(book.changedValuesForCurrentEvent()["stock"] as? Int == 1)
    }

    @Test func `a relationship that was set as a primitive value is saved once it is announced`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let ben = try #require(try context.all("Author", "name == 'Ben'").first)
        let book = try #require(try context.all("Book", "title == 'a'").first)
        ben.willChangeValue(forKey: "books")
        ben.setPrimitiveValue(ben.set("books").union([book]), forKey: "books")
        #expect(!context.hasChanges)
        ben.didChangeValue(forKey: "books")
        #expect(book.isUpdated && ben.isUpdated)
        #expect(book.object("author") === ben)
        try context.save()
        let stored = try GraphLibrary.context(coordinator).all("Book", "author.name == 'Ben'", sort: "title")
        #expect(stored.map { $0.text("title") } == ["a", "b"])
    }

    @Test func `a set mutation marks the objects as a change of the relationship does`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let ben = try #require(try context.all("Author", "name == 'Ben'").first)
        let added = Set(try context.all("Book", "title == 'a'"))
        ben.willChangeValue(forKey: "books", withSetMutation: .union, using: added)
        ben.setPrimitiveValue(ben.set("books").union(added), forKey: "books")
        #expect(!context.hasChanges)
        ben.didChangeValue(forKey: "books", withSetMutation: .union, using: added)
        #expect(added.union([ben]).isSubset(of: context.updatedObjects))
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Book", "author.name == 'Ben'").count == 2)
    }

    @Test func `changedValues leaves out transient properties`() throws {
        let context = GraphLibrary.context(try coordinator())
        let book = try #require(try context.all("Book", "title == 'a'").first)
        book.setValue("note", forKey: "scratch")
        #expect(book.hasChanges)
        #expect(book.changedValues().isEmpty)
        book.setValue(5, forKey: "stock")
        #expect(book.changedValues().keys.sorted() == ["stock"])
    }

    // MARK: Saving

    @Test func `willSave is called again after it has changed its object`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let tag = try #require(try context.all("Tag").first as? SavingTag)
        tag.onSaving = { tag in
            guard tag.text("name") != "three" else { return }
            tag.setValue(tag.text("name") == "two" ? "three" : "two", forKey: "name")
        }
        tag.setValue("one", forKey: "name")
        try context.save()
        #expect(tag.savings == 3)
        #expect(try GraphLibrary.context(coordinator).all("Tag").first?.text("name") == "three")
    }

    @Test func `willSave that changes another object has that one called`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let other = SavingTag(context: context)
        other.setValue("other", forKey: "name")
        try context.save()
        let tag = try #require(try context.all("Tag", "name == 't'").first as? SavingTag)
        tag.onSaving = { _ in if other.text("name") == "other" { other.setValue("changed", forKey: "name") } }
        tag.setValue("one", forKey: "name")
        let before = other.savings
        try context.save()
        #expect(other.savings == before + 1)
        #expect(try GraphLibrary.context(coordinator).all("Tag", "name == 'changed'").count == 1)
    }

    @Test func `willSave that always changes its object is an error that names it`() throws {
        let context = GraphLibrary.context(try coordinator())
        let tag = try #require(try context.all("Tag").first as? SavingTag)
        tag.onSaving = { $0.setValue(($0.text("name") ?? "") + "+", forKey: "name") }
        tag.setValue("one", forKey: "name")
        let error = #expect(throws: (any Error).self) { try context.save() }
        #expect(error.map { "\($0)" }?.contains("willSave of Tag") == true)
        #expect(tag.hasChanges)
    }

    @Test func `willSave may set a primitive value without another call`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let tag = try #require(try context.all("Tag").first as? SavingTag)
        tag.onSaving = { $0.setPrimitiveValue("primitive", forKey: "name") }
        tag.setValue("one", forKey: "name")
        try context.save()
        #expect(tag.savings == 1)
        #expect(try GraphLibrary.context(coordinator).all("Tag").first?.text("name") == "primitive")
    }

    @Test func `isDeleted is true in didSave, and false afterwards`() throws {
        let context = GraphLibrary.context(try coordinator())
        let tag = try #require(try context.all("Tag").first as? SavingTag)
        context.delete(tag)
        #expect(tag.isDeleted)
        try context.save()
        #expect(tag.wasDeletedInDidSave == true)
        #expect(!tag.isDeleted)
        #expect(tag.managedObjectContext == nil)
    }

    // MARK: Objects that leave the context

    @Test func `an unsaved object that is deleted leaves the context, and is not saved`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let tag = try context.make("Tag", ["name": "new"])
        context.delete(tag)
        #expect(!tag.isInserted && !tag.isDeleted && !tag.hasChanges)
        #expect(context.deletedObjects.isEmpty && context.insertedObjects.isEmpty && !context.hasChanges)
        try context.save()
        #expect(tag.managedObjectContext == nil)
        #expect(try GraphLibrary.context(coordinator).all("Tag").count == 1)
    }

    @Test func `refresh without merging makes a fault, and loses the changes`() throws {
        let context = GraphLibrary.context(try coordinator())
        let book = try #require(try context.all("Book", "title == 'a'").first)
        let author = try #require(book.object("author"))
        book.setValue("changed", forKey: "title")
        book.setValue("note", forKey: "scratch")
        context.refresh(book, mergeChanges: false)
        #expect(book.isFault && !book.hasChanges && !context.hasChanges)
        #expect(book.text("title") == "a")
        #expect(book.text("scratch") == nil)
        #expect(book.object("author") === author)
    }

    @Test func `refresh of an unsaved object changes nothing`() throws {
        let context = GraphLibrary.context(try coordinator())
        let tag = try context.make("Tag", ["name": "new"])
        context.refresh(tag, mergeChanges: false)
        #expect(tag.isInserted && tag.text("name") == "new")
    }

    @Test func `reset forgets all objects and changes`() throws {
        let context = GraphLibrary.context(try coordinator())
        let book = try #require(try context.all("Book", "title == 'a'").first)
        book.setValue("changed", forKey: "title")
        let new = try context.make("Tag", ["name": "new"])
        context.reset()
        #expect(context.registeredObjects.isEmpty && !context.hasChanges)
        #expect(book.managedObjectContext == nil && new.managedObjectContext == nil)
        #expect(try context.all("Book", "title == 'a'").first !== book)
    }
}

/// A tag that counts its saves.
final class SavingTag: NSManagedObject {
    var savings = 0
    var wasDeletedInDidSave: Bool?
    var onSaving: (SavingTag) -> Void = { _ in }
    override func willSave() {
        super.willSave()
        savings += 1
        onSaving(self)
    }
    override func didSave() {
        super.didSave()
        wasDeletedInDidSave = isDeleted
    }
}
