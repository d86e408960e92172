package import Foundation
import SwormSQLite

/// The indexes that a model asks for and a store of that very model does not have.
///
/// An index is no part of a version hash, so a store may have been made before the index was in the model, and no migration
/// comes to make it.
package enum MissingIndexes {
    /// Makes them. What is there stays, whoever made it.
    ///
    /// - Returns: The names of those that were made.
    /// - Throws: ``CoreDataError`` where the store cannot be read or written just now. It is then as it was.
    package static func make(at url: URL, model: NSManagedObjectModel) throws -> [String] {
        let (files, options) = (StoreFiles(url: url), StoreOptions())
        let inspection = try SQLiteStore.inspect(files, options: options).inspection
        return try make(in: files, inspection, model: model.compiled(), options: options)
    }

    /// - Parameter inspection: What the store says of itself. Its hashes are those of the model.
    @discardableResult
    static func make(
        in files: StoreFiles, _ inspection: StoreInspection, model: CompiledModel, options: StoreOptions
    ) throws -> [String] {
        let layout = try StoreLayout(model: model, existing: ExistingSchema(tables: inspection.columns))
        // Uniqueness is a part of the hashes, and its indexes are there.
        let missing = StoreSchema(model: model, layout: layout).indexes().filter { index in
            index.constraint == nil && !inspection.indexes.contains(index.name)
                && SchemaIndex.place(index.sql).map { !inspection.indexPlaces.contains($0) } ?? false
        }
        guard !missing.isEmpty, inspection.mirroringTable == nil || options.writesMirroredStores else { return [] }
        try SQLiteStore.checkWritable(files)
        try CoreDataError.translating(while: "make the indexes of", path: files.main) {
            let connection = try SQLiteStore.connect(files, options: options, access: .readWrite)
            try connection.base.transaction(.immediate) {
                for index in missing {
                    // Somebody else may just have made it.
                    try connection.base.execute(
                        "CREATE INDEX IF NOT EXISTS" + index.sql.dropFirst("CREATE INDEX".count))
                }
            }
        }
        return missing.map(\.name)
    }
}
