import Foundation
import OpenCoreData
import TestSupport
import Testing

/// Deletions that a child saves to its parent, and then takes back.
@Suite(.overEachStore)
struct ParentUndoTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let root: NSManagedObjectContext
    private let child: NSManagedObjectContext
    private let book: NSManagedObject

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        root = GraphLibrary.context(coordinator)
        child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
        child.undoManager = UndoManager()
        let author = try root.make("Author", ["name": "Ann"])
        let tag = try root.make("Tag", ["name": "t"])
        book = try root.make("Book", ["title": "a", "author": author])
        book.mutableSetValue(forKey: "tags").add(tag)
        for mark in 1...3 {
            book.mutableOrderedSetValue(forKey: "reviews").add(try root.make("Review", ["mark": mark]))
        }
        try root.save()
    }

    private func marks(_ book: NSManagedObject?) -> [Int] {
        (book?.list("reviews") ?? []).compactMap { $0.value(forKey: "mark") as? Int }
    }

    @Test func `the parent takes back a deletion that it has not saved`() throws {
        let own = try child.existingObject(with: book.objectID)
        child.delete(own)
        try child.save()
        #expect(book.isDeleted)
        child.undo()
        #expect(!own.isDeleted && own.text("title") == "a")
        try child.save()
        #expect(!book.isDeleted && root.insertedObjects.isEmpty && root.deletedObjects.isEmpty)
        #expect(try root.all("Book") == [book] && marks(book) == [1, 2, 3])
        try root.save()
        let context = GraphLibrary.context(coordinator)
        let stored = try #require(try context.all("Book").first)
        #expect(stored.object("author")?.text("name") == "Ann" && stored.set("tags").count == 1)
        #expect(marks(stored) == [1, 2, 3])
    }

    @Test func `an object that returns has the values and the members of the child`() throws {
        let own = try child.existingObject(with: book.objectID)
        child.delete(own)
        try child.save()
        child.undo()
        own.setValue("b", forKey: "title")
        own.setValue(nil, forKey: "author")
        own.setValue(Set<NSManagedObject>(), forKey: "tags")
        own.setValue(NSOrderedSet(array: own.list("reviews").reversed()), forKey: "reviews")
        try child.save()
        #expect(book.text("title") == "b" && book.object("author") == nil && book.set("tags").isEmpty)
        #expect(marks(book) == [3, 2, 1])
        try root.save()
        let context = GraphLibrary.context(coordinator)
        let stored = try #require(try context.all("Book").first)
        #expect(stored.text("title") == "b" && stored.set("tags").isEmpty && marks(stored) == [3, 2, 1])
    }

    @Test func `an object that returns after its parent has undone the deletion has one row`() throws {
        // The parent holds its object as long as it is deleted.
        let root = GraphLibrary.context(coordinator)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
        child.undoManager = UndoManager()
        let own = try child.existingObject(with: book.objectID)
        child.delete(own)
        try child.save()
        root.rollback()
        child.undo()
        own.setValue("b", forKey: "title")
        own.setValue(Set<NSManagedObject>(), forKey: "tags")
        #expect(try child.all("Book") == [own])
        #expect(try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 1)
        try child.save()
        #expect(root.insertedObjects.isEmpty)
        try root.save()
        let context = GraphLibrary.context(coordinator)
        let stored = try context.all("Book")
        #expect(stored.map { $0.text("title") } == ["b"])
        #expect(stored.first?.set("tags").isEmpty == true && marks(stored.first) == [1, 2, 3])
    }

    @Test func `a row that was deleted and returns has a newer version`() throws {
        let other = GraphLibrary.context(coordinator)
        let stale = try other.existingObject(with: book.objectID)
        #expect(stale.text("title") == "a")
        let own = try child.existingObject(with: book.objectID)
        child.delete(own)
        try child.save()
        try root.save()
        child.undo()
        try child.save()
        try root.save()
        let context = GraphLibrary.context(coordinator)
        #expect(try context.all("Book").map { $0.text("title") } == ["a"])
        stale.setValue("stale", forKey: "title")
        #expect(throws: CocoaError.self) { try other.save() }
    }

    @Test func `a merge of a deletion that was undone since keeps the object and its changes`() throws {
        let own = try child.existingObject(with: book.objectID)
        child.delete(own)
        try child.save()
        try root.save()
        child.undo()
        own.setValue("b", forKey: "title")
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectIDsKey: [own.objectID]], into: [child])
        #expect(own.isInserted && own.managedObjectContext === child && own.text("title") == "b")
        #expect(child.insertedObjects.contains(own) && child.deletedObjects.isEmpty)
        try child.save()
        try root.save()
        #expect(try GraphLibrary.context(coordinator).all("Book").map { $0.text("title") } == ["b"])
    }

    @Test func `a deletion of an object that is in the parents only is taken back, too`() throws {
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        grandchild.undoManager = UndoManager()
        let tag = try grandchild.make("Tag", ["name": "new"])
        try grandchild.save()
        grandchild.delete(tag)
        try grandchild.save()
        #expect(try child.all("Tag", "name == 'new'").isEmpty)
        grandchild.undo()
        try grandchild.save()
        #expect(try child.all("Tag", "name == 'new'").count == 1)
        try child.save()
        try root.save()
        #expect(try GraphLibrary.context(coordinator).all("Tag", "name == 'new'").count == 1)
    }
}
