import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("The life of objects", .overEachStore)
struct LifeTests {
    @Test func `a deletion that is taken back links the object again on both sides`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let leo = try context.make("Author", ["name": "Leo"])
        let tag = try context.make("Tag", ["name": "a"])
        let book = try context.make("Book", ["title": "War", "author": leo, "tags": Set([tag])])
        let review = try context.make("Review", ["mark": 1, "book": book])
        try context.save()
        context.delete(book)
        #expect(leo.set("books").isEmpty && tag.set("books").isEmpty)
        context.insert(book)
        #expect(!book.isDeleted && !context.deletedObjects.contains(book))
        #expect(leo.set("books") == [book] && tag.set("books") == [book])
        // The cascade's victim stays deleted, and the book does not lead to it.
        #expect(review.isDeleted && book.list("reviews").isEmpty)
        try context.save()
        let reader = GraphLibrary.context(coordinator)
        let other = try #require(try reader.all("Book").first)
        #expect(other.object("author")?.text("name") == "Leo" && other.set("tags").count == 1)
        #expect(other.list("reviews").isEmpty)
    }

    @Test func `an object that was never saved can be deleted and inserted again`() throws {
        let context = try GraphLibrary.context()
        let tag = try context.make("Tag", ["name": "a"])
        context.delete(tag)
        #expect(tag.managedObjectContext == nil && !context.hasChanges)
        context.insert(tag)
        #expect(tag.managedObjectContext === context && tag.isInserted)
        try context.save()
        #expect(try context.all("Tag", "name == 'a'") == [tag])
    }

    @Test func `deleting an unsaved object unlinks it, whatever the delete rule`() throws {
        let context = try GraphLibrary.context()
        let shelf = try context.make("Shelf", ["label": "A"])
        let book = try context.make("Book", ["title": "War", "shelf": shelf])
        context.delete(shelf)
        #expect(book.object("shelf") == nil)
        context.delete(book)
        #expect(!context.hasChanges)
        try context.save()
    }

    @Test func `objects that hold each other end with their context, and unsaved ones with their deletion`() throws {
        weak var seen: NSManagedObject?
        weak var dropped: NSManagedObject?
        weak var whole: NSManagedObjectContext?
        try {
            let context = try GraphLibrary.context()
            whole = context
            let person = try context.make("Person", ["name": "a"])
            person.setValue(Set([try context.make("Person", ["name": "b"])]), forKey: "friends")
            try context.save()
            seen = person
            try {
                let one = try context.make("Person", ["name": "c"])
                one.setValue(Set([try context.make("Person", ["parent": one])]), forKey: "friends")
                one.setValue(one, forKey: "partner")
                context.delete(one)
                dropped = one
            }()
            #expect(dropped == nil)
        }()
        #expect(seen == nil && whole == nil)
    }

    @Test func `a context that begins to retain its objects keeps those that it has`() throws {
        let context = try GraphLibrary.context()
        let tag = try context.make("Tag", ["name": "a"])
        try context.save()
        for retains in [true, false, true] {
            context.retainsRegisteredObjects = retains
            #expect(context.registeredObject(for: tag.objectID) === tag)
            #expect(try context.all("Tag").first === tag)
        }
    }

    @Test func `deleting or inserting an object of another context is an error of the next save`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let (first, second) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
        let tag = try first.make("Tag", ["name": "a"])
        try first.save()
        second.delete(tag)
        #expect(coreDataError { try second.save() }?.message.contains("another context") == true)
        second.insert(tag)
        #expect(coreDataError { try second.save() }?.message.contains("another context") == true)
        try second.save()
        #expect(try first.all("Tag").count == 1)
    }

    @Test func `an id of another coordinator's store points to nothing`() throws {
        let first = try GraphLibrary.context()
        let tag = try first.make("Tag", ["name": "a"])
        try first.save()
        let second = try GraphLibrary.context()
        #expect(second.object(with: tag.objectID).text("name") == nil)
        expectError(.managedObjectReferentialIntegrity) { _ = try second.existingObject(with: tag.objectID) }
    }

    @Test func `objects made without a context are linked, and keep their links when they are inserted`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let entities = coordinator.managedObjectModel.entitiesByName
        let book = NSManagedObject(entity: try #require(entities["Book"]), insertInto: nil)
        let author = NSManagedObject(entity: try #require(entities["Author"]), insertInto: nil)
        author.setValue("Leo", forKey: "name")
        book.setValue("War", forKey: "title")
        author.mutableSetValue(forKey: "books").add(book)
        #expect(book.object("author") === author)
        context.insert(book)
        context.insert(author)
        #expect(context.registeredObject(for: book.objectID) === book)
        #expect(try context.existingObject(with: author.objectID) === author)
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Book", "author.name == 'Leo'").count == 1)
    }

    @Test func `an entity that the model does not have is an error of the save that names it`() throws {
        let context = try GraphLibrary.context()
        let object = NSEntityDescription.insertNewObject(forEntityName: "Bok", into: context)
        #expect(context.registeredObject(for: object.objectID) == nil)
        #expect(try context.all("Author").isEmpty)
        let error = try #require(coreDataError { try context.save() })
        #expect(error.message.contains("Bok") && error.message.contains("Book"))
        #expect(throws: CocoaError.self) { try context.obtainPermanentIDs(for: [object]) }
        context.rollback()
        try context.save()
    }

    @Test func `a fault whose row comes back is read again by a fetch`() throws {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        let tag = try context.make("Tag", ["name": "a"])
        try context.save()
        let other = try GraphLibrary.context(at: folder.url())
        let coordinator = try #require(other.persistentStoreCoordinator)
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: tag.objectID.uriRepresentation()))
        let raw = try folder.raw()
        try raw.execute("UPDATE ZTAG SET Z_PK = 77")
        let issue = other.object(with: id)
        #expect(issue.text("name") == nil)
        try raw.execute("UPDATE ZTAG SET Z_PK = 1")
        #expect(try other.all("Tag").first === issue)
        #expect(issue.text("name") == "a")
    }

    @Test func `a one-to-one that points to its own object can be changed to another object`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let people = try ["a", "b"].map { try context.make("Person", ["name": $0]) }
        people[0].setValue(people[0], forKey: "partner")
        try context.save()
        people[0].setValue(people[1], forKey: "partner")
        #expect(people[0].object("partner") === people[1] && people[1].object("partner") === people[0])
        try context.save()
        let reader = GraphLibrary.context(coordinator)
        let other = reader.object(with: people[0].objectID)
        #expect(other.object("partner")?.text("name") == "b")
    }

    @Test func `a member that is removed and added again is at the end, read before or not`() throws {
        for isRead in [true, false] {
            let coordinator = try GraphLibrary.coordinator()
            let writer = GraphLibrary.context(coordinator)
            let book = try writer.make("Book", ["title": "War"])
            for mark in 1...3 { try writer.make("Review", ["mark": mark, "book": book]) }
            try writer.save()
            let context = GraphLibrary.context(coordinator)
            let same = context.object(with: book.objectID)
            let first = try #require(try context.all("Review", sort: "mark").first)
            if isRead { #expect(same.list("reviews").count == 3) }
            first.setValue(nil, forKey: "book")
            first.setValue(same, forKey: "book")
            try context.save()
            let reader = GraphLibrary.context(coordinator)
            let stored = reader.object(with: book.objectID)
            #expect(stored.list("reviews").map { $0.value(forKey: "mark") as? Int } == [2, 3, 1])
        }
    }

    @Test func `a number that a float cannot hold is rejected`() throws {
        let model = Build.model(Build.entity("Thing", [Build.attribute("size", .floatAttributeType)]))
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        let thing = try context.make("Thing", ["size": 1e300])
        #expect(coreDataError { try context.save() }?.key == "size")
        thing.setValue(Double.infinity, forKey: "size")
        try context.save()
    }

    @Test func `a subclass's own rules are asked by a save`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: TidyTag.self)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        let tag = TidyTag(context: context)
        tag.setValue("no", forKey: "name")
        #expect(throws: TidyTag.Refusal.self) { try context.save() }
        tag.setValue("  yes ", forKey: "name")
        try context.save()
        #expect(tag.text("name") == "yes")
    }
}

private final class TidyTag: NSManagedObject {
    struct Refusal: Error {}

    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        try super.validateValue(&value, forKey: key)
        guard let text = value as? String else { return }
        if text == "no" { throw Refusal() }
        value = text.trimmingCharacters(in: .whitespaces)
    }
}
