import Foundation
@testable import OpenCoreData
import Testing

/// New stores of the models that Apple's tools wrote, beside the stores that Apple's framework made of them.
@Suite("New stores of Apple's models", .enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct AppleStoreSchemaTests {
    /// A new store, closed again.
    private func newStore(_ model: AppleModel) throws -> PlainStore {
        let folder = try StoreFolder()
        let url = folder.url("New.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(store)
        return try PlainStore(copyOf: url)
    }

    @Test(arguments: AppleStores.models)
    func `a new store has the tables, columns, types, order and indexes of the format`(_ model: AppleModel) throws {
        let store = try newStore(model)
        let plain = PlainModel(try model.make())
        let schema = store.schema.filter { $0.type != "trigger" }.map(\.sql)
        let text = SchemaText(plain)
        #expect(text.ordered(schema) == text.ordered(FormatSchema(model: plain).statements))
        #expect(store.pragmas["auto_vacuum"] == "2")
        #expect(store.pragmas["page_size"] == "4096")
        #expect(store.pragmas["user_version"] == "0")
        #expect(store.pragmas["application_id"] == "0")
        #expect(store.pragmas["journal_mode"] == "wal")
        let keys = (store.rows["Z_PRIMARYKEY"] ?? []).map { row in
            [row["Z_ENT"], row["Z_NAME"], row["Z_SUPER"], row["Z_MAX"]]
        }
        let expected: [[PlainStore.Cell?]] = plain.entities.map { entity in
            let parent = entity.parent.flatMap { plain[$0]?.number } ?? 0
            return [.integer(Int64(entity.number)), .text(entity.name), .integer(Int64(parent)), .integer(0)]
        }
        #expect(keys == expected)
    }

    @Test(arguments: AppleStores.stores)
    func `a new store describes itself as Apple's framework did for the same model`(_ fixture: AppleStore) throws {
        let real = try PlainStore(copyOf: fixture.url)
        let new = try newStore(fixture.model)
        #expect(new.metadata["NSStoreModelVersionHashes"] as? [String: Data] != nil)
        let keys = [
            "NSStoreModelVersionHashes", "NSStoreModelVersionHashesVersion", "NSStoreType",
            "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey", "_NSAutoVacuumLevel",
        ]
        for key in keys {
            guard let value = real.metadata[key] as? NSObject else { continue }
            #expect((new.metadata[key] as? NSObject)?.isEqual(value) ?? false, "\(key)")
        }
        let uuid = try #require(UUID(uuidString: new.identifier))
        #expect(new.identifier == uuid.uuidString)
        #expect(new.identifier != real.identifier)
    }

    @Test(arguments: AppleStores.stores)
    func `a new store has the schema of the one that Apple's framework made`(_ fixture: AppleStore) throws {
        let real = try PlainStore(copyOf: fixture.url)
        let new = try newStore(fixture.model)
        // History is a matter of its own.
        let history: Set = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
        let text = SchemaText(PlainModel(try fixture.model.make()))
        let schema = text.ordered(real.schema.filter { !history.contains($0.table) }.map(\.sql))
        var found = text.ordered(new.schema.map(\.sql))
        if !schema.contains(where: { $0.contains("TABLE Z_MODELCACHE") }) {
            found.removeAll { $0.contains("TABLE Z_MODELCACHE") }
        }
        func tables(_ items: [String]) -> [[String]] {
            items.filter { $0.hasPrefix("CREATE TABLE") }.map { [SchemaText.table(of: $0) ?? ""] + Self.columns($0) }
        }
        func indexes(_ items: [String]) -> [String] {
            items.filter { $0.hasPrefix("CREATE INDEX") || $0.hasPrefix("CREATE UNIQUE INDEX") }
        }
        let wasMigrated = real.wasMigrated
        if wasMigrated {
            // A migration adds its columns at the end.
            func sets(_ tables: [[String]]) -> Set<Set<String>> { Set(tables.map { Set($0) }) }
            #expect(sets(tables(schema)) == sets(tables(found)))
        } else {
            #expect(tables(schema) == tables(found))
        }
        // Up to framework 865 what is unique was said in the table.
        let unique = found.filter { $0.hasPrefix("CREATE UNIQUE") }
        if real.frameworkVersion < 866 {
            found.removeAll { unique.contains($0) }
            for sql in unique {
                let columns = Self.columns(sql).map { $0.replacingOccurrences(of: " COLLATE BINARY ASC", with: "") }
                let table = try #require(schema.first { SchemaText.table(of: $0) == SchemaText.table(of: sql) })
                let list = columns.joined(separator: ", ")
                let alone = table.range(of: ", \(list) [A-Z]+ UNIQUE[, ]", options: .regularExpression) != nil
                #expect(alone || table.contains("UNIQUE (\(list))"), "\(sql)")
            }
        }
        if real.frameworkVersion >= 847 {
            if wasMigrated {
                // Indexes keep the names and the form of older models and eras.
                #expect(Set(indexes(schema).map(Self.covered)) == Set(indexes(found).map(Self.covered)))
            } else {
                #expect(indexes(schema) == indexes(found))
                let theirs = real.frameworkVersion < 866 ? schema.map(Self.withoutConstraints) : schema
                let rest = [theirs, found].map { $0.filter { !$0.contains("Z_FOK") } }
                #expect(rest[0] == rest[1])
            }
        } else {
            // Before iOS 11 the indexes of keys and of entities were the same, the others had other names.
            let expected = Set(indexes(found).filter { $0.contains("_INDEX ON ") })
            #expect(expected.isSubset(of: indexes(schema)))
        }
        print(
            "\(fixture.testDescription): \(wasMigrated ? "migrated" : "never migrated"), era \(real.frameworkVersion)")
    }

    /// The table and the columns of an index, whatever its name.
    private static func covered(_ sql: String) -> String {
        let isUnique = sql.hasPrefix("CREATE UNIQUE")
        let columns = columns(sql).map { $0.replacingOccurrences(of: " COLLATE BINARY ASC", with: "") }
        return "\(isUnique) \(SchemaText.table(of: sql) ?? "") \(columns)"
    }

    private static func withoutConstraints(_ sql: String) -> String {
        guard sql.hasPrefix("CREATE TABLE") else { return sql }
        let table = sql.replacingOccurrences(of: " UNIQUE,", with: ",")
            .replacingOccurrences(of: " UNIQUE )", with: " )")
        return table.range(of: ", CONSTRAINT ").map { table[..<$0.lowerBound] + " )" } ?? table
    }

    /// The columns of a table with their types; neighbouring order keys in alphabetical order, as theirs is not known, and
    /// without the constraints of earlier eras.
    private static func columns(_ sql: String) -> [String] {
        guard let open = sql.firstIndex(of: "("), let close = sql.lastIndex(of: ")") else { return [sql] }
        var text = String(sql[sql.index(after: open)..<close])
        if let constraint = text.range(of: ", CONSTRAINT ") { text = String(text[..<constraint.lowerBound]) }
        var columns = text.components(separatedBy: ", ").map { column in
            column.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: " UNIQUE", with: "")
        }
        if let first = columns.firstIndex(where: { $0.hasPrefix("Z_FOK") }),
            let last = columns.lastIndex(where: { $0.hasPrefix("Z_FOK") })
        {
            columns[first...last].sort()
        }
        return columns
    }

    @Test(arguments: AppleStores.models)
    func `the hashes of a model make up its digest and its checksum`(_ model: AppleModel) throws {
        let made = try model.make()
        let store = try newStore(model)
        #expect(store.metadata["NSStoreModelVersionHashes"] as? [String: Data] == made.entityVersionHashesByName)
        #expect(store.metadata["NSStoreModelVersionChecksumKey"] as? String == made.versionChecksum)
        #expect(made.isConfiguration(withName: nil, compatibleWithStoreMetadata: store.metadata))
    }
}
