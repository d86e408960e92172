import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

/// Steps whose objects were deleted since, by another context or in a child.
@Suite(.overEachStore)
struct UndoneDeletionTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let other: NSManagedObjectContext

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        context = GraphLibrary.context(coordinator)
        other = GraphLibrary.context(coordinator)
        let author = try context.make("Author", ["name": "Ann"])
        try context.make("Book", ["title": "a", "author": author])
        try context.save()
        context.undoManager = UndoManager()
    }

    private func book() throws -> NSManagedObject { try #require(try context.all("Book").first) }

    private func author() throws -> NSManagedObject { try #require(try context.all("Author").first) }

    private func deleteElsewhere(_ object: NSManagedObject) throws {
        other.delete(other.object(with: object.objectID))
        try other.save()
    }

    private func mergeDeletion(of object: NSManagedObject) {
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectIDsKey: [object.objectID]], into: [context])
    }

    private func child() -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        child.undoManager = UndoManager()
        return child
    }

    // MARK: Other contexts

    @Test func `undo does not bring back an object that another context has deleted`() throws {
        let (book, author) = (try book(), try author())
        book.setValue("b", forKey: "title")
        author.setValue("Anna", forKey: "name")
        try context.save()
        try deleteElsewhere(book)
        mergeDeletion(of: book)
        context.undo()
        #expect(author.text("name") == "Ann")
        #expect(context.insertedObjects.isEmpty && !book.isInserted)
        try context.save()
        #expect(try other.all("Book").isEmpty)
        context.redo()
        #expect(author.text("name") == "Anna" && context.insertedObjects.isEmpty)
    }

    @Test func `undo restores the other objects of a step if the row of one of them is gone`() throws {
        let (book, author) = (try book(), try author())
        book.setValue("b", forKey: "title")
        author.setValue("Anna", forKey: "name")
        try context.save()
        try deleteElsewhere(book)
        context.refresh(book, mergeChanges: false)
        context.undo()
        #expect(author.text("name") == "Ann" && context.updatedObjects == [author])
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Author").map { $0.text("name") } == ["Ann"])
    }

    @Test func `undo restores the other properties of an object if a former destination is gone`() throws {
        let (book, author) = (try book(), try author())
        book.setValue("b", forKey: "title")
        book.setValue(nil, forKey: "author")
        try context.save()
        try deleteElsewhere(author)
        context.refresh(author, mergeChanges: false)
        context.undo()
        #expect(book.text("title") == "a" && book.object("author") == nil)
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Book").map { $0.text("title") } == ["a"])
    }

    @Test func `a deletion without a step stays when an earlier step is undone`() throws {
        let book = try book()
        book.setValue("b", forKey: "title")
        context.processPendingChanges()
        context.undoManager?.disableUndoRegistration()
        context.delete(book)
        context.undoManager?.enableUndoRegistration()
        context.undo()
        #expect(book.isDeleted)
        try context.save()
        #expect(try other.all("Book").isEmpty)
    }

    @Test func `a deletion of the step returns after it was saved`() throws {
        let (book, author) = (try book(), try author())
        context.delete(book)
        author.setValue("Anna", forKey: "name")
        try context.save()
        context.undo()
        #expect(book.text("title") == "a" && book.object("author") === author && author.text("name") == "Ann")
        try context.save()
        #expect(try other.all("Book", "author.name == 'Ann'").count == 1)
    }

    // MARK: Children

    @Test func `a child undoes the saved deletion of an object that its parent has not saved`() throws {
        let child = child()
        let author = try #require(try child.all("Author").first)
        let book = try child.make("Book", ["title": "new", "author": author])
        try child.save()
        child.delete(book)
        try child.save()
        #expect(context.insertedObjects.isEmpty)
        child.undo()
        #expect(book.managedObjectContext === child && book.isInserted)
        #expect(book.text("title") == "new" && book.object("author") === author)
        try child.save()
        #expect(context.insertedObjects.count == 1)
        try context.save()
        #expect(try other.all("Book", "title == 'new' AND author.name == 'Ann'").count == 1)
    }

    @Test func `a child inserts an object again after it has saved the undoing of its insertion`() throws {
        let child = child()
        let book = try child.make("Book", ["title": "new"])
        try child.save()
        child.undo()
        try child.save()
        #expect(context.insertedObjects.isEmpty)
        child.redo()
        #expect(book.managedObjectContext === child && book.text("title") == "new")
        try child.save()
        try context.save()
        #expect(try other.all("Book", "title == 'new'").count == 1)
    }

    // MARK: Insertions

    /// A tag that notes its events, in a context of its own, which has an undo manager.
    private func tag() throws -> (NSManagedObjectContext, LifeTag) {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: LifeTag.self)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        context.undoManager = UndoManager()
        let tag = LifeTag(context: context)
        tag.setValue("art", forKey: "name")
        context.processPendingChanges()
        return (context, tag)
    }

    @Test func `an insertion that is done again does not call awakeFromInsert again`() throws {
        let (context, tag) = try tag()
        context.undo()
        #expect(tag.managedObjectContext == nil && context.insertedObjects.isEmpty)
        context.redo()
        #expect(tag.managedObjectContext === context && tag.text("name") == "art")
        #expect(context.insertedObjects == [tag])
        #expect(tag.events.filter { $0 == "awakeFromInsert" } == ["awakeFromInsert"])
    }

    @Test func `an insertion that is undone does not delete earlier objects by a cascade without an inverse`() throws {
        let leaf = Build.entity("Leaf", [Build.attribute("name")])
        let stem = Build.entity("Stem", [Build.attribute("name")])
        stem.properties += [
            Build.toOne("first", leaf) { $0.deleteRule = .cascadeDeleteRule },
            Build.toMany("leaves", leaf) { $0.deleteRule = .cascadeDeleteRule },
        ]
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(stem, leaf)))
        let leaves = try ["a", "b"].map { try context.make("Leaf", ["name": $0]) }
        try context.save()
        context.undoManager = UndoManager()
        let object = try context.make("Stem", ["first": leaves[0], "leaves": Set([leaves[1]])])
        context.undo()
        #expect(object.managedObjectContext == nil && context.deletedObjects.isEmpty)
        context.redo()
        #expect(context.insertedObjects == [object])
        #expect(object.object("first") === leaves[0] && object.set("leaves") == [leaves[1]])
        try context.save()
        #expect(try context.all("Leaf").count == 2)
    }

    @Test func `an insertion that is undone does not delete the earlier owner of a member by a cascade`() throws {
        let parent = try context.make("Person", ["name": "Ann"])
        try context.save()
        let child = try context.make("Person", ["name": "Ben", "parent": parent])
        context.undo()
        #expect(child.managedObjectContext == nil && context.deletedObjects.isEmpty)
        #expect(parent.set("children").isEmpty)
        context.redo()
        #expect(context.insertedObjects == [child] && child.object("parent") === parent)
        #expect(parent.set("children") == [child])
        try context.save()
        #expect(try other.all("Person").count == 2)
    }

    @Test func `a deletion that was taken back and is undone does not reach an earlier owner`() throws {
        let parent = try context.make("Person", ["name": "Ann"])
        let child = try context.make("Person", ["name": "Ben", "parent": parent])
        try context.save()
        context.delete(child)
        context.processPendingChanges()
        #expect(context.deletedObjects == [child, parent])
        context.insert(parent)
        context.processPendingChanges()
        context.insert(child)
        #expect(child.object("parent") === parent)
        context.undo()
        #expect(context.deletedObjects == [child])
        context.redo()
        #expect(context.deletedObjects.isEmpty && child.object("parent") === parent)
        for _ in 0..<3 { context.undo() }
        #expect(context.deletedObjects.isEmpty && child.object("parent") === parent)
        #expect(parent.set("children") == [child])
    }

    @Test func `an object that is inserted again awakes from its first insertion only`() throws {
        let (context, tag) = try tag()
        context.delete(tag)
        context.insert(tag)
        #expect(context.insertedObjects == [tag])
        context.rollback()
        context.insert(tag)
        #expect(context.insertedObjects == [tag])
        #expect(tag.events.filter { $0 == "awakeFromInsert" } == ["awakeFromInsert"])
    }
}
