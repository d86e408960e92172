import Foundation
@testable import OpenCoreData
import SwormSQLite
import Testing

@Suite("Stores that are mirrored to CloudKit")
struct MirroredStoreTests {
    /// A store with a tag, a table of mirroring, and a history if it is asked for.
    private func mirrored(keepsHistory: Bool = true) throws -> StoreFolder {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(), options: [NSPersistentHistoryTrackingKey: keepsHistory])
        let context = GraphLibrary.context(coordinator)
        try context.make("Tag", ["name": "old"])
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try folder.raw().execute("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)")
        return folder
    }

    @Test func `a store that is mirrored to CloudKit is opened read-only, and a save says how to write`() throws {
        let folder = try mirrored()
        let before = try folder.contents()
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(), options: [NSPersistentHistoryTrackingKey: true])
        #expect(coordinator.persistentStores.map(\.isReadOnly) == [true])
        let context = GraphLibrary.context(coordinator)
        let tag = try #require(try context.all("Tag").first)
        #expect(tag.text("name") == "old")
        tag.setValue("new", forKey: "name")
        let error = try #require(coreDataError { try context.save() })
        #expect(error.errorCode == NSPersistentStoreSaveError)
        for part in ["ANSCKEVENT", "CloudKit", "read-only", SwormWritesMirroredStoresOption] {
            #expect(error.message.contains(part))
        }
        context.rollback()
        #expect(throws: CocoaError.self) {
            try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()))
        }
        #expect(
            (try context.execute(NSPersistentHistoryChangeRequest()) as? NSPersistentHistoryResult)?.result != nil)
        #expect(try folder.contents() == before)
    }

    @Test(arguments: [true, false, nil])
    func `with the option it is written, and always into a history`(_ tracks: Bool?) throws {
        for keepsHistory in [true, false] {
            let folder = try mirrored(keepsHistory: keepsHistory)
            var options: [AnyHashable: Any] = [SwormWritesMirroredStoresOption: true]
            options[NSPersistentHistoryTrackingKey] = tracks
            let coordinator = try GraphLibrary.coordinator(at: folder.url(), options: options)
            #expect(coordinator.persistentStores.map(\.isReadOnly) == [false])
            let context = GraphLibrary.context(coordinator)
            try #require(try context.all("Tag").first).setValue("new", forKey: "name")
            try context.save()
            #expect(
                try folder.raw().lines("SELECT ZCHANGETYPE, ZENTITYPK FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1") == [
                    "1|1"
                ])
            #expect(try folder.raw().lines("SELECT count(*) FROM ATRANSACTION") == [keepsHistory ? "2" : "1"])
        }
    }

    @Test func `a store that is opened read-only stays so with the option`() throws {
        let folder = try mirrored()
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(), options: [SwormWritesMirroredStoresOption: true, NSReadOnlyPersistentStoreOption: true])
        #expect(coordinator.persistentStores.map(\.isReadOnly) == [true])
    }

    @Test func `a container opens it, and its description lets it be written`() throws {
        for isAllowed in [false, true] {
            let folder = try mirrored()
            let description = NSPersistentStoreDescription(url: folder.url())
            description.setOption(isAllowed as NSNumber, forKey: SwormWritesMirroredStoresOption)
            let container = NSPersistentContainer(name: "Library", managedObjectModel: GraphLibrary.model())
            container.persistentStoreDescriptions = [description]
            container.loadPersistentStores { #expect($1 == nil) }
            #expect(container.persistentStoreCoordinator.persistentStores.map(\.isReadOnly) == [!isAllowed])
        }
    }
}
