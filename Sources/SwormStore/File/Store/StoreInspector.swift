package import Foundation
package import SwormSQLite

/// The file of a store as it is, opened for inspection. No model is needed, and the file is not changed.
package final class StoreInspector {
    package let files: StoreFiles
    package let metadata: StoreMetadata
    /// The columns of every table, by table name.
    package let columns: [String: [String]]
    /// The names in `Z_PRIMARYKEY`, by entity number.
    let entityNames: [Int64: String]
    private let inspection: StoreInspection
    // Holds the private copy in which a log that was left behind is read.
    private let place: ReadOnlyAccess
    private let holder: StoreConnection

    /// Opens the file.
    ///
    /// - Throws: ``CoreDataError`` where there is no file, or it is no store.
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

    /// Whether the file is still the one that was opened. A connection that takes locks is always up to date.
    package var isCurrent: Bool { place.isCurrent }

    /// Returns the columns of a model's properties in this file.
    ///
    /// - Throws: ``CoreDataError`` that lists the differences where the file was written with another model.
    package func layout(for model: CompiledModel) throws -> StoreLayout {
        try inspection.check(against: model, path: files.main)
        return try StoreLayout(model: model, existing: ExistingSchema(tables: columns))
    }

    /// Runs a query and hands each row over.
    package func rows(_ sql: String, _ body: (borrowing Statement) throws -> Void) throws {
        try CoreDataError.translating(while: "read", path: files.main) { try holder.rows(sql, binding: [], body) }
    }

    /// The first column of the first row as an integer; nil for no row and for NULL.
    package func integer(_ sql: String) throws -> Int64? {
        try CoreDataError.translating(while: "read", path: files.main) { try holder.integer(sql) }
    }
}
