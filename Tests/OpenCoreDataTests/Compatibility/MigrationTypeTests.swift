import Foundation
import Testing

@testable import OpenCoreData

@Suite("Compatibility: migrations by types")
struct MigrationTypeTests {
    @Test func `a manager migrates between stores whose types are values`() throws {
        let folder = try StoreFolder()
        let old = Build.model(Build.entity("Book", [Build.attribute("title")]))
        let new = Build.model(Build.entity("Book", [Build.attribute("title"), Build.attribute("note")]))
        do {
            let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url("Old.sqlite"), model: old))
            try context.make("Book", ["title": "War and Peace"])
            try context.save()
        }
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        #expect(manager.usesStoreSpecificMigrationManager)
        manager.usesStoreSpecificMigrationManager = false
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        try manager.migrateStore(
            from: folder.url("Old.sqlite"), type: .sqlite, mapping: mapping, to: folder.url(), type: .sqlite)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: new))
        #expect(try context.all("Book").map { $0.text("title") } == ["War and Peace"])
    }

    @Test func `the variables of expressions and the events of snapshots are Core Data's`() {
        let keys = [
            NSMigrationManagerKey, NSMigrationSourceObjectKey, NSMigrationDestinationObjectKey,
            NSMigrationEntityMappingKey, NSMigrationPropertyMappingKey, NSMigrationEntityPolicyKey,
        ]
        #expect(keys == ["manager", "source", "destination", "entityMapping", "propertyMapping", "entityPolicy"])
        let events: [NSSnapshotEventType] = [
            .undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
        ]
        #expect(events.map(\.rawValue) == [2, 4, 8, 16, 32, 64])
    }
}
