import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormSQLite
import Testing

/// A store that Apple's framework wrote, with the version of its model.
private struct FixtureStore {
    var url: URL
    var frameworkVersion: Int
    var model: CompiledModel
    var text: SchemaText
    var wasMigrated: Bool
    /// The text of every table and index, in the order of their making.
    var statements: [String]
    var columns: [String: [String]]

    /// The stores whose model is at hand as XML.
    static func all() throws -> [FixtureStore] {
        let models = try AppleStores.fileModels.map { try $0.make() }
        return try AppleStores.storeURLs.compactMap { try read($0, models: models) }
    }

    private static func read(_ url: URL, models: [NSManagedObjectModel]) throws -> FixtureStore? {
        // Immutable, so that not a byte beside the file changes.
        let connection = try Connection(.file(path: url.path), options: .init(access: .readOnly, isImmutable: true))
        func rows(_ sql: String) throws -> [[String?]] { try QueryRunner.rows(.init(sql: sql), on: connection) }
        var metadata = try connection.statement("SELECT Z_PLIST FROM Z_METADATA")
        guard try metadata.step(), let bytes = metadata.data(0),
            let plist = try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any],
            let hashes = plist["NSStoreModelVersionHashes"] as? [String: Data],
            let model = try models.first(where: { try $0.compiled().versionHashes == hashes })
        else { return nil }
        let statements = try rows(
            "SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY rowid"
        ).compactMap { $0[0] }
        var columns: [String: [String]] = [:]
        for table in try rows("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap({ $0[0] }) {
            columns[table] = try rows("SELECT name FROM pragma_table_info('\(table)')").compactMap { $0[0] }
        }
        return FixtureStore(
            url: url, frameworkVersion: plist["NSPersistenceFrameworkVersion"] as? Int ?? 0,
            model: try model.compiled(), text: SchemaText(PlainModel(model)),
            wasMigrated: try PlainStore(copyOf: url).wasMigrated, statements: statements, columns: columns)
    }

    /// Whether the store was made in one go, in the style of later systems.
    var isPlain: Bool { frameworkVersion >= 866 && !wasMigrated }
}

@Suite(
    "The schema of stores that Apple wrote",
    .enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct FixtureSchemaTests {
    /// The order of several order keys in one table has no rule.
    private func normalized(_ statement: String) -> String {
        guard statement.hasPrefix("CREATE TABLE") else { return statement }
        let keys = statement.components(separatedBy: ", ").filter { $0.hasPrefix("Z_FOK_") }.sorted()
        let rest = statement.components(separatedBy: ", ").filter { !$0.hasPrefix("Z_FOK_") }
        return (rest + keys).joined(separator: ", ")
    }

    @Test func `a new store has the very statements of a store that was never migrated`() throws {
        var compared = 0
        for store in try FixtureStore.all() where store.isPlain {
            let expected = store.statements.filter { !$0.contains("ACHANGE") && !$0.contains("ATRANSACTION") }
            let made = StoreSchema(model: store.model).statements()
            #expect(
                store.text.ordered(made).map(normalized) == store.text.ordered(expected).map(normalized),
                "\(store.url.lastPathComponent)")
            compared += 1
        }
        #expect(compared >= 3)
    }

    @Test func `stores of every era have the tables, columns and types of their model`() throws {
        var compared = 0
        for store in try FixtureStore.all() {
            // A migration adds its columns at the end. Before iOS 11, uniqueness constraints were also there.
            func columns(_ statement: String) -> Set<String> {
                let plain = store.text.plain(statement)
                let parts = plain.split(separator: "(", maxSplits: 1).flatMap { $0.components(separatedBy: ", ") }
                return Set(parts.map { $0.trimmingCharacters(in: [" ", ")"]) }.filter { !$0.hasPrefix("CONSTRAINT") })
            }
            let tables = store.statements.filter { $0.hasPrefix("CREATE TABLE") }.map(columns)
            let made = StoreSchema(model: store.model).statements().filter { $0.hasPrefix("CREATE TABLE") }
            for table in made where !table.contains("Z_MODELCACHE") {
                #expect(
                    tables.contains { columns(table).isSubset(of: $0) }, "\(store.url.lastPathComponent): \(table)")
            }
            compared += 1
        }
        #expect(compared >= 10)
    }

    @Test func `the layout finds its names in stores of every era`() throws {
        for store in try FixtureStore.all() {
            let layout = try StoreLayout(model: store.model, existing: ExistingSchema(tables: store.columns))
            #expect(layout.attributes == StoreLayout(model: store.model).attributes, "\(store.url.lastPathComponent)")
        }
    }

    @Test func `rows of every entity can be asked for`() throws {
        for store in try FixtureStore.all() {
            let layout = try StoreLayout(model: store.model, existing: ExistingSchema(tables: store.columns))
            let compiler = SQLCompiler(model: store.model, layout: layout, storeIdentifier: "")
            let connection = try Connection(
                .file(path: store.url.path), options: .init(access: .readOnly, isImmutable: true))
            for entity in store.model.entities {
                let request = FetchSpecification(entity: entity.number)
                let rows = try QueryRunner.rows(
                    try compiler.rows(request, shape: RowShape(model: store.model, entity: entity.number)),
                    on: connection)
                let count = try QueryRunner.rows(try compiler.count(request), on: connection)
                #expect(count == [[String(rows.count)]])
                for (slot, relationship) in entity.relationships.enumerated() where relationship.isToMany {
                    guard !relationship.isTransient else { continue }
                    let owners = rows.compactMap { $0[0].flatMap { Int64($0) } }
                    let members = try compiler.members(ofRelationship: slot, in: entity.number, owners: owners)
                    _ = try QueryRunner.rows(members, on: connection)
                }
            }
        }
    }
}
