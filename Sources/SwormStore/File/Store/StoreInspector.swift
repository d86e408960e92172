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

    /// Runs a query, and calls a closure with each row.
    package func rows(_ sql: String, _ body: (borrowing Statement) throws -> Void) throws {
        try CoreDataError.translating(while: "read", path: files.main) { try holder.rows(sql, binding: [], body) }
    }

    /// Returns the first column of the first row as an integer, or nil if there is no row or the value is NULL.
    package func integer(_ sql: String) throws -> Int64? {
        try CoreDataError.translating(while: "read", path: files.main) { try holder.integer(sql) }
    }
}
