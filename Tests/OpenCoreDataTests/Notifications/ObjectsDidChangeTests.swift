import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

@Suite("Notifications about changed objects", .overEachStore)
struct ObjectsDidChangeTests {
    private let context: NSManagedObjectContext
    private let changes: NotificationRecorder

    init() throws {
        context = GraphLibrary.context(try ShopModel.coordinator())
        changes = NotificationRecorder(.NSManagedObjectContextObjectsDidChange, of: context)
    }

    /// Saves a book, and forgets the notifications about it.
    private func savedBook(_ title: String = "a") throws -> NSManagedObject {
        let book = try context.make("Book", ["title": title])
        try context.save()
        return book
    }

    @Test func `the names and keys are Core Data's`() {
        #expect(
            Notification.Name.NSManagedObjectContextObjectsDidChange.rawValue
                == "NSObjectsChangedInManagingContextNotification")
        #expect(NSManagedObjectContext.didChangeObjectsNotification == .NSManagedObjectContextObjectsDidChange)
        #expect(NSManagedObjectContext.didSaveObjectIDsNotification == .NSManagedObjectContextDidSaveObjectIDs)
        #expect(
            NSManagedObjectContext.didMergeChangesObjectIDsNotification
                == .NSManagedObjectContextDidMergeChangesObjectIDs)
        typealias Key = NSManagedObjectContext.NotificationKey
        #expect(Key.insertedObjects.rawValue == NSInsertedObjectsKey && Key.updatedObjects.rawValue == "updated")
        #expect(Key.deletedObjects.rawValue == NSDeletedObjectsKey && Key.refreshedObjects.rawValue == "refreshed")
        #expect(Key.invalidatedObjects.rawValue == NSInvalidatedObjectsKey)
        #expect(Key.invalidatedAllObjects.rawValue == NSInvalidatedAllObjectsKey)
        #expect(Key.insertedObjectIDs.rawValue == NSInsertedObjectIDsKey)
        #expect(Key.updatedObjectIDs.rawValue == NSUpdatedObjectIDsKey)
        #expect(Key.deletedObjectIDs.rawValue == NSDeletedObjectIDsKey)
        #expect(Key.refreshedObjectIDs.rawValue == NSRefreshedObjectIDsKey)
        #expect(Key.invalidatedObjectIDs.rawValue == NSInvalidatedObjectIDsKey)
    }

    @Test func `a name that nobody asked for is not observed`() {
        let name = ObservedName("nobody")
        #expect(!name.mayBeObserved && name.name.rawValue == "nobody" && !name.mayBeObserved)
        #expect(name.forObserver == name.name && name.mayBeObserved)
    }

    @Test func `processPendingChanges posts the changes since the last time, by kind`() throws {
        let (kept, gone) = (try savedBook("kept"), try savedBook("gone"))
        let count = changes.received.count
        let new = try context.make("Book", ["title": "new"])
        kept.setValue("b", forKey: "title")
        kept.setValue("c", forKey: "title")
        context.delete(gone)
        #expect(changes.received.count == count)
        context.processPendingChanges()
        #expect(changes.received.count == count + 1)
        #expect(changes.keys == [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey])
        #expect(changes.objects(NSInsertedObjectsKey) == [new] && changes.objects(NSUpdatedObjectsKey) == [kept])
        #expect(changes.objects(NSDeletedObjectsKey) == [gone])
        context.processPendingChanges()
        #expect(changes.received.count == count + 1)
        new.setValue("newer", forKey: "title")
        context.processPendingChanges()
        #expect(changes.keys == [NSUpdatedObjectsKey] && changes.objects(NSUpdatedObjectsKey) == [new])
    }

    @Test func `both ends of a relationship are updated`() throws {
        let (book, author) = (try savedBook(), try context.make("Author", ["name": "Leo"]))
        try context.save()
        book.setValue(author, forKey: "author")
        context.processPendingChanges()
        #expect(changes.objects(NSUpdatedObjectsKey) == [book, author])
        context.delete(author)
        context.processPendingChanges()
        #expect(changes.objects(NSUpdatedObjectsKey) == [book] && changes.objects(NSDeletedObjectsKey) == [author])
    }

    @Test func `an object that is inserted and deleted in one event is in none of the sets`() throws {
        let book = try context.make("Book")
        context.delete(book)
        context.processPendingChanges()
        #expect(changes.received.isEmpty)
        let other = try context.make("Book")
        context.processPendingChanges()
        context.delete(other)
        context.processPendingChanges()
        #expect(changes.keys == [NSDeletedObjectsKey] && changes.objects(NSDeletedObjectsKey) == [other])
    }

    @Test func `a deletion that is taken back is an insertion, and within one event an update`() throws {
        let book = try savedBook()
        context.delete(book)
        context.processPendingChanges()
        context.insert(book)
        context.processPendingChanges()
        #expect(changes.keys == [NSInsertedObjectsKey] && changes.objects(NSInsertedObjectsKey) == [book])
        context.delete(book)
        context.insert(book)
        context.processPendingChanges()
        #expect(changes.keys == [NSUpdatedObjectsKey])
    }

    @Test func `a restored state posts how objects differ from what was posted last`() throws {
        let (book, gone) = (try savedBook(), try savedBook("gone"))
        book.setValue("b", forKey: "title")
        context.delete(gone)
        context.processPendingChanges()
        let checkpoint = context.checkpoint()
        context.refresh(book, mergeChanges: false)
        book.setValue("c", forKey: "title")
        context.refresh(book, mergeChanges: false)
        context.insert(gone)
        context.processPendingChanges()
        #expect(changes.objects(NSInsertedObjectsKey) == [gone] && changes.objects(NSRefreshedObjectsKey) == [book])
        context.restore(checkpoint)
        context.processPendingChanges()
        #expect(changes.keys == [NSUpdatedObjectsKey, NSDeletedObjectsKey])
        #expect(changes.objects(NSUpdatedObjectsKey) == [book] && changes.objects(NSDeletedObjectsKey) == [gone])
        context.restore(checkpoint)
        context.processPendingChanges()
        #expect(changes.keys == [NSUpdatedObjectsKey])
        book.setValue("d", forKey: "title")
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "b")
        context.processPendingChanges()
        #expect(changes.objects(NSUpdatedObjectsKey) == [book])
    }

    @Test func `the end of perform and of performAndWait posts them once, before the caller goes on`() async throws {
        let context = context
        context.performAndWait {
            context.performAndWait { _ = try? context.make("Book") }
            #expect(changes.received.isEmpty)
            _ = try? context.make("Book")
        }
        #expect(changes.received.count == 1 && changes.objects(NSInsertedObjectsKey).count == 2)
        await context.perform { _ = try? context.make("Book") }
        #expect(changes.received.count == 2)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try context.performAndWait {
                try context.make("Book")
                throw Stop()
            }
        }
        #expect(changes.received.count == 3)
    }

    @Test func `a save and a fetch post them first`() throws {
        let book = try context.make("Book")
        changes.onReceive = { #expect(book.isInserted) }
        try context.save()
        #expect(changes.received.count == 1 && changes.objects(NSInsertedObjectsKey) == [book])
        changes.onReceive = {}
        book.setValue("b", forKey: "title")
        #expect(try context.all("Book").count == 1 && changes.received.count == 2)
        book.setValue("c", forKey: "title")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        #expect(try context.count(for: request) == 1 && changes.received.count == 3)
        book.setValue("d", forKey: "title")
        request.includesPendingChanges = false
        #expect(try context.fetch(request).count == 1 && changes.received.count == 3)
    }

    @Test func `changes that an observer makes are saved, and are the next event`() throws {
        let book = try context.make("Book")
        changes.onReceive = { [changes] in
            if changes.received.count == 1 { book.setValue("observed", forKey: "title") }
        }
        try context.save()
        changes.onReceive = {}
        #expect(changes.received.count == 2 && changes.objects(NSUpdatedObjectsKey) == [book])
        #expect(!context.hasChanges)
        context.refresh(book, mergeChanges: false)
        #expect(book.text("title") == "observed")
    }

    @Test func `a refreshed object is in its set, with and without its changes`() throws {
        let book = try savedBook()
        context.refresh(book, mergeChanges: true)
        context.processPendingChanges()
        #expect(changes.keys == [NSRefreshedObjectsKey] && changes.objects(NSRefreshedObjectsKey) == [book])
        book.setValue("b", forKey: "title")
        context.refresh(book, mergeChanges: false)
        context.processPendingChanges()
        #expect(changes.keys == [NSRefreshedObjectsKey] && book.text("title") == "a")
    }

    @Test func `a rollback invalidates what it restores, and deletes what was new`() throws {
        let (book, gone) = (try savedBook(), try savedBook("gone"))
        let new = try context.make("Book")
        book.setValue("b", forKey: "title")
        context.delete(gone)
        context.processPendingChanges()
        context.rollback()
        #expect(changes.objects(NSInvalidatedObjectsKey) == [book] && changes.objects(NSDeletedObjectsKey) == [new])
        #expect(changes.objects(NSInsertedObjectsKey) == [gone])
        #expect(changes.keys.count == 3)
        let count = changes.received.count
        try context.make("Book")
        context.rollback()
        #expect(changes.received.count == count)
    }

    @Test func `a reset invalidates all objects`() throws {
        let book = try savedBook()
        let id = book.objectID
        context.reset()
        #expect(changes.keys == [NSInvalidatedAllObjectsKey])
        #expect(changes.received.last?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] == [id])
    }

    @Test func `a removed store invalidates its objects`() async throws {
        let book = try savedBook()
        let coordinator = try #require(context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        try coordinator.remove(store)
        await context.perform {}
        #expect(changes.keys == [NSInvalidatedObjectsKey] && changes.objects(NSInvalidatedObjectsKey) == [book])
    }

    @Test func `a merge posts inserted, refreshed and deleted objects, and their ids`() throws {
        let (book, gone) = (try savedBook(), try savedBook("gone"))
        let coordinator = try #require(context.persistentStoreCoordinator)
        let other = GraphLibrary.context(coordinator)
        let merged = NotificationRecorder(.NSManagedObjectContextDidMergeChangesObjectIDs, of: context)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { [context] in context.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(observer) }
        let new = try other.make("Book")
        try other.existingObject(with: book.objectID).setValue("b", forKey: "title")
        other.delete(try other.existingObject(with: gone.objectID))
        try other.save()
        #expect(changes.keys == [NSInsertedObjectsKey, NSRefreshedObjectsKey, NSDeletedObjectsKey])
        #expect(changes.objects(NSInsertedObjectsKey).map(\.objectID) == [new.objectID])
        #expect(changes.objects(NSRefreshedObjectsKey) == [book] && changes.objects(NSDeletedObjectsKey) == [gone])
        #expect(merged.received.count == 1)
        #expect(merged.ids(NSInsertedObjectIDsKey) == [new.objectID])
        #expect(merged.ids(NSUpdatedObjectIDsKey) == [book.objectID])
        #expect(merged.ids(NSDeletedObjectIDsKey) == [gone.objectID])
        let count = changes.received.count
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSInvalidatedObjectIDsKey: [book.objectID]], into: [context])
        #expect(changes.received.count == count + 1 && changes.objects(NSRefreshedObjectsKey) == [book])
    }

    @Test func `values that the store has derived are refreshed by the save`() throws {
        let entity = Build.entity(
            "Thing", [Build.attribute("name"), Build.derived("upper", .stringAttributeType, "uppercase:(name)")])
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(entity)))
        let changes = NotificationRecorder(.NSManagedObjectContextObjectsDidChange, of: context)
        let thing = try context.make("Thing", ["name": "a"])
        try context.save()
        #expect(changes.received.count == 2 && changes.objects(NSRefreshedObjectsKey) == [thing])
        #expect(thing.text("upper") == "A")
    }

    @Test func `a merge policy's choice is a refresh`() throws {
        let book = try savedBook()
        let other = GraphLibrary.context(try #require(context.persistentStoreCoordinator))
        try other.existingObject(with: book.objectID).setValue("theirs", forKey: "title")
        try other.save()
        context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        book.setValue("mine", forKey: "title")
        try context.save()
        #expect(book.text("title") == "theirs" && changes.objects(NSRefreshedObjectsKey) == [book])
    }
}
