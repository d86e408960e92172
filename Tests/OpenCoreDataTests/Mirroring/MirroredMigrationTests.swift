import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Migration of stores that are mirrored to CloudKit")
struct MirroredMigrationTests {
    private static var migrating: [AnyHashable: Any] {
        mirroredOptions.merging([
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]) { $1 }
    }

    /// A store of some entities, in which each object has a record with the object's number in its name.
    private func store(_ version: MirroredVersion, generation: MirroringSQL.Generation = .assetTables) throws
        -> MigratedStore
    {
        let model = version.model()
        let store = try MigratedStore(model, options: [NSPersistentHistoryTrackingKey: true]) { context in
            var uid = 0
            for entity in version.entities where !entity.isAbstract {
                for _ in 0..<3 {
                    uid += 1
                    try context.make(entity.name, ["uid": uid, "text": "text"])
                }
            }
        }
        try store.mirror(generation, identity: "ZUID")
        return store
    }

    private func migrate(_ store: MigratedStore, to version: MirroredVersion, options: [AnyHashable: Any]? = nil)
        throws
    {
        let model = version.model()
        let coordinator = try GraphLibrary.coordinator(
            at: store.url, model: model, options: options ?? Self.migrating)
        for open in coordinator.persistentStores { try coordinator.remove(open) }
        try store.adopt(model, afterMigration: true)
    }

    /// Migrates, and checks that nothing but the numbers and keys of objects has changed in the mirroring's tables.
    private func check(_ store: MigratedStore, to version: MirroredVersion) throws {
        let moving: Set = ["ZENTITYID", "ZENTITYPK"]
        let before = try MirroringState(store.url, without: moving)
        let count = try store.lines("SELECT count(*) FROM ANSCKRECORDMETADATA")
        try migrate(store, to: version)
        #expect(try MirroringState(store.url, without: moving) == before)
        #expect(try store.lines("SELECT count(*) FROM ANSCKRECORDMETADATA") == count)
        #expect(try MirroredPairs(store).issues() == [])
        let model = try store.model.compiled()
        #expect(try StoreVerification.findings(of: store.url, model: model).map(\.message) == [])
        let metadata = try SQLiteStore.metadata(of: store.url)
        #expect(metadata[MirroringNames.zoneFetchAfterMigration] != nil)
    }

    private func refusal(_ work: () throws -> Void, of store: MigratedStore) throws -> CoreDataError {
        let before = try store.folder.contents()
        let thrown = coreDataError(work)
        let error = try #require(thrown)
        #expect(try store.folder.contents() == before)
        #expect(error.errorCode == NSMigrationError && error.message.contains("CloudKit"))
        return error
    }

    // MARK: Numbers and keys

    @Test(arguments: MirroringSQL.Generation.allCases)
    func `records follow their objects when entities get other numbers`(_ generation: MirroringSQL.Generation) throws {
        var version = MirroredVersion(["B", "D", "F"])
        let store = try store(version, generation: generation)
        version.add("A")
        version.add("C")
        try check(store, to: version)
        // The numbers change places.
        version.rename("A", to: "G")
        version.rename("F", to: "A")
        version.rename("B", to: "Z")
        try check(store, to: version)
        // The renaming identifiers remain. Without them, 'A' would match 'G' of the store, whose identifier is 'A'.
        version.remove("C")
        version.remove("G")
        try check(store, to: version)
    }

    @Test func `records follow their objects within a hierarchy, and when its table is taken apart`() throws {
        var version = MirroredVersion(["B", "D", "F"])
        version.move("D", below: "B")
        version.move("F", below: "B")
        let store = try store(version)
        // 'D' and 'F' exchange their numbers.
        version.move("D", below: "F")
        try check(store, to: version)
        version.move("D", below: nil)
        try check(store, to: version)
        version.move("F", below: nil)
        try check(store, to: version)
    }

    /// A store with objects of 'B', and of 'C' and 'D' below the abstract 'A', and a version in which only 'B' is below
    /// 'A'.
    ///
    /// A mapping is inferred if only one of the tables that become one has objects that remain in it. The keys that the
    /// table of 'A' once assigned are not assigned again, so the three objects of 'B' get the keys after the first six.
    private func joining() throws -> (store: MigratedStore, version: MirroredVersion) {
        var version = MirroredVersion(["B", "C", "D"])
        version.add("A", isAbstract: true)
        version.move("C", below: "A")
        version.move("D", below: "A")
        let store = try store(version)
        version.move("C", below: nil)
        version.move("D", below: nil)
        version.move("B", below: "A")
        return (store, version)
    }

    @Test func `records follow their objects into the table of an entity without objects, and out of it`() throws {
        let (store, joined) = try joining()
        var version = joined
        try check(store, to: version)
        #expect(try store.lines("SELECT Z_PK FROM ZA ORDER BY 1") == ["7", "8", "9"])
        version.move("B", below: nil)
        try check(store, to: version)
        #expect(try store.lines("SELECT Z_PK FROM ZB ORDER BY 1") == ["7", "8", "9"])
    }

    @Test func `states of the history's analysis move too`() throws {
        var version = MirroredVersion(["B", "D"])
        let store = try store(version)
        try Connection(.file(path: store.url.path)).execute(
            MirroringSQL.insert("HistoryAnalyzerState", ["ZENTITYID": "1", "ZENTITYPK": "2"])
                + MirroringSQL.insert("HistoryAnalyzerState", ["ZENTITYID": "2", "ZENTITYPK": "2"])
                + MirroringSQL.raiseKeys)
        version.add("A")
        try check(store, to: version)
        #expect(try store.lines("SELECT ZENTITYID, ZENTITYPK FROM ANSCKHISTORYANALYZERSTATE") == ["2|2", "3|2"])
    }

    @Test func `stages migrate a mirrored store, and their handlers write into its history`() throws {
        let store = try StagedModels.store(2)
        // The store gets a history when it is first written as a mirrored one.
        try store.mirror(identity: "ZNAME")
        let before = try MirroringState(store.url)
        let manager = NSStagedMigrationManager([StagedModels.splitting(), StagedModels.abbreviating()])
        let options = mirroredOptions.merging([NSPersistentStoreStagedMigrationManagerOptionKey: manager]) { $1 }
        let coordinator = try GraphLibrary.coordinator(
            at: store.url, model: StagedModels.model(4), options: options)
        for open in coordinator.persistentStores { try coordinator.remove(open) }
        #expect(try MirroringState(store.url).tables == before.tables)
        #expect(try store.lines("SELECT count(*) > 0 FROM ATRANSACTION") == ["1"])
        let findings = try StoreVerification.findings(of: store.url, model: StagedModels.model(4).compiled())
        #expect(findings.map(\.message) == [])
    }

    // MARK: Rejections

    @Test func `a model without an entity that has records is rejected with the reason`() throws {
        var version = MirroredVersion(["B", "D", "F"])
        let store = try store(version)
        version.remove("D")
        let error = try refusal({ try migrate(store, to: version) }, of: store)
        for part in ["'D'", "3 rows", "ANSCKRECORDMETADATA", "Leave the entity in the model"] {
            #expect(error.message.contains(part), "\(part) in \(error.message)")
        }
        #expect(error.details.map(\.entity) == ["D"])
        let model = version.model()
        let stages = NSStagedMigrationManager([
            NSLightweightMigrationStage([store.model.versionChecksum, model.versionChecksum])
        ])
        let staged = try refusal(
            {
                _ = try GraphLibrary.coordinator(
                    at: store.url, model: model,
                    options: mirroredOptions.merging([NSPersistentStoreStagedMigrationManagerOptionKey: stages]) { $1 })
            }, of: store)
        #expect(staged.message.contains("'D'"))
        var options = StoreOptions()
        options.writesMirroredStores = true
        let report = try MigrationRehearsal(
            of: store.url, from: .init("old", model: store.model), through: [.init("new", model: model)],
            options: options
        ).run()
        #expect(report.steps.flatMap(\.refusals).contains { $0.contains("'D'") })
    }

    @Test func `an entity without records may be dropped with its objects`() throws {
        var version = MirroredVersion(["B", "D", "F"])
        let store = try store(version)
        let number = try #require(try store.model.compiled().entity(named: "D")?.number)
        try Connection(.file(path: store.url.path)).execute(
            "DELETE FROM ANSCKRECORDMETADATA WHERE ZENTITYID = \(number)")
        version.remove("D")
        try check(store, to: version)
    }

    @Test func `records of no entity are rejected if another entity would get their number`() throws {
        var version = MirroredVersion(["B", "D"])
        let store = try store(version)
        try Connection(.file(path: store.url.path)).execute(
            MirroringSQL.insert("RecordMetadata", ["ZENTITYID": "3", "ZENTITYPK": "1"]) + MirroringSQL.raiseKeys)
        version.add("F")
        let error = try refusal({ try migrate(store, to: version) }, of: store)
        #expect(error.message.contains("the number 3 would be that of 'F'"))
        try Connection(.file(path: store.url.path)).execute(
            "UPDATE ANSCKRECORDMETADATA SET ZENTITYID = 30 WHERE ZENTITYID = 3")
        try migrate(store, to: version)
        #expect(try store.lines("SELECT count(*) FROM ANSCKRECORDMETADATA WHERE ZENTITYID = 30") == ["1"])
    }

    @Test func `records with a number that no entity can have do not stop a migration`() throws {
        var version = MirroredVersion(["B", "D"])
        let store = try store(version)
        try Connection(.file(path: store.url.path)).execute(
            MirroringSQL.insert("RecordMetadata", ["ZENTITYID": "0", "ZENTITYPK": "1"])
                + MirroringSQL.insert("RecordMetadata", ["ZENTITYID": "-3", "ZENTITYPK": "1"]) + MirroringSQL.raiseKeys)
        version.add("A")
        try migrate(store, to: version)
        #expect(
            try store.lines("SELECT ZENTITYID FROM ANSCKRECORDMETADATA WHERE ZENTITYID < 1 ORDER BY 1") == ["-3", "0"])
    }

    @Test func `a record without a row gets no row when the keys of its entity change`() throws {
        let (store, version) = try joining()
        let model = try store.model.compiled()
        // The rows of 'B' get both keys.
        for (name, key) in [("B", "7"), ("C", "8")] {
            let number = try #require(model.entity(named: name)?.number)
            try Connection(.file(path: store.url.path)).execute(
                MirroringSQL.insert("RecordMetadata", ["ZENTITYID": "\(number)", "ZENTITYPK": key])
                    + MirroringSQL.raiseKeys)
        }
        try migrate(store, to: version)
        #expect(try MirroredPairs(store).issues() == [])
        // The names of the other records are those of their objects.
        #expect(
            try store.lines("SELECT ZENTITYPK FROM ANSCKRECORDMETADATA WHERE ZCKRECORDNAME IS NULL ORDER BY 1")
                == ["8", "13"])
        #expect(try store.lines("SELECT Z_PK FROM ZA ORDER BY 1") == ["7", "8", "9"])
        #expect(try store.lines("SELECT count(*) FROM ZC WHERE Z_PK = 8") == ["0"])
    }

    @Test func `without the option a mirrored store is not migrated`() throws {
        var version = MirroredVersion(["B", "D"])
        let store = try store(version)
        version.add("A")
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        let error = try refusal({ try migrate(store, to: version, options: options) }, of: store)
        #expect(error.message.contains(SwormWritesMirroredStoresOption))
    }

    @Test func `a plan does not migrate a mirrored store, and the error names what does`() throws {
        let store = try store(MirroredVersion(["B", "D"]))
        // The replacement of the store by which a plan begins.
        let error = try refusal({ _ = try StoreReplacement(of: store.url) }, of: store)
        for part in ["migration plan", "NSPersistentContainer", SwormWritesMirroredStoresOption, "--mirrored"] {
            #expect(error.message.contains(part), "\(part) in \(error.message)")
        }
    }

    // MARK: Managers

    @Test func `a manager does not migrate a mirrored store to a new one, unless that is not meant to be mirrored`()
        throws
    {
        var version = MirroredVersion(["B", "D"])
        let store = try store(version)
        version.add("A")
        let new = version.model()
        func migrate(_ options: [AnyHashable: Any]?, to name: String) throws {
            try NSMigrationManager(sourceModel: store.model, destinationModel: new).migrateStore(
                from: store.url, sourceType: NSSQLiteStoreType, options: options, with: nil,
                toDestinationURL: store.folder.url(name), destinationType: NSSQLiteStoreType)
        }
        let error = try refusal({ try migrate(nil, to: "New.sqlite") }, of: store)
        #expect(error.message.contains("a second time"))
        try migrate(mirroredOptions, to: "New.sqlite")
        let copy = try Connection(.file(path: store.folder.url("New.sqlite").path))
        #expect(try copy.lines("SELECT count(*) FROM sqlite_master WHERE name LIKE 'ANSCK%'") == ["0"])
        let plain = try MigratedStore(store.model)
        let onto = coreDataError {
            try NSMigrationManager(sourceModel: store.model, destinationModel: new).migrateStore(
                from: plain.url, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: store.url,
                destinationType: NSSQLiteStoreType)
        }
        #expect(onto?.message.contains("mirrored to CloudKit") == true)
        #expect(try MirroredPairs(store).issues() == [])
    }
}
