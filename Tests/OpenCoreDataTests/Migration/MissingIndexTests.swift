import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData

/// Indexes that came into a model after its store was made: no version hash tells of them.
@Suite("Indexes that a migration has no reason to make")
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

    @Test func `a store that somebody writes is opened without the index, which comes later`() throws {
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
        #expect(try MissingIndexes.make(at: store.url, model: model("name")) == ["Z_Thing_by_name"])
        #expect(try MissingIndexes.make(at: store.url, model: model("name")) == [])
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
