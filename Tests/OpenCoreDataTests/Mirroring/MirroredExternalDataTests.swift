import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Files of external data that the tables of a mirroring may name.
@Suite("External data of stores that are mirrored to CloudKit")
struct MirroredExternalDataTests {
    private let long = Data(repeating: 5, count: 110_000)

    /// Inserts a value into a table of the mirroring that names a file as Core Data's attributes do.
    private func reference(to name: String) throws -> String {
        let identifier = try #require(UUID(uuidString: name))
        let bytes = ExternalDataFolder.referenceColumn(identifier).map { String(format: "%02x", $0) }.joined()
        let table = "RecordMetadataSystemFieldsAsset"
        return MirroringSQL.insert(table, ["ZRECORD": "1", "ZEXTERNALBINARYDATA": "x'\(bytes)'"])
            + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'NSCK\(table)'"
    }

    /// A mirrored store with a book and its cover, and two old files: the mirroring names one of them, and nothing that is
    /// known names the other one.
    private func mirrored() throws -> (folder: StoreFolder, named: String, unknown: String) {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.book, ["cover": .data(long)])
        store.close()
        let (named, unknown) = (try folder.addOrphan(age: .day * 2), try folder.addOrphan(age: .day * 2))
        try folder.raw().execute(MirroringSQL.schema() + reference(to: named))
        return (folder, named, unknown)
    }

    @Test func `opening a mirrored store removes no file`() throws {
        let (folder, named, unknown) = try mirrored()
        let before = folder.externalFiles
        #expect(before.count == 3 && before.isSuperset(of: [named, unknown]))
        try folder.open { $0.writesMirroredStores = true }.close()
        #expect(folder.externalFiles == before)
    }

    @Test func `a backup has every file`() throws {
        let (folder, _, _) = try mirrored()
        let store = try folder.open { $0.writesMirroredStores = true }
        try store.backup(to: folder.url("Copy.sqlite"))
        store.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.Copy_SUPPORT/_EXTERNAL_DATA")
        #expect(Set(files) == folder.externalFiles && files.count == 3)
    }

    @Test func `a file that the mirroring names is no orphan`() throws {
        let (folder, _, unknown) = try mirrored()
        let orphans = try StoreVerification.findings(of: folder.url(), model: LibraryModel.model).filter {
            $0.kind == .externalOrphan
        }
        #expect(orphans.map(\.message) == ["no value names the external file \(unknown) in a form that is known"])
    }

    @Test func `a migration without the attribute keeps a file that the mirroring names, too`() throws {
        func model(hasCover: Bool) -> NSManagedObjectModel {
            var properties = [Build.attribute("title")]
            if hasCover {
                properties.append(
                    Build.attribute("cover", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true })
            }
            return Build.model(Build.entity("Book", properties))
        }
        for isNamed in [true, false] {
            let store = try MigratedStore(model(hasCover: true), options: [NSPersistentHistoryTrackingKey: true]) {
                try $0.make("Book", ["title": "Emma", "cover": long])
            }
            try store.mirror()
            let name = try #require(store.folder.externalFiles.first)
            if isNamed { try store.folder.raw().execute(reference(to: name)) }
            var options = StoreOptions()
            options.writesMirroredStores = true
            try store.run(to: model(hasCover: false), options: options)
            #expect(store.folder.externalFiles == (isNamed ? [name] : []))
        }
    }
}
