import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Contexts below other contexts.
@Suite(.overEachStore)
struct ParentContextTests {
    let coordinator: NSPersistentStoreCoordinator
    let root: NSManagedObjectContext
    let child: NSManagedObjectContext

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

    private func stored(_ entity: String, _ format: String? = nil) throws -> [NSManagedObject] {
        try GraphLibrary.context(coordinator).all(entity, format)
    }

    @Test func `a child has the coordinator of its parent, and retains the parent`() throws {
        #expect(child.parent === root)
        #expect(child.persistentStoreCoordinator === coordinator)
        let grandchild = Self.child(of: child)
        #expect(grandchild.persistentStoreCoordinator === coordinator)
        grandchild.parent = nil
        #expect(grandchild.persistentStoreCoordinator == nil)
    }

    @Test func `a save of the child changes the parent, whose save writes the store`() throws {
        let author = try child.make("Author", ["name": "Ann"])
        let book = try child.make("Book", ["title": "a", "author": author])
        #expect(!root.hasChanges)
        try child.save()
        #expect(!child.hasChanges && !book.hasChanges && !book.isInserted)
        #expect(root.hasChanges && root.insertedObjects.count == 2)
        #expect(try stored("Book").isEmpty)
        let above = try #require(try root.all("Book").first)
        #expect(above !== book)
        #expect(above.object("author")?.text("name") == "Ann")
        try root.save()
        #expect(try stored("Book", "author.name == 'Ann'").count == 1)
    }

    @Test func `a child sees the unsaved objects of its parent, and their changes`() throws {
        let book = try root.make("Book", ["title": "a", "year": 1900])
        try root.save()
        let novel = try root.make("Novel", ["title": "b", "year": 2000])
        book.setValue(1950, forKey: "year")
        let found = try child.all("Book", "year > 1940", sort: "title")
        #expect(found.map { $0.text("title") } == ["a", "b"])
        #expect(found[0].value(forKey: "year") as? Int == 1950)
        #expect(found[1].objectID == novel.objectID && found[1].objectID.isTemporaryID)
        #expect(try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 2)
        root.delete(book)
        #expect(try child.all("Book").map { $0.text("title") } == ["b"])
    }

    @Test func `ids of objects that were inserted in a child become permanent`() throws {
        let grandchild = Self.child(of: child)
        let book = try grandchild.make("Book", ["title": "a"])
        try grandchild.save()
        try child.save()
        #expect(book.objectID.isTemporaryID)
        try root.save()
        _ = try grandchild.all("Author")
        #expect(!book.objectID.isTemporaryID)
        #expect(try grandchild.all("Book").first === book)
        #expect(book.objectID == (try stored("Book").first?.objectID))
    }

    @Test func `permanent ids can be obtained in a child`() throws {
        let book = try child.make("Book", ["title": "a"])
        try child.obtainPermanentIDs(for: [book])
        let id = book.objectID
        #expect(!id.isTemporaryID)
        try child.save()
        try root.save()
        #expect(book.objectID == id)
        #expect(try stored("Book").first?.objectID == id)
    }

    @Test func `permanent ids of objects that the parent knows are the same in both`() throws {
        let book = try child.make("Book", ["title": "a"])
        try child.save()
        try child.obtainPermanentIDs(for: [book])
        #expect(try root.all("Book").first?.objectID == book.objectID)
        try root.save()
        #expect(try stored("Book").first?.objectID == book.objectID)
    }

    @Test func `a child changes and deletes objects, and relationships of every kind`() throws {
        let author = try root.make("Author", ["name": "Ann"])
        for title in ["a", "b", "c"] { try root.make("Book", ["title": title, "author": author]) }
        let tag = try root.make("Tag", ["name": "t"])
        try root.save()
        let books = try child.all("Book", sort: "title")
        let childTag = try child.existingObject(with: tag.objectID)
        let ben = try child.make("Author", ["name": "Ben"])
        books[0].setValue(ben, forKey: "author")
        books[1].setValue(Set([childTag]), forKey: "tags")
        let reviews = try (1...3).map { try child.make("Review", ["mark": $0]) }
        books[1].setValue(NSOrderedSet(array: [reviews[2], reviews[0], reviews[1]]), forKey: "reviews")
        child.delete(books[2])
        try child.save()
        try root.save()
        let context = GraphLibrary.context(coordinator)
        let stored = try context.all("Book", sort: "title")
        #expect(stored.map { $0.text("title") } == ["a", "b"])
        #expect(stored[0].object("author")?.text("name") == "Ben")
        #expect(stored[1].set("tags").count == 1)
        #expect(stored[1].list("reviews").map { $0.value(forKey: "mark") as? Int } == [3, 1, 2])
    }

    @Test func `a child keeps what it has read until it is refreshed`() throws {
        let book = try root.make("Book", ["title": "a"])
        try root.save()
        let own = try child.existingObject(with: book.objectID)
        book.setValue("b", forKey: "title")
        #expect(own.text("title") == "a")
        own.setValue(1900, forKey: "year")
        child.refresh(own, mergeChanges: true)
        #expect(own.text("title") == "b" && own.value(forKey: "year") as? Int == 1900)
        child.refresh(own, mergeChanges: false)
        #expect(own.value(forKey: "year") == nil && !child.hasChanges)
    }

    @Test func `the changes of a child replace those of its parent, property by property`() throws {
        let book = try root.make("Book", ["title": "a", "year": 1900])
        try root.save()
        let own = try child.existingObject(with: book.objectID)
        own.setValue("child", forKey: "title")
        book.setValue("parent", forKey: "title")
        book.setValue(2000, forKey: "year")
        try child.save()
        #expect(book.text("title") == "child" && book.value(forKey: "year") as? Int == 2000)
    }

    @Test func `the policy of a child decides about objects that its parent has deleted`() throws {
        for policy in [
            NSMergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ] {
            let book = try root.make("Book", ["title": "a"])
            try root.save()
            let own = try child.existingObject(with: book.objectID)
            own.setValue("child", forKey: "title")
            root.delete(book)
            child.mergePolicy = policy
            switch policy.mergeType {
            case .errorMergePolicyType:
                #expect(throws: (any Error).self) { try child.save() }
                #expect(own.hasChanges && book.isDeleted)
                child.rollback()
            case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
                try child.save()
                #expect(!book.isDeleted && book.text("title") == "child")
                root.delete(book)
            default:
                try child.save()
                #expect(book.isDeleted && own.managedObjectContext == nil)
            }
            try root.save()
            #expect(try stored("Book").isEmpty)
        }
    }

    @Test func `a save that fails leaves both contexts as they were`() throws {
        let author = try root.make("Author", ["name": "Ann"])
        try root.save()
        let own = try child.existingObject(with: author.objectID)
        own.setValue("B", forKey: "name")
        #expect(throws: (any Error).self) { try child.save() }
        #expect(own.hasChanges && !root.hasChanges && author.text("name") == "Ann")
    }

    @Test func `a rollback of the child and a reset do not concern the parent`() throws {
        try root.make("Book", ["title": "a"])
        let own = try #require(try child.all("Book").first)
        own.setValue("b", forKey: "title")
        child.rollback()
        #expect(own.text("title") == "a" && root.hasChanges)
        child.reset()
        #expect(try child.all("Book").count == 1)
    }

    @Test func `awakeFromInsert is called in the child only`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: LifeTag.self)
        let root = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        let child = Self.child(of: root)
        let tag = LifeTag(context: child)
        try child.save()
        let above = try #require(try root.all("Tag").first as? LifeTag)
        #expect(tag.events == ["awakeFromInsert", "willSave", "didSave"])
        #expect(!above.events.contains("awakeFromInsert"))
    }

    @Test func `siblings that merge automatically take over what one of them saves`() async throws {
        let sibling = Self.child(of: root)
        sibling.automaticallyMergesChangesFromParent = true
        let book = try root.make("Book", ["title": "a"])
        try root.save()
        let other = try sibling.existingObject(with: book.objectID)
        let own = try child.existingObject(with: book.objectID)
        own.setValue("b", forKey: "title")
        try child.save()
        await sibling.perform {}
        #expect(other.text("title") == "b")
    }

    @Test func `a context cannot be below itself`() throws {
        root.parent = child
        #expect(root.parent == nil)
        #expect(throws: (any Error).self) { try root.save() }
    }

    @Test func `a child of a context of the main queue reads on that queue`() async throws {
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = coordinator
        try await MainActor.run {
            _ = try main.make("Book", ["title": "a"])
        }
        let child = Self.child(of: main)
        let titles = try await child.perform { try child.all("Book").map { $0.text("title") } }
        #expect(titles == ["a"])
    }
}
