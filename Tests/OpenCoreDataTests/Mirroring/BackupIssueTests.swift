import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Backups of stores that have issues")
struct BackupIssueTests {
    private func open(_ store: MigratedStore, watching warnings: Locked<[String]>) throws -> SQLiteStore {
        var options = StoreOptions()
        options.writesMirroredStores = true
        let open = try SQLiteStore.open(url: store.url, model: store.model.compiled(), options: options)
        _ = open.addWarningListener { warning in warnings.withLock { $0.append(warning.message) } }
        return open
    }

    @Test(arguments: [
        "UPDATE ANSCKRECORDMETADATA SET ZENTITYID = 30 WHERE Z_PK = 1",
        "DROP INDEX Z_NSCKRecordMetadata_UNIQUE_ckRecordName_recordZone; UPDATE ANSCKRECORDMETADATA SET ZCKRECORDNAME = 'same'",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'NSCKRecordMetadata'",
    ])
    func `an issue that the store itself has is copied, and reported`(_ sql: String) throws {
        let store = try MigratedStore.mirrored()
        try store.folder.raw().execute(sql)
        let issues = try StoreVerification.issues(of: store.url, model: store.model.compiled())
        #expect(issues.count == 1)
        let warnings = Locked<[String]>([])
        let open = try open(store, watching: warnings)
        let copy = store.folder.url("Copy.sqlite")
        try open.backup(to: copy)
        open.close()
        #expect(try MirroringState(copy) == MirroringState(store.url))
        #expect(try StoreVerification.issues(of: copy, model: store.model.compiled()) == issues)
        let reported = warnings.withLock { $0 }.filter { $0.contains("same issues as the store itself") }
        #expect(reported.count == 1)
        for issue in issues { #expect(reported.first?.contains(issue) == true, "\(issue)") }
    }

    @Test func `an issue that only the copy has discards the copy`() throws {
        let store = try MigratedStore.mirrored()
        try store.folder.raw().execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'NSCKRecordMetadata'")
        let warnings = Locked<[String]>([])
        let open = try open(store, watching: warnings)
        let copy = store.folder.url("Copy.sqlite")
        let error = try #require(
            coreDataError {
                try open.backup(to: copy, nil) { try $0.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT < 3") }
            })
        open.close()
        #expect(error.errorCode == CocoaError.Code.fileReadCorruptFile.rawValue)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        #expect(warnings.withLock { $0 } == [])
    }
}
