import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Indexes that were added to a model after its store was created. They are not part of the version hashes.
@Suite("Indexes of a store that needs no migration")
struct MissingIndexTests {
    private func model(_ indexed: String...) -> NSManagedObjectModel {
        let thing = Build.entity(
            "Thing", [Build.attribute("name"), Build.attribute("number", .integer32AttributeType)])
        thing.indexes = indexed.compactMap { name in
            thing.attributesByName[name].map {
                NSFetchIndexDescription(
                    name: "by_\(name)",
                    elements: [NSFetchIndexElementDescription(property: $0, collationType: .binary)])
            }
        }
        return Build.model(thing)
    }

    private func store(_ model: NSManagedObjectModel) throws -> MigratedStore {
        try MigratedStore(model) { context in
            for index in 0..<20 { try context.make("Thing", ["name": "name \(index)", "number": index]) }
        }
    }

    private func indexes(_ store: MigratedStore) throws -> [String] {
        try store.lines("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZTHING' ORDER BY name")
    }

    private static var migrating: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    private func open(
        _ store: MigratedStore, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = Self.migrating
    ) throws {
        let coordinator = try GraphLibrary.coordinator(at: store.url, model: model, options: options)
        for open in coordinator.persistentStores { try coordinator.remove(open) }
    }

    @Test func `an index that is new is made when a store is opened that may be migrated`() throws {
        let store = try store(model("name"))
        let new = model("name", "number")
        #expect(new.entityVersionHashesByName == store.model.entityVersionHashesByName)
        try open(store, new, [:])
        try open(store, new, Self.migrating.merging([NSReadOnlyPersistentStoreOption: true]) { $1 })
        #expect(try indexes(store) == ["Z_Thing_by_name"])
        try open(store, new)
        #expect(try indexes(store) == ["Z_Thing_by_name", "Z_Thing_by_number"])
        try store.adopt(new)
        try store.checkFile()
        let before = try store.folder.contents()
        try open(store, new)
        #expect(try store.folder.contents() == before)
    }

    @Test func `an index that is not in the model stays, and one of another name is not made twice`() throws {
        let store = try store(model("name"))
        try Connection(.file(path: store.url.path)).execute(
            "CREATE INDEX Mine ON ZTHING (ZNUMBER COLLATE BINARY ASC)")
        try open(store, model("number"))
        #expect(try indexes(store) == ["Mine", "Z_Thing_by_name"])
    }

    /// A model whose one index is what the test makes of it.
    private func model(
        _ elements: [(name: String, ascending: Bool)], where predicate: String? = nil
    ) throws -> NSManagedObjectModel {
        let model = model("name")
        let thing = try #require(model.entitiesByName["Thing"])
        thing.indexes = [
            NSFetchIndexDescription(
                name: "by_name",
                elements: try elements.map { name, ascending in
                    let property = try #require(thing.attributesByName[name])
                    let element = NSFetchIndexElementDescription(property: property, collationType: .binary)
                    element.isAscending = ascending
                    return element
                })
        ]
        thing.indexes[0].partialPredicate = try predicate.map { try parsePredicate($0) }
        return model
    }

    private func statement(_ store: MigratedStore) throws -> [String] {
        try store.lines("SELECT sql FROM sqlite_master WHERE name = 'Z_Thing_by_name'")
    }

    @Test func `an index that differs under the same name is recreated, and reported before`() throws {
        let store = try store(model("name"))
        let new = try model([("number", true), ("name", false)])
        #expect(new.entityVersionHashesByName == store.model.entityVersionHashesByName)
        let before = try store.folder.contents()
        let rehearsal = try MigrationRehearsal(
            of: store.url, from: .init("1", model: store.model), through: [.init("2", model: new)]
        ).run()
        #expect(rehearsal.indexes == MissingIndexes.Changes(changed: ["Z_Thing_by_name"]))
        #expect(rehearsal.steps.isEmpty)
        #expect(try store.folder.contents() == before)
        try open(store, new)
        #expect(
            try statement(store) == [
                "CREATE INDEX Z_Thing_by_name ON ZTHING (ZNUMBER COLLATE BINARY ASC, ZNAME COLLATE BINARY DESC)"
            ])
        try store.adopt(new)
        try store.checkFile()
        #expect(try MissingIndexes.make(at: store.url, model: new.compiled()).isEmpty)
        #expect(
            try MissingIndexes.make(at: store.url, model: model("name").compiled())
                == .init(changed: ["Z_Thing_by_name"]))
    }

    @Test func `an index gets another name when its own name is given to another index`() throws {
        let store = try store(model("name"))
        let new = try model([("number", true)])
        let thing = try #require(new.entitiesByName["Thing"])
        let name = try #require(thing.attributesByName["name"])
        let element = NSFetchIndexElementDescription(property: name, collationType: .binary)
        thing.indexes.append(NSFetchIndexDescription(name: "by_word", elements: [element]))
        #expect(
            try MissingIndexes.make(at: store.url, model: new.compiled())
                == .init(missing: ["Z_Thing_by_word"], changed: ["Z_Thing_by_name"]))
        #expect(try MissingIndexes.make(at: store.url, model: new.compiled()).isEmpty)
        try store.adopt(new)
        try store.checkFile()
    }

    @Test func `a partial index of other rows is recreated, and one whose condition has no SQL stays`() throws {
        let first = try model([("name", true)], where: "number > 1 AND name != nil")
        let store = try store(first)
        #expect(try MissingIndexes.make(at: store.url, model: first.compiled()).isEmpty)
        let second = try model([("name", true)], where: "number > 2 AND name != nil")
        #expect(try MissingIndexes.make(at: store.url, model: second.compiled()) == .init(changed: ["Z_Thing_by_name"]))
        #expect(try statement(store).first?.hasSuffix("WHERE (ZNUMBER > 2 AND ZNAME IS NOT NULL)") == true)
        let silent = try model([("name", true)], where: "name MATCHES 'a'")
        #expect(try MissingIndexes.make(at: store.url, model: silent.compiled()).isEmpty)
        #expect(
            try MissingIndexes.make(at: store.url, model: model("name").compiled())
                == .init(changed: ["Z_Thing_by_name"]))
    }

    @Test func `an index that is only written in another way stays`() throws {
        let store = try store(model())
        let text = "CREATE INDEX \"z_thing_BY_name\"  ON \"ZTHING\" ( \"ZNAME\"  COLLATE BINARY  ASC )"
        try Connection(.file(path: store.url.path)).execute(text)
        #expect(try MissingIndexes.make(at: store.url, model: model("name").compiled()).isEmpty)
        #expect(try store.lines("SELECT sql FROM sqlite_master WHERE name = 'z_thing_BY_name'") == [text])
    }

    @Test func `an index of that name on a table of other programs stays`() throws {
        let store = try store(model())
        try Connection(.file(path: store.url.path)).execute(
            "CREATE TABLE mine (a); CREATE INDEX Z_Thing_by_name ON mine (a)")
        try open(store, model("name"))
        #expect(try statement(store) == ["CREATE INDEX Z_Thing_by_name ON mine (a)"])
    }

    @Test func `a store that is being written is opened without the index, which is created later`() throws {
        let store = try store(model())
        let writer = try Connection(.file(path: store.url.path))
        try writer.begin(.immediate)
        try open(store, model("name"))
        #expect(try indexes(store) == [])
        #expect(throws: CoreDataError.self) {
            var options = StoreOptions()
            options.busyTimeout = 0
            let files = StoreFiles(url: store.url)
            try MissingIndexes.make(
                in: files, try SQLiteStore.inspect(files, options: options).inspection,
                model: try model("name").compiled(), options: options)
        }
        try writer.rollback()
        #expect(try MissingIndexes.make(at: store.url, model: model("name").compiled()).missing == ["Z_Thing_by_name"])
        #expect(try MissingIndexes.make(at: store.url, model: model("name").compiled()).isEmpty)
        #expect(try indexes(store) == ["Z_Thing_by_name"])
    }

    @Test func `a mirrored store gets none, unless it may be written`() throws {
        let store = try store(model())
        try Connection(.file(path: store.url.path)).execute("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)")
        try open(store, model("name"))
        #expect(try indexes(store) == [])
        try open(store, model("name"), Self.migrating.merging([SwormWritesMirroredStoresOption: true]) { $1 })
        #expect(try indexes(store) == ["Z_Thing_by_name"])
    }
}
