import Dispatch
import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The links between contexts of a tree, and the ids that objects have in it.
@Suite(.overEachStore)
struct ParentTreeTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let root: NSManagedObjectContext
    private let child: NSManagedObjectContext

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        root = GraphLibrary.context(coordinator)
        child = Self.child(of: root)
    }

    private static func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return child
    }

    /// Saves a book of a child to the store, and returns the id that it had at first. The book leaves the child.
    private func temporaryID() throws -> NSManagedObjectID {
        let book = try child.make("Book", ["title": "a"])
        let id = book.objectID
        try child.save()
        try root.save()
        return id
    }

    /// Finds races with `--sanitize=thread`.
    @Test func `children come, save and go on several threads`() throws {
        let root = root
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<25 {
                let child = Self.child(of: root)
                child.automaticallyMergesChangesFromParent = round.isMultiple(of: 2)
                do {
                    try child.performAndWait {
                        _ = try child.make("Tag", ["name": "\(thread).\(round)"])
                        try child.save()
                    }
                } catch {
                    Issue.record(error)
                }
                if round.isMultiple(of: 3) { child.parent = nil }
            }
        }
        let count = try root.performAndWait { try root.all("Tag").count }
        #expect(count == 100)
    }

    @Test func `two contexts cannot become the parents of each other at the same time`() throws {
        for _ in 0..<50 {
            let contexts = [GraphLibrary.context(coordinator), GraphLibrary.context(coordinator)]
            DispatchQueue.concurrentPerform(iterations: 2) { place in
                contexts[place].parent = contexts[1 - place]
            }
            #expect(contexts.filter { $0.parent == nil }.count == 1)
        }
    }

    @Test func `a new parent discards the objects, even with the same coordinator`() throws {
        let context = GraphLibrary.context(coordinator)
        let book = try context.make("Book", ["title": "a"])
        context.parent = root
        #expect(!context.hasChanges && context.registeredObjects.isEmpty && book.managedObjectContext == nil)
        let other = try context.make("Book", ["title": "b"])
        context.parent = child
        #expect(!context.hasChanges && other.managedObjectContext == nil)
    }

    @Test func `a child takes over the coordinator that its parent gets later, and keeps new objects`() async throws {
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let child = Self.child(of: root)
        #expect(child.persistentStoreCoordinator == nil)
        // While this closure runs, the block waits in which the parent makes the child take over its coordinator.
        try child.performAndWait {
            root.persistentStoreCoordinator = coordinator
            #expect(try child.all("Book").isEmpty)
            _ = try child.make("Book", ["title": "a"])
        }
        await child.perform {}
        #expect(child.insertedObjects.count == 1)
        try child.save()
        #expect(try root.all("Book").map { $0.text("title") } == ["a"])
    }

    @Test(arguments: [true, false])
    func `a save says that the objects which a child had before its coordinator are lost`(waits: Bool) async throws {
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let child = Self.child(of: root)
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Book"])
        // While this closure runs, the block waits in which the parent makes the child take over its coordinator.
        child.performAndWait {
            _ = NSManagedObject(entity: entity, insertInto: child)
            #expect(child.insertedObjects.count == 1)
            root.persistentStoreCoordinator = coordinator
            if !waits { expectError(.coreData) { try child.save() } }
        }
        await child.perform {}
        if waits { expectError(.coreData) { try child.save() } }
        #expect(child.persistentStoreCoordinator === coordinator && !child.hasChanges)
        _ = try child.make("Book", ["title": "a"])
        try child.save()
        #expect(try root.all("Book").map { $0.text("title") } == ["a"])
    }

    @Test func `a context without its parent keeps the coordinator that it was given`() async throws {
        let other = try GraphLibrary.coordinator()
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let child = Self.child(of: root)
        child.performAndWait {
            root.persistentStoreCoordinator = coordinator
            child.parent = nil
            child.persistentStoreCoordinator = other
        }
        await child.perform {}
        #expect(child.persistentStoreCoordinator === other)
    }

    @Test func `a temporary id leads to the object of the permanent one`() throws {
        let temporary = try temporaryID()
        _ = try child.all("Author")
        let book = child.object(with: temporary)
        #expect(!book.objectID.isTemporaryID && book.text("title") == "a")
        #expect(try child.all("Book") == [book])
        #expect(try child.existingObject(with: temporary) === book)
    }

    @Test func `a permanent id leads to an object whose temporary one the child still knows`() throws {
        let book = try child.make("Book", ["title": "a"])
        try child.save()
        try root.save()
        let permanent = try #require(try root.all("Book").first?.objectID)
        #expect(child.object(with: permanent) === book)
        #expect(book.objectID == permanent)
    }

    @Test func `a row with a temporary id leads to the object whose permanent id was obtained`() throws {
        let author = try child.make("Author", ["name": "Ann"])
        let book = try child.make("Book", ["title": "a", "author": author])
        try child.save()
        try child.obtainPermanentIDs(for: [author])
        child.rollback()
        #expect(book.object("author") === author)
        #expect(try child.all("Author") == [author])
    }

    @Test func `a merge finds the objects whose ids have become permanent`() async throws {
        child.automaticallyMergesChangesFromParent = true
        let book = try child.make("Book", ["title": "a"])
        try child.save()
        let above = try #require(try root.all("Book").first)
        above.setValue("b", forKey: "title")
        try root.save()
        await child.perform {}
        #expect(!book.objectID.isTemporaryID && book.text("title") == "b")
    }

    @Test func `ids that all children have adopted are forgotten`() throws {
        let sibling = Self.child(of: root)
        for _ in 0..<3 { _ = try temporaryID() }
        _ = try child.all("Author")
        #expect(root.nesting.promotions.count == 3)
        _ = try sibling.all("Author")
        #expect(root.nesting.promotions.isEmpty)
        let id = try temporaryID()
        #expect(root.nesting.promotions.count == 1)
        for context in [child, sibling] {
            #expect(!context.object(with: id).objectID.isTemporaryID)
        }
        #expect(root.nesting.promotions.isEmpty)
        child.reset()
        #expect(child.nesting.permanentIDs.isEmpty)
        #expect(try child.all("Book").count == 4)
    }

    @Test func `an object that was asked for by its id does not prevent the save that inserts it`() throws {
        let book = try child.make("Book", ["title": "a"])
        let held = root.object(with: book.objectID)
        try child.save()
        #expect(held.isInserted && held.text("title") == "a")
        #expect(root.insertedObjects == [held])
        try root.save()
        #expect(try GraphLibrary.context(coordinator).all("Book").map(\.objectID) == [held.objectID])
    }

    @Test(arguments: [true, false])
    func `an object that a merge policy gives up leaves the relationships of the child`(isChanged: Bool) throws {
        child.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        let author = try root.make("Author", ["name": "Ann"])
        let book = try root.make("Book", ["title": "a", "author": author])
        try root.save()
        let own = try child.existingObject(with: book.objectID)
        let ann = try child.existingObject(with: author.objectID)
        #expect(ann.set("books") == [own])
        own.setValue("child", forKey: "title")
        if isChanged { ann.setValue("Anna", forKey: "name") }
        root.delete(book)
        try child.save()
        #expect(own.managedObjectContext == nil && ann.set("books").isEmpty)
        #expect(ann.text("name") == (isChanged ? "Anna" : "Ann"))
    }

    @Test func `a save of a child does not write metadata`() throws {
        let store = try #require(coordinator.persistentStores.first)
        coordinator.setMetadata(["key": "value"], for: store)
        try child.make("Book", ["title": "a"])
        try child.save()
        #expect(store.objectStore.hasNewMetadata)
        try root.save()
        #expect(!store.objectStore.hasNewMetadata)
    }

    @Test func `a permanent id that a child obtains is one of the store that the object is assigned to`() throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let book = try child.make("Book", ["title": "a"])
        child.assign(book, to: second)
        try child.obtainPermanentIDs(for: [book])
        let id = book.objectID
        #expect(!id.isTemporaryID && id.persistentStore === second)
        try child.save()
        try root.save()
        #expect(try GraphLibrary.context(coordinator).all("Book").map(\.objectID) == [id])
    }

    @Test func `a destination in one of several stores is that of the parent`() throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let first = try #require(coordinator.persistentStores.first { $0 !== second })
        var authors: [NSManagedObject] = []
        for (name, store) in [("first", first), ("second", second)] {
            let author = try root.make("Author", ["name": name])
            root.assign(author, to: store)
            authors.append(author)
        }
        try root.save()
        #expect(authors[0].objectID.row == authors[1].objectID.row)
        let book = try root.make("Book", ["title": "a", "author": authors[1]])
        root.assign(book, to: second)
        let own = try child.existingObject(with: book.objectID)
        #expect(own.object("author")?.text("name") == "second")
    }
}
