import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A store in a folder of its own that is taken from one model to another, with everything checked on the way.
final class MigratedStore {
    let folder: StoreFolder
    let url: URL
    private(set) var model: NSManagedObjectModel
    private(set) var report = MigrationReport()

    /// Makes a store and fills it.
    init(
        _ model: NSManagedObjectModel, options: [AnyHashable: Any] = [:],
        _ fill: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws {
        folder = try StoreFolder()
        url = folder.url()
        self.model = model
        try write(options: options, fill)
    }

    /// Takes a copy of a store.
    init(copyOf store: URL, model: NSManagedObjectModel) throws {
        folder = try StoreFolder()
        url = try Fixtures.copy(store, to: folder.url(""))
        self.model = model
    }

    /// Opens the store as it is now, and hands out a context whose changes are saved.
    func write(options: [AnyHashable: Any] = [:], _ body: (NSManagedObjectContext) throws -> Void) throws {
        let coordinator = try GraphLibrary.coordinator(at: url, model: model, options: options)
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = GraphLibrary.context(coordinator)
        try context.performAndWait {
            try body(context)
            if context.hasChanges { try context.save() }
        }
    }

    /// Continues with a model that only differs in its renaming identifiers.
    func adopt(_ same: NSManagedObjectModel, afterMigration: Bool = false) throws {
        #expect(afterMigration || same.entityVersionHashesByName == model.entityVersionHashesByName)
        model = same
    }

    func graph() throws -> ObjectGraphText { try ObjectGraphText(PlainStore(copyOf: url), PlainModel(model)) }

    /// What plain SQL gives.
    func lines(_ sql: String) throws -> [String] { try Connection(.file(path: url.path)).lines(sql) }

    /// Migrates without a check.
    @discardableResult
    func run(
        to new: NSManagedObjectModel, mapping: ModelMapping? = nil, options: StoreOptions = StoreOptions(),
        progress: ((MigrationProgress) throws -> Void)? = nil
    ) throws -> MigrationReport {
        let mapping = try mapping ?? ModelMapping.inferred(from: model, to: new)
        let report = try #require(
            try StoreMigration(
                of: url, from: model, to: new, mapping: mapping, options: options, progress: progress
            ).run())
        model = new
        return report
    }

    /// Migrates, and checks that every object has what it should, that the schema is that of a new store, and that the
    /// store is sound.
    func migrate(to new: NSManagedObjectModel, mapping: ModelMapping? = nil) throws {
        let old = PlainModel(model)
        let before = try graph()
        let identifier = try PlainStore(copyOf: url).identifier
        let used = try mapping ?? ModelMapping.inferred(from: model, to: new)
        report = try run(to: new, mapping: used)
        let expectation = ExpectedMigration(mapping: used, old: old, new: PlainModel(new))
        expectation.check(try graph(), from: before)
        #expect(report.notes == [])
        #expect(try PlainStore(copyOf: url).identifier == identifier)
        try checkFile()
    }

    /// Checks that the file is one that the model's own new store could have become.
    func checkFile() throws {
        let compiled = try model.compiled()
        let findings = try StoreVerification.findings(of: url, model: compiled)
        #expect(findings.map(\.message) == [])
        let fresh = try MigratedStore(model)
        let differences = try SchemaShape(PlainStore(copyOf: url)).differences(
            from: SchemaShape(PlainStore(copyOf: fresh.url)))
        #expect(differences == [])
        let stored = try StoredModel(ofStoreAt: url)
        #expect(stored.source == .cache)
        #expect(stored.model.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(FileManager.default.fileExists(atPath: MigrationFolder(of: StoreFiles(url: url)).path) == false)
        // What objects give is what the file holds.
        let plain = try graph()
        var read = ObjectGraphText()
        try write { read = try ObjectGraphText($0, PlainModel(model)) }
        #expect(read.differences(from: plain) == [])
    }
}

/// The schema of a store, without the order of columns and everything else in which a migrated store differs from a new
/// one.
struct SchemaShape {
    private var items: Set<String> = []

    init(_ store: PlainStore) {
        for item in store.schema {
            let text = item.sql.replacingOccurrences(of: "\"", with: "")
            guard item.type == "table" else {
                items.insert(text)
                continue
            }
            // History is the store's own affair, and not of its model.
            guard !item.name.hasPrefix("A") else { continue }
            items.insert("table \(item.name): \(Self.columns(text).sorted().joined(separator: ", "))")
        }
        items = items.filter { !$0.contains(" ON ACHANGE ") && !$0.contains(" ON ATRANSACTION") }
        for row in store.rows["Z_PRIMARYKEY"] ?? [] {
            guard let number = row["Z_ENT"]?.integer, number < 16000 else { continue }
            items.insert("entity \(number) \(row["Z_NAME"] ?? .null) below \(row["Z_SUPER"] ?? .null)")
        }
        let keys = [
            "NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey",
            "NSStoreModelVersionHashesVersion", "NSStoreModelVersionIdentifiers", "NSStoreType",
            "NSPersistenceFrameworkVersion", "_NSAutoVacuumLevel",
        ]
        for key in keys {
            let value = store.metadata[key]
            if let hashes = value as? [String: Data] {
                for (name, hash) in hashes { items.insert("hash \(name) \(hash.hexadecimal)") }
            } else {
                items.insert("\(key) = \(value.map { "\($0)" } ?? "missing")")
            }
        }
        for pragma in ["page_size", "auto_vacuum", "journal_mode", "integrity_check"] {
            items.insert("\(pragma) \(store.pragmas[pragma] ?? "")")
        }
    }

    private static func columns(_ sql: String) -> [String] {
        guard let open = sql.firstIndex(of: "("), let close = sql.lastIndex(of: ")") else { return [sql] }
        // A comma of a key's columns is none between columns.
        return sql[sql.index(after: open)..<close].replacingOccurrences(of: "PRIMARY KEY (", with: "PRIMARY KEY <")
            .components(separatedBy: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    func differences(from other: SchemaShape) -> [String] {
        items.subtracting(other.items).sorted().map { "only here: \($0)" }
            + other.items.subtracting(items).sorted().map { "only there: \($0)" }
    }
}
