import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Identity and faults", .overEachStore)
struct IdentityTests {
    @Test func `a row is one object in a context, whichever way it is reached`() throws {
        let context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Leo"])
        let book = try context.make("Book", ["title": "War", "author": author])
        try context.save()
        let found = try #require(try context.all("Author").first)
        #expect(found === author)
        #expect(book.object("author") === author)
        #expect(context.object(with: author.objectID) === author)
        #expect(context.registeredObject(for: author.objectID) === author)
    }

    @Test func `saving makes a temporary id permanent, with a URI that points back`() throws {
        let context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Leo"])
        #expect(author.objectID.isTemporaryID)
        #expect(author.objectID.uriRepresentation().absoluteString.hasPrefix("x-coredata:///Author/t"))
        try context.save()
        #expect(!author.objectID.isTemporaryID)
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        let uri = author.objectID.uriRepresentation()
        #expect(uri.absoluteString == "x-coredata://\(store.identifier)/Author/p1")
        let id = try #require(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
        #expect(id == author.objectID && id.hash == author.objectID.hash)
        #expect(id.persistentStore === store)
        #expect(id.entity.name == "Author")
    }

    @Test(arguments: [
        "x-coredata://nowhere/Author/p1", "http://a/Author/p1", "x-coredata://ID/Nothing/p1",
        "x-coredata://ID/Author/t1",
        "x-coredata://ID/Author/p0", "x-coredata://ID/Author/p-3", "x-coredata://ID/Author/px",
        "x-coredata://ID/Author",
    ])
    func `a URI that names nothing gives no id`(text: String) throws {
        let coordinator = try GraphLibrary.coordinator()
        let store = try #require(coordinator.persistentStores.first)
        let url = try #require(URL(string: text.replacingOccurrences(of: "ID", with: store.identifier)))
        #expect(coordinator.managedObjectID(forURIRepresentation: url) == nil)
    }

    @Test func `an object that is known only by its id is a fault until it is read`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let author = try context.make("Author", ["name": "Leo"])
        try context.save()
        let other = GraphLibrary.context(coordinator)
        let fault = other.object(with: author.objectID)
        #expect(fault.isFault)
        #expect(fault.text("name") == "Leo")
        #expect(!fault.isFault)
        other.refresh(fault, mergeChanges: false)
        #expect(fault.isFault)
        #expect(fault.text("name") == "Leo")
    }

    @Test func `a fault whose row has gone reads as nil, and asking for it throws with entity and id`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let author = try context.make("Author", ["name": "Leo"])
        try context.save()
        let id = author.objectID
        let other = GraphLibrary.context(coordinator)
        let fault = other.object(with: id)
        context.delete(author)
        try context.save()
        #expect(fault.text("name") == nil)
        let error = try #require(coreDataError { _ = try GraphLibrary.context(coordinator).existingObject(with: id) })
        #expect(error.errorCode == NSManagedObjectReferentialIntegrityError)
        #expect(error.message.contains("Author") && error.message.contains("/p1"))
    }

    @Test func `unchanged objects are released with their last reference, changed ones are kept`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        for name in ["Ann", "Bob"] { try context.make("Author", ["name": name]) }
        try context.save()
        let other = GraphLibrary.context(coordinator)
        try {
            let authors = try other.all("Author")
            #expect(other.registeredObjects.count == 2)
            authors.first { $0.text("name") == "Ann" }?.setValue("Anna", forKey: "name")
        }()
        #expect(other.registeredObjects.count == 1)
        #expect(other.updatedObjects.first?.text("name") == "Anna")
        other.retainsRegisteredObjects = true
        _ = try other.all("Author")
        #expect(other.registeredObjects.count == 2)
    }

    @Test func `a subclass that the model names is instantiated, and its life cycle methods are called`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: LifeTag.self)
        let coordinator = try GraphLibrary.coordinator(model: model)
        let context = GraphLibrary.context(coordinator)
        let tag = LifeTag(context: context)
        #expect(tag.events == ["awakeFromInsert"])
        tag.setValue("art", forKey: "name")
        try context.save()
        #expect(tag.events == ["awakeFromInsert", "willSave", "didSave"])
        let other = GraphLibrary.context(coordinator)
        let found = try #require(try other.all("Tag").first as? LifeTag)
        #expect(found.text("name") == "art")
        #expect(found.events == ["awakeFromFetch"])
        other.delete(found)
        #expect(found.events == ["awakeFromFetch", "prepareForDeletion"])
    }
}

final class LifeTag: NSManagedObject {
    var events: [String] = []
    override func awakeFromInsert() { events.append("awakeFromInsert") }
    override func awakeFromFetch() { events.append("awakeFromFetch") }
    override func willSave() { events.append("willSave") }
    override func didSave() { events.append("didSave") }
    override func prepareForDeletion() { events.append("prepareForDeletion") }
}
