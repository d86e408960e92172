package import Foundation
package import SwormSQLite

/// A read-only inspection of a store's file. It needs no model, and does not change the file.
package final class StoreInspector {
    package let files: StoreFiles
    package let metadata: StoreMetadata
    /// The columns of every table, by table name.
    package let columns: [String: [String]]
    /// The names in `Z_PRIMARYKEY`, by entity number.
    let entityNames: [Int64: String]
    private let inspection: StoreInspection
    // Retains the private copy in which a remaining log is read.
    private let place: ReadOnlyAccess
    private let holder: StoreConnection
    /// The first of the tables of the mirroring to CloudKit; nil for a store that is not mirrored.
    package var mirroringTable: String? { inspection.mirroringTable }

    /// Opens the file.
    ///
    /// - Throws: ``CoreDataError`` if there is no file, or if it is not a store.
    package init(url: URL) throws {
        let files = StoreFiles(url: url)
        let (inspection, place, connection) = try SQLiteStore.look(files)
        self.files = files
        self.inspection = inspection
        self.place = place
        holder = connection
        metadata = inspection.metadata
        columns = inspection.columns
        entityNames = inspection.entityNames
    }

    /// The connection to read with.
    package var connection: Connection { holder.base }

    /// Whether the file is still the one that was opened. A connection that takes locks is always current.
    package var isCurrent: Bool { place.isCurrent }

    /// Returns the columns of a model's properties in this file.
    ///
    /// - Throws: ``CoreDataError`` with the list of differences if the file was written with another model.
    package func layout(for model: CompiledModel) throws -> StoreLayout {
        try inspection.check(against: model, path: files.main)
        return try StoreLayout(model: model, existing: ExistingSchema(tables: columns))
    }

    /// Returns the state of the mirroring to CloudKit; nil for a store that is not mirrored.
    ///
    /// - Parameter model: The model of the store. Without a model that fits, the entities are those that the file lists.
    package func mirroring(model: CompiledModel?) throws -> MirroringReport? {
        try CoreDataError.translating(while: "read", path: files.main) {
            try holder.pin()
            defer { holder.unpin() }
            guard let reader = try MirroringReader(holder, identifier: metadata.identifier) else { return nil }
            var entities = try MirroredEntity.all(on: holder, columns: columns)
            if let model, let layout = try? layout(for: model) { entities = MirroredEntity.all(model, layout: layout) }
            let key = MirroringNames.zoneFetchAfterMigration
            return try reader.report(entities, fetchesZonesAgain: metadata.dictionary[key] != nil)
        }
    }

    /// Returns the files of external data that any value of any table references.
    package func namedExternalFiles() throws -> Set<UUID> {
        try CoreDataError.translating(while: "read", path: files.main) { try holder.namedExternalFiles() }
    }

    /// Runs a query, and calls a closure with each row.
    package func rows(_ sql: String, _ body: (borrowing Statement) throws -> Void) throws {
        try CoreDataError.translating(while: "read", path: files.main) { try holder.rows(sql, binding: [], body) }
    }

    /// Returns the first column of the first row as an integer, or nil if there is no row or the value is NULL.
    package func integer(_ sql: String) throws -> Int64? {
        try CoreDataError.translating(while: "read", path: files.main) { try holder.integer(sql) }
    }
}
