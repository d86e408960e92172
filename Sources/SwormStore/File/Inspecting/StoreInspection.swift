import Foundation
import SwormSQLite

/// The schema and the metadata of a file, read before it is used.
package struct StoreInspection {
    package let metadata: StoreMetadata
    /// The columns of every table, by table name.
    package let columns: [String: [String]]
    /// The declared type of every column, by table and column name.
    package let types: [String: [String: String]]
    /// The names of all indexes.
    package let indexes: Set<String>
    /// The tables and the SQL of the indexes that have a statement, by name.
    let indexStatements: [String: (table: String, sql: String)]
    /// The names in `Z_PRIMARYKEY`, by entity number.
    let entityNames: [Int64: String]

    init(_ connection: StoreConnection, path: String?) throws {
        var tables: [String] = []
        try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'") {
            if let name = $0.text(0) { tables.append(name) }
        }
        let name = path ?? "in memory"
        guard tables.contains("Z_METADATA"), tables.contains("Z_PRIMARYKEY") else {
            throw CoreDataError(
                NSPersistentStoreTypeMismatchError,
                "The file '\(name)' is a SQLite database but not a Core Data store: it has no table "
                    + (tables.contains("Z_METADATA") ? "Z_PRIMARYKEY." : "Z_METADATA."))
        }
        var columns: [String: [String]] = [:]
        var types: [String: [String: String]] = [:]
        for table in tables {
            var names: [String] = []
            // A table-valued function accepts the name as a parameter; a PRAGMA would need it in its SQL text.
            try connection.rows("SELECT name, type FROM pragma_table_info(?) ORDER BY cid", binding: [.text(table)]) {
                guard let name = $0.text(0) else { return }
                names.append(name)
                types[table, default: [:]][name] = $0.text(1)
            }
            columns[table] = names
        }
        self.columns = columns
        self.types = types
        var indexes: Set<String> = []
        var indexStatements: [String: (table: String, sql: String)] = [:]
        try connection.rows("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index'") {
            guard let name = $0.text(0) else { return }
            indexes.insert(name)
            if let table = $0.text(1), let sql = $0.text(2) { indexStatements[name] = (table, sql) }
        }
        self.indexes = indexes
        self.indexStatements = indexStatements

        var found: (identifier: String?, list: Data?)?
        try connection.rows("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1") {
            found = ($0.text(0), $0.isNull(1) ? nil : $0.data(1))
        }
        guard let found else {
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "The store '\(name)' has no metadata: its table Z_METADATA is empty.")
        }
        guard let identifier = found.identifier, !identifier.isEmpty else {
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError, "The store '\(name)' has no identifier: Z_UUID is NULL.")
        }
        metadata =
            try found.list.map { try StoreMetadata(identifier: identifier, propertyList: $0, path: path) }
            ?? .silent(identifier)

        var entityNames: [Int64: String] = [:]
        try connection.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") {
            if let name = $0.text(1) { entityNames[$0.int64(0)] = name }
        }
        self.entityNames = entityNames
    }

    /// Checks that the file matches a model.
    ///
    /// - Parameter ignoresVersion: Whether the version hashes may differ. The numbers of the entities are compared all
    ///   the same, and the layout of the tables has to be checked.
    /// - Throws: ``CoreDataError`` with the code `NSPersistentStoreIncompatibleVersionHashError` that lists every
    ///   entity that differs, and its properties as far as the columns show them.
    func check(against model: CompiledModel, path: String?, ignoresVersion: Bool = false) throws {
        if !ignoresVersion { try checkVersion(of: model, path: path) }
        // A renamed entity keeps its old name here; only the name of another entity is a contradiction.
        for entity in model.entities {
            guard let name = entityNames[Int64(entity.number)], name != entity.name else { continue }
            let other = model.entity(named: name)
            guard other != nil || ignoresVersion else { continue }
            let number = other.map { ", where '\(name)' is \($0.number)" } ?? ""
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "The store '\(path ?? "in memory")' numbers its entities differently than the model: "
                    + "\(entity.number) is '\(name)' in the store and '\(entity.name)' in the model\(number).",
                entity: entity.name)
        }
    }

    private func checkVersion(of model: CompiledModel, path: String?) throws {
        let hashes = model.versionHashes
        // A model that was inferred from a store without hashes has none either.
        if metadata.versionHashes.isEmpty, model.storeHashes?.isEmpty != true {
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "The store '\(path ?? "in memory")' does not identify its model: Z_PLIST in Z_METADATA is NULL, or has no version hashes. To read the store, infer a model from its tables with `StoredModel(ofStoreAt:)`."
            )
        }
        // The layout is only used to find differences.
        lazy var layout = StoreLayout(model: model)
        var differences: [CoreDataError] = []
        func differs(_ entity: String, _ what: String) {
            differences.append(
                CoreDataError(NSPersistentStoreIncompatibleVersionHashError, "'\(entity)' \(what).", entity: entity))
        }
        for name in Set(hashes.keys).union(metadata.versionHashes.keys).sorted() {
            switch (hashes[name], metadata.versionHashes[name]) {
            case (let ours?, let theirs?):
                if ours != theirs, let entity = model.entity(named: name) {
                    differs(name, "has changed: \(propertyDifferences(entity, model: model, layout: layout))")
                }
            case (_?, nil): differs(name, "is in the model only")
            case (nil, _?): differs(name, "is in the store only")
            case (nil, nil): break
            }
        }
        guard differences.isEmpty else {
            throw CoreDataError(
                NSPersistentStoreIncompatibleVersionHashError,
                "The store '\(path ?? "in memory")' was written with another model: "
                    + differences.map { String($0.message.dropLast()) }.joined(separator: "; ")
                    + ". Open it with the model that it was written with, or migrate the store.",
                details: differences)
        }
    }
}
