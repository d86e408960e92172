import Foundation
import Sworm
import SwormLegacy
import SwormTools
import Testing

@Suite("Migration through versions in files")
struct SQLiteProgressiveMigrationTests {
    private let end = ["10.0 foo none", "20.0 bar none"]

    @Test func `all steps at once end in the newest version`() throws {
        try MigratableModel.with { store, bundle in
            var found: [String] = []
            try TestTool.Migrations.test(store: store, bundle: bundle) { container in
                do { try MigratableModel.fill(container) } catch { Issue.record(error) }
            } postAction: { container in
                do { found = try MigratableModel.rows("B", "identifier", in: container) } catch { Issue.record(error) }
            }
            #expect(found == end)
        }
    }

    @Test func `step by step every version sees its own`() throws {
        try MigratableModel.with { store, bundle in
            var seen: [[String]] = []
            func look(_ entity: String, _ key: String) -> TestTool.Migrations.TestAction {
                { container in
                    do { seen.append(try MigratableModel.rows(entity, key, in: container)) } catch {
                        Issue.record(error)
                    }
                }
            }
            try TestTool.Migrations.testStepByStep(
                store: store, bundle: bundle,
                actions: [
                    0: { container in
                        do { try MigratableModel.fill(container) } catch { Issue.record(error) }
                        look("A", "id")(container)
                    },
                    1: look("A", "id"), 2: look("A", "id"), 3: look("B", "identifier"),
                ])
            #expect(seen == [["1 foo", "2 bar"], ["1 foo none", "2 bar none"], end, end])
        }
    }

    @Test func `a store of a later version passes only through the remaining steps`() throws {
        try MigratableModel.with { store, bundle in
            let older = store.with(maxVersion: 1)
            let container = try NSPersistentContainer(store: older, bundle: bundle)
            try container.loadPersistentStore()
            try MigratableModel.fill(container)
            try container.removePersistentStores()
            let migration = try #require(try SQLiteProgressiveMigration(store: store, bundle: bundle))
            #expect(migration.currentModelIndex == 1)
            #expect(migration.stepCount == 2)
            var reported: [[Int]] = []
            try migration.performMigration { reported.append([$0, $1]) }
            #expect(reported == [[0, 2], [1, 2], [2, 2]])
            let newest = try NSPersistentContainer(store: store, bundle: bundle)
            try newest.loadPersistentStore()
            #expect(try MigratableModel.rows("B", "identifier", in: newest) == end)
            #expect(try SQLiteProgressiveMigration(store: store, bundle: bundle) == nil)
        }
    }

    @Test func `without a store nothing is migrated`() throws {
        try MigratableModel.with { store, bundle in
            for url in [store.url, .devNull] {
                let migration = try SQLiteProgressiveMigration(store: store.with(url: url), bundle: bundle)
                #expect(migration == nil)
            }
        }
    }

    @Test func `a store of no version is rejected`() throws {
        try MigratableModel.with { store, bundle in
            let container = try NSPersistentContainer(store: store, bundle: bundle)
            try container.loadPersistentStore()
            try container.removePersistentStores()
            #expect(throws: SQLiteProgressiveMigration.Error.storeCompatibleModelNotFound) {
                _ = try SQLiteProgressiveMigration(store: store.with(maxVersion: 1), bundle: bundle)
            }
        }
    }

    @Test func `a version that is not in the bundle is named`() throws {
        try MigratableModel.with { store, bundle in
            let error = Bundle.BundleCoreDataError.managedObjectModelNotFound(
                versionName: "V9", modelName: "Migratable")
            #expect(throws: error) {
                _ = try bundle.managedObjectModel(versionName: "V9", modelName: "Migratable")
            }
        }
    }

    @Test func `a wrong number of steps is reported`() throws {
        try MigratableModel.with { store, bundle in
            let twice = SQLiteStoreDescription(
                name: store.name, url: store.url, modelName: store.modelName, modelVersions: ["V0", "V0"])
            #expect(throws: TestTool.Migrations.Error.self) {
                try TestTool.Migrations.test(store: twice, bundle: bundle, preAction: nil, postAction: nil)
            }
        }
    }

    #if !canImport(CoreData)
    @Test func `a compiled mapping model is rejected with the way out`() throws {
        try MigratableModel.with { store, bundle in
            let old = try NSPersistentContainer(store: store.with(maxVersion: 0), bundle: bundle)
            try old.loadPersistentStore()
            try old.removePersistentStores()
            let other = SQLiteStoreDescription(
                name: store.name, url: store.url, modelName: store.modelName,
                modelVersions: ["V0", .init(name: "V2", mappingModelName: "V0toV2")])
            let error = #expect(throws: StoreError.self) {
                _ = try SQLiteProgressiveMigration(store: other, bundle: bundle)
            }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("stage: .custom") == true)
        }
    }
    #endif
}
