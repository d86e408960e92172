import Foundation
import SwormSQLite

extension StoreConnection {
    /// Returns the files that values of external data reference.
    func externalFiles(_ model: CompiledModel, layout: StoreLayout) throws -> Set<UUID> {
        var files: Set<UUID> = []
        for entity in model.entities {
            for slot in model.ownAttributes(of: entity) where entity.attributes[slot].allowsExternalStorage {
                guard let name = layout.column(ofAttribute: slot, in: entity.number) else { continue }
                try collectFiles(in: SQLName.quoted(name), of: SQLName.quoted(layout.table(of: entity)), into: &files)
            }
        }
        return files
    }

    private func collectFiles(in column: String, of table: String, into files: inout Set<UUID>) throws {
        try rows("SELECT \(column) FROM \(table) WHERE length(\(column)) = 38") { row in
            row.withBlob(0) { bytes in
                if let bytes, let file = ExternalDataFolder.reference(in: bytes) { files.insert(file) }
            }
        }
    }

    /// Returns the files that values of external data reference, with a layout that is determined from the tables of
    /// the store.
    func externalFiles(_ model: CompiledModel, path: String) throws -> Set<UUID> {
        let inspection = try StoreInspection(self, path: path)
        return try externalFiles(
            model, layout: try StoreLayout(model: model, existing: ExistingSchema(tables: inspection.columns)))
    }
}
