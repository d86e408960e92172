import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

/// Stores that Apple's framework wrote, each with the version of its model that fits.
enum StoreFixtures {
    static let folder: URL? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path =
            ProcessInfo.processInfo.environment["SWORM_FIXTURES"]
            ?? package.deletingLastPathComponent().appendingPathComponent("shared/fixtures").path
        return FileManager.default.fileExists(atPath: path) ? URL(fileURLWithPath: path) : nil
    }()

    struct Store: Sendable, CustomTestStringConvertible {
        var url: URL
        var model: CompiledModel
        var testDescription: String { url.lastPathComponent }
    }

    static let stores: [Store] = {
        guard let folder, let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() else {
            return []
        }
        var models: [[String: Data]: CompiledModel] = [:]
        for path in paths where path.hasSuffix(".xcdatamodeld") {
            let versions = (try? NSManagedObjectModel.versions(at: folder.appendingPathComponent(path))) ?? []
            for version in versions {
                if let model = try? version.model.compiled() { models[model.versionHashes] = model }
            }
        }
        return paths.compactMap { path in
            let url = folder.appendingPathComponent(path)
            guard ["sqlite", "moody", "checkpointed"].contains(url.pathExtension),
                let metadata = try? SQLiteStore.metadata(of: url),
                let hashes = metadata["NSStoreModelVersionHashes"] as? [String: Data], let model = models[hashes]
            else { return nil }
            return Store(url: url, model: model)
        }
    }()

    /// The store's files in a folder of their own.
    static func copy(_ store: Store) throws -> StoreFolder {
        let folder = try StoreFolder()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.url.path + suffix) {
            try FileManager.default.copyItem(atPath: store.url.path + suffix, toPath: folder.url().path + suffix)
        }
        return folder
    }
}

@Suite(
    "Stores that Apple's framework wrote",
    .enabled(if: StoreFixtures.folder != nil, "no folder of fixtures is here; SWORM_FIXTURES names one"))
struct FixtureStoreTests {
    @Test func `the fixtures are found by their hashes`() {
        #expect(StoreFixtures.stores.count >= 10)
    }

    @Test(arguments: StoreFixtures.stores) func `every row is read, and nothing changes`(fixture: StoreFixtures.Store)
        throws
    {
        let folder = try StoreFixtures.copy(fixture)
        let before = try folder.contents()
        let store = try folder.open(fixture.model) { $0.isReadOnly = true }
        try store.reading { session in
            for entity in fixture.model.entities {
                let shape = RowShape(model: fixture.model, entity: entity.number)
                let specification = FetchSpecification(entity: entity.number)
                let rows = try session.rows(specification, shape: shape)
                #expect(try session.count(specification) == rows.count)
                #expect(try session.identities(specification).count == rows.count)
                for row in 0..<rows.count {
                    let own = fixture.model[Int(rows.int64(row: row, cell: RowShape.entityCell))]
                    for (slot, attribute) in own.attributes.enumerated() where !attribute.isTransient {
                        let cell = shape.cell(ofAttribute: slot, in: own.number)
                        _ = try rows.value(row: row, cell: cell, of: attribute, in: own, session: session)
                    }
                    for (slot, relationship) in own.relationships.enumerated()
                    where relationship.isToMany && !relationship.isTransient {
                        _ = try session.members(
                            ofRelationship: slot, entity: own.number,
                            owners: [rows.int64(row: row, cell: RowShape.primaryKeyCell)])
                    }
                }
            }
        }
        store.close()
        #expect(try folder.contents() == before)
    }

    @Test(arguments: StoreFixtures.stores) func `every row is rewritten, and the file stays sound`(
        fixture: StoreFixtures.Store
    ) throws {
        let folder = try StoreFixtures.copy(fixture)
        let issues = try StoreVerification.issues(of: folder.url(), model: fixture.model)
        let store = try folder.open(fixture.model)
        var request = SaveRequest()
        var expected: [Int: Int] = [:]
        for entity in fixture.model.entities where !entity.isAbstract {
            let shape = RowShape(model: fixture.model, entity: entity.number)
            try store.reading { session in
                let rows = try session.rows(FetchSpecification(entity: entity.number), shape: shape)
                for row in 0..<rows.count where rows.int64(row: row, cell: RowShape.entityCell) == Int64(entity.number)
                {
                    let values = try entity.attributes.enumerated().map { slot, attribute -> AttributeValue in
                        guard !attribute.isTransient else { return .null }
                        return try rows.value(
                            row: row, cell: shape.cell(ofAttribute: slot, in: entity.number), of: attribute, in: entity,
                            session: session)
                    }
                    request.updates.append(
                        .init(
                            row: .init(entity: entity.number, key: rows.int64(row: row, cell: RowShape.primaryKeyCell)),
                            version: rows.int64(row: row, cell: RowShape.versionCell),
                            attributes: SlotValues(all: values), toOnes: []))
                }
                // One more of each that has no unique values to repeat.
                request.insertions.append(
                    .init(
                        row: .init(entity: entity.number, key: -Int64(entity.number)),
                        attributes: entity.attributes.map { _ in .null }, toOnes: entity.relationships.map { _ in nil })
                )
                expected[entity.number] =
                    rows.count
                    + fixture.model.entities[(entity.family.lowerBound - 1)...(entity.family.upperBound - 1)].filter {
                        !$0.isAbstract
                    }.count
            }
        }
        let before = try store.reading { session in try Self.dump(session, fixture.model) }
        try store.save(request)
        let after = try store.reading { session in try Self.dump(session, fixture.model) }
        #expect(Set(before).subtracting(after).isEmpty)
        for (entity, count) in expected {
            #expect(try store.reading { try $0.count(FetchSpecification(entity: entity)) } == count)
        }
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: fixture.model) == issues)
    }

    /// Every row as text, without its version.
    private static func dump(_ session: any StoreSession, _ model: CompiledModel) throws -> [String] {
        try model.entities.flatMap { entity in
            let shape = RowShape(model: model, entity: entity.number)
            let rows = try session.rows(FetchSpecification(entity: entity.number), shape: shape)
            return (0..<rows.count).map { row in
                entity.name
                    + shape.cells.indices.filter { $0 != RowShape.versionCell }.map { cell in
                        "|\(rows.tag(row: row, cell: cell)) \(rows.int64(row: row, cell: cell)) \(rows.double(row: row, cell: cell)) \(rows.text(row: row, cell: cell)) \(rows.data(row: row, cell: cell).base64EncodedString())"
                    }.joined()
            }
        }
    }
}
