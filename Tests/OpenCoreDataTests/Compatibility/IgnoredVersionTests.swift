import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Compatibility: stores of another version")
struct IgnoredVersionTests {
    private let folder: StoreFolder
    private let options = [NSIgnorePersistentStoreVersioningOption: true]

    init() throws { folder = try StoreFolder() }

    private func model(_ entities: [(name: String, attributes: [String])]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities.map { entity in
            Build.entity(entity.name, entity.attributes.map { Build.attribute($0) })
        }
        return model
    }

    private func open(
        _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]
    ) throws -> NSManagedObjectContext {
        GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model, options: options))
    }

    @Test func `a store with the needed columns is opened and written, whatever its version`() throws {
        do {
            let context = try open(model([("Book", ["title", "note"])]))
            try context.make("Book", ["title": "War and Peace", "note": "long"])
            try context.save()
        }
        let smaller = model([("Book", ["title"])])
        #expect(thrownCode { _ = try open(smaller) } == NSPersistentStoreIncompatibleVersionHashError)
        do {
            let context = try open(smaller, options)
            let book = try #require(try context.all("Book").first)
            #expect(book.text("title") == "War and Peace")
            book.setValue("Anna Karenina", forKey: "title")
            try context.save()
        }
        let book = try #require(try open(model([("Book", ["title", "note"])])).all("Book").first)
        #expect(book.text("title") == "Anna Karenina" && book.text("note") == "long")
    }

    @Test func `missing columns and other numbers of entities are errors nevertheless`() throws {
        do { _ = try open(model([("Author", ["name"]), ("Book", ["title"]), ("Shelf", ["label"])])) }
        let larger = model([("Author", ["name"]), ("Book", ["title", "year"]), ("Shelf", ["label"])])
        #expect(thrownCode { _ = try open(larger, options) } == NSPersistentStoreIncompatibleSchemaError)
        let fewer = model([("Author", ["name"]), ("Shelf", ["label"])])
        #expect(thrownCode { _ = try open(fewer, options) } == NSPersistentStoreIncompatibleSchemaError)
    }

    @Test func `no migration is made`() throws {
        do { _ = try open(model([("Book", ["title", "note"])])) }
        let smaller = model([("Book", ["title"])])
        var options: [AnyHashable: Any] = options
        options[NSMigratePersistentStoresAutomaticallyOption] = true
        options[NSInferMappingModelAutomaticallyOption] = true
        do { _ = try open(smaller, options) }
        #expect(thrownCode { _ = try open(model([("Book", ["title", "note"])])) } == nil)
    }
}
