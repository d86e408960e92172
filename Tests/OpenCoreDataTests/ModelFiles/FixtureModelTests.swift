import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Compares what we work out from model files with what Apple's framework and compiler recorded.
@Suite(
    "Models that Apple's tools wrote",
    .enabled(if: ModelFixtures.exist, "there are no fixtures, which SWORM_FIXTURES says"))
struct FixtureModelTests {
    @Test(arguments: ModelFixtures.all("xcdatamodeld"))
    func `every version is read and is sound`(_ url: URL) throws {
        let versions = try NSManagedObjectModel.versions(at: url)
        #expect(!versions.isEmpty)
        for version in versions { #expect(issues(of: version.model).isEmpty, "\(version.name)") }
        #expect(NSManagedObjectModel(contentsOf: url) != nil)
    }

    @Test(arguments: ModelFixtures.all("plist").filter { $0.lastPathComponent == "VersionInfo.plist" })
    func `the compiler's hashes and checksums are ours`(_ plist: URL) throws {
        let compiled = plist.deletingLastPathComponent()
        let source = compiled.deletingPathExtension().appendingPathExtension("xcdatamodeld")
        let info = try #require(
            PropertyListSerialization.propertyList(from: Data(contentsOf: plist), options: [], format: nil)
                as? [String: Any])
        let hashes = try #require(info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
        let checksums = info["NSManagedObjectModel_VersionChecksums"] as? [String: String] ?? [:]
        let versions = try NSManagedObjectModel.versions(at: source)
        #expect(hashes.keys.sorted() == versions.map(\.name).sorted())
        var count = 0
        for (name, model) in versions {
            #expect(model.entityVersionHashesByName == hashes[name])
            count += hashes[name]?.count ?? 0
            if let checksum = checksums[name] { #expect(model.versionChecksum == checksum) }
        }
        #expect(
            info["NSManagedObjectModel_CurrentVersionName"] as? String
                == (try NSManagedObjectModel.currentVersionName(at: source)))
        print("\(compiled.lastPathComponent): \(count) hashes, \(checksums.count) checksums of the compiler are ours")
    }

    /// A store whose model is not among the versions beside it proves nothing, so it must not be the rule: every folder
    /// with a model has a store that fits one of its versions.
    @Test(arguments: ModelFixtures.all("xcdatamodeld"))
    func `the stores' hashes, digests and checksums are ours`(_ url: URL) throws {
        let versions = try NSManagedObjectModel.versions(at: url)
        let stores = try Self.stores(beside: url)
        var fitting = 0
        var count = 0
        for store in stores {
            let metadata = try #require(try Self.metadata(of: store))
            let hashes = try #require(metadata[StoreMetadataKey.versionHashes] as? [String: Data])
            guard let model = versions.first(where: { $0.model.entityVersionHashesByName == hashes })?.model else {
                let near = versions.map { differences(between: $0.model, and: hashes).count }.min() ?? 0
                #expect(near > 0)
                print("\(store.lastPathComponent): of no version beside it; the nearest differs in \(near) entities")
                continue
            }
            fitting += 1
            count += hashes.count
            #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            #expect(differences(between: try model.compiled(), and: hashes).isEmpty)
            if let digest = metadata[StoreMetadataKey.versionHashesDigest] as? String {
                #expect(model.versionHashesDigest == digest)
            }
            if let checksum = metadata[StoreMetadataKey.versionChecksum] as? String {
                #expect(model.versionChecksum == checksum)
            }
            let identifiers = metadata[StoreMetadataKey.versionIdentifiers] as? [String] ?? []
            // An identifier may be given to a version after stores were written with it, as it has no part in the hashes.
            let own = try model.compiled().versionIdentifiers
            #expect(identifiers.sorted() == own || identifiers == [""])
        }
        #expect(stores.isEmpty || fitting > 0)
        print("\(url.lastPathComponent): \(fitting) of \(stores.count) stores fit, \(count) hashes")
    }

    /// The numbers of entities in a store are ours too.
    @Test(arguments: ModelFixtures.all("xcdatamodeld"))
    func `the stores number their entities as we do`(_ url: URL) throws {
        let versions = try NSManagedObjectModel.versions(at: url)
        for store in try Self.stores(beside: url) {
            let hashes = try #require(try Self.metadata(of: store)?[StoreMetadataKey.versionHashes] as? [String: Data])
            guard let model = versions.first(where: { $0.model.entityVersionHashesByName == hashes })?.model else {
                continue
            }
            let rows = try Self.read(store) { connection in
                var statement = try connection.statement(
                    "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
                var rows: [(number: Int, name: String, parent: Int)] = []
                while try statement.step() {
                    rows.append((statement.int(0), statement.text(1) ?? "", statement.int(2)))
                }
                return rows.filter { $0.number < 16_000 }
            }
            let entities = try model.compiled().entities
            #expect(rows.map(\.number) == entities.map(\.number))
            #expect(rows.map(\.parent) == entities.map { $0.superentity ?? 0 })
            for (row, entity) in zip(rows, entities) where row.name != entity.name {
                // A migration leaves the old name of a renamed entity in place.
                #expect(model.entitiesByName[entity.name]?.renamingIdentifier == row.name)
            }
        }
    }

    private static func stores(beside url: URL) throws -> [URL] {
        let folder = url.deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .map { folder.appendingPathComponent($0) }
            .filter { url in
                guard let handle = try? FileHandle(forReadingFrom: url) else { return false }
                defer { try? handle.close() }
                return (try? handle.read(upToCount: 15)) == Data("SQLite format 3".utf8)
            }
    }

    private static func metadata(of store: URL) throws -> [String: Any]? {
        let data = try read(store) { connection in
            var statement = try connection.statement("SELECT Z_PLIST FROM Z_METADATA")
            return try statement.step() ? statement.data(0) : nil
        }
        return try data.flatMap {
            try PropertyListSerialization.propertyList(from: $0, options: [], format: nil) as? [String: Any]
        }
    }

    /// Opens a copy, so that the fixture stays as it is.
    private static func read<R>(_ store: URL, _ body: (Connection) throws -> R) throws -> R {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        let copy = folder.url.appendingPathComponent("store.sqlite")
        try FileManager.default.copyItem(at: store, to: copy)
        let log = store.path + "-wal"
        if FileManager.default.fileExists(atPath: log) {
            try FileManager.default.copyItem(atPath: log, toPath: copy.path + "-wal")
        }
        return try body(Connection(.file(path: copy.path)))
    }
}
