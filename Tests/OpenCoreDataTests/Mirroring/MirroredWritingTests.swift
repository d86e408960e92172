import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Writing stores that are mirrored to CloudKit")
struct MirroredWritingTests {
    private static var history: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    private func open(_ store: MigratedStore, watching warnings: Locked<[String]>? = nil) throws -> SQLiteStore {
        var options = StoreOptions()
        options.writesMirroredStores = true
        let open = try SQLiteStore.open(url: store.url, model: store.model.compiled(), options: options)
        if let warnings { _ = open.addWarningListener { warning in warnings.withLock { $0.append(warning.message) } } }
        return open
    }

    // MARK: Saves

    @Test func `saves and batches leave the mirroring's tables as they are, and are recorded in the history`() throws {
        let store = try MigratedStore.mirrored()
        let before = try MirroringState(store.url)
        try store.write(options: mirroredOptions) { context in
            context.transactionAuthor = "server"
            let book = try #require(try context.all("Book", "title == 'Emma'").first)
            book.setValue("Emma II", forKey: "title")
            book.setValue(Set<NSManagedObject>(), forKey: "tags")
            context.delete(try #require(try context.all("Novel").first))
            try context.make("Tag", ["name": "new"])
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Shelf")
            update.propertiesToUpdate = ["label": "room"]
            try context.execute(update)
            try context.execute(
                NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Shelf")))
            try context.execute(
                NSBatchInsertRequest(entityName: "Shelf", objects: [["label": "one"], ["label": "two"]]))
        }
        let after = try MirroringState(store.url)
        #expect(after.differences(from: before) == [])
        #expect(after.transactions.count == before.transactions.count + 4)
        let authors = try store.lines(
            "SELECT DISTINCT s.ZNAME FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS")
        #expect(authors == ["server"])
        #expect(try StoreVerification.issues(of: store.url, model: store.model.compiled()) == [])
    }

    @Test(arguments: ["export", "import", "reset", "migration", "setup", "event"])
    func `changes are never recorded as those of the mirroring itself`(_ name: String) throws {
        let store = try MigratedStore.mirrored()
        let before = try MirroringState(store.url)
        let author = "NSCloudKitMirroringDelegate." + name
        for isAuthor in [true, false] {
            try store.write(options: mirroredOptions) { context in
                if isAuthor { context.transactionAuthor = author } else { context.name = author }
                try context.make("Tag", ["name": "new"])
                let error = try #require(coreDataError { try context.save() })
                for part in [author, "CloudKit", "Use another name"] { #expect(error.message.contains(part)) }
                context.rollback()
                let update = NSBatchUpdateRequest(entityName: "Shelf")
                update.propertiesToUpdate = ["label": "room"]
                #expect(coreDataError { try context.execute(update) } != nil)
            }
        }
        #expect(try MirroringState(store.url) == before)
        #expect(try store.lines("SELECT count(*) FROM ZSHELF WHERE ZLABEL = 'room'") == ["0"])
    }

    @Test func `a store that is not mirrored has authors of any name`() throws {
        let store = try MigratedStore(GraphLibrary.model(), options: Self.history)
        try store.write { context in
            context.transactionAuthor = "NSCloudKitMirroringDelegate.import"
            try context.make("Tag", ["name": "new"])
        }
        #expect(try store.lines("SELECT count(*) FROM ZTAG") == ["1"])
    }

    @Test func `the mirroring's keys in the metadata stay when an application replaces its own`() throws {
        let store = try MigratedStore.mirrored()
        let key = MirroringNames.zoneFetchAfterMigration
        let open = try open(store)
        let list = try StoreMetadata(identifier: open.identifier, propertyList: open.writtenMetadata.propertyList)
        open.close()
        let connection = StoreConnection(try Connection(.file(path: store.url.path)))
        try connection.write(try list.migrated(to: store.model.compiled(), isMirrored: true))
        let again = try self.open(store)
        try again.setMetadata(["mine": 1, key: "replaced"])
        try again.save(SaveRequest())
        again.close()
        let metadata = try SQLiteStore.metadata(of: store.url)
        #expect(metadata["mine"] as? Int == 1 && (metadata[key] as? [String: Any])?.isEmpty == true)
    }

    // MARK: History

    @Test func `the history is never deleted`() throws {
        let store = try MigratedStore.mirrored()
        let before = try MirroringState(store.url)
        for options in [mirroredOptions, [:]] {
            try store.write(options: options) { context in
                let token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
                for request in [
                    NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture),
                    .deleteHistory(before: token),
                ] {
                    let error = try #require(coreDataError { try context.execute(request) })
                    #expect(error.errorCode == NSPersistentStoreOperationError)
                    for part in ["CloudKit", "134301"] { #expect(error.message.contains(part)) }
                }
            }
        }
        let open = try open(store)
        #expect(throws: CoreDataError.self) { try open.deleteHistory(before: .date(.distantFuture)) }
        open.close()
        #expect(try MirroringState(store.url) == before)
    }

    @Test func `a mirrored store is not written with an inferred model`() throws {
        let store = try MigratedStore.mirrored()
        try Connection(.file(path: store.url.path)).execute("DROP TABLE ACHANGE; DROP TABLE ATRANSACTION")
        try Connection(.file(path: store.url.path)).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
        let model = try StoredModel(ofStoreAt: store.url).model
        let options = mirroredOptions.merging([SwormWritesWithInferredModelOption: true]) { $1 }
        #expect(
            coreDataError { _ = try GraphLibrary.coordinator(at: store.url, model: model, options: options) } != nil)
    }

    // MARK: Warnings

    private func insertion(_ count: Int, _ model: CompiledModel) throws -> SaveRequest {
        let tag = try #require(model.entity(named: "Tag"))
        var request = SaveRequest()
        for key in 1...count { request.insert(tag, key: Int64(-key)) }
        return request
    }

    @Test func `a transaction with more than 20,000 objects is reported`() throws {
        let store = try MigratedStore.mirrored()
        let warnings = Locked<[String]>([])
        let open = try open(store, watching: warnings)
        try open.save(insertion(20_000, open.model))
        #expect(warnings.withLock { $0 } == [])
        try open.save(insertion(20_001, open.model))
        #expect(warnings.withLock { $0.count } == 1)
        for part in ["20001 objects", "CloudKit", "2,000 objects every two minutes"] {
            #expect(warnings.withLock { $0.first?.contains(part) == true }, "\(part)")
        }
        // Several saves of one transaction are uploaded together, and what is undone is not.
        let transaction = try open.beginTransaction()
        _ = try transaction.save(insertion(15_000, open.model))
        let mark = transaction.mark()
        _ = try transaction.save(insertion(15_000, open.model))
        try transaction.undo(to: mark)
        try transaction.commit()
        #expect(warnings.withLock { $0.count } == 1)
        let second = try open.beginTransaction()
        for _ in 0..<2 { _ = try second.save(insertion(15_000, open.model)) }
        try second.commit()
        #expect(warnings.withLock { $0.count } == 2)
        open.close()
    }

    @Test func `a store that is not mirrored has transactions of any length`() throws {
        let store = try MigratedStore(GraphLibrary.model(), options: Self.history)
        let warnings = Locked<[String]>([])
        let open = try open(store, watching: warnings)
        try open.save(insertion(20_001, open.model))
        #expect(warnings.withLock { $0 } == [])
        open.close()
    }

    // MARK: Copies and replacements

    @Test func `a backup has the state of the mirroring, and is reported as mirrored`() throws {
        let store = try MigratedStore.mirrored()
        let warnings = Locked<[String]>([])
        let open = try open(store, watching: warnings)
        let copy = store.folder.url("Copy.sqlite")
        try open.backup(to: copy)
        #expect(try MirroringState(copy) == MirroringState(store.url))
        #expect(warnings.withLock { $0.count } == 1)
        #expect(warnings.withLock { $0.first?.contains("as if it were the original") == true })
        // The next backup must not replace it: it is a mirrored store like any other.
        let before = try MirroringState(copy)
        let error = try #require(coreDataError { try open.backup(to: copy) })
        #expect(error.message.contains("CloudKit") && error.message.contains("Nothing was changed"))
        #expect(try MirroringState(copy) == before)
        open.close()
    }

    @Test func `a mirrored store is not replaced by another one, unless the options allow it`() throws {
        let store = try MigratedStore.mirrored()
        let plain = try MigratedStore(GraphLibrary.model()) { try $0.make("Tag", ["name": "plain"]) }
        let before = try store.folder.contents()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        func replace(_ options: [AnyHashable: Any]?) -> CoreDataError? {
            coreDataError {
                try coordinator.replacePersistentStore(
                    at: store.url, destinationOptions: options, withPersistentStoreFrom: plain.url,
                    ofType: NSSQLiteStoreType)
            }
        }
        #expect(try #require(replace(nil)).message.contains("mirrored to CloudKit"))
        let open = try SQLiteStore.open(url: plain.url, model: plain.model.compiled())
        #expect(coreDataError { try open.backup(to: store.url) }?.message.contains("mirrored to CloudKit") == true)
        open.close()
        #expect(try store.folder.contents() == before)
        // The tables of the mirroring count even if the metadata are damaged.
        let metadata = try store.lines("SELECT quote(Z_PLIST) FROM Z_METADATA")
        try store.folder.raw().execute("UPDATE Z_METADATA SET Z_PLIST = x'00'")
        #expect(try #require(replace(nil)).message.contains("mirrored to CloudKit"))
        try store.folder.raw().execute("UPDATE Z_METADATA SET Z_PLIST = \(metadata.first ?? "NULL")")
        #expect(replace(mirroredOptions) == nil)
        #expect(try store.lines("SELECT ZNAME FROM ZTAG") == ["plain"])
    }
}
