import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Moving stores that are mirrored to CloudKit")
struct MirroredMovingTests {
    @Test(arguments: [NSPersistentStore.StoreType.sqlite, .inMemory], [true, false])
    func `a mirrored store is not migrated to another URL or type`(
        to type: NSPersistentStore.StoreType, isMirroredBefore: Bool
    ) throws {
        let store =
            try isMirroredBefore
            ? MigratedStore.mirrored()
            : MigratedStore(GraphLibrary.model(), options: [NSPersistentHistoryTrackingKey: true])
        let coordinator = try GraphLibrary.coordinator(at: store.url, model: store.model, options: mirroredOptions)
        // The tables may also appear while the store is open.
        if !isMirroredBefore { try store.mirror() }
        let persistent = try #require(coordinator.persistentStores.first)
        let before = try MirroringState(store.url)
        let target = store.folder.url("Moved.sqlite")
        let url = type == .inMemory ? URL(fileURLWithPath: "/dev/null") : target
        let error = try #require(
            coreDataError {
                _ = try coordinator.migratePersistentStore(persistent, to: url, options: mirroredOptions, type: type)
            })
        #expect(error.errorCode == NSPersistentStoreOperationError)
        for part in ["mirrored to CloudKit", "identifier", "replacePersistentStore", "Nothing was changed"] {
            #expect(error.message.contains(part), "\(part)")
        }
        #expect(coordinator.persistentStores == [persistent])
        #expect(!FileManager.default.fileExists(atPath: target.path))
        try coordinator.remove(persistent)
        #expect(try MirroringState(store.url) == before)
    }
}
