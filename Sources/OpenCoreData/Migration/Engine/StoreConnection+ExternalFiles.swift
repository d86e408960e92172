import Foundation
import SwormSQLite

extension StoreConnection {
    /// The files that values of external data name.
    func externalFiles(_ model: CompiledModel, _ layout: StoreLayout) throws -> Set<UUID> {
        var files: Set<UUID> = []
        for entity in model.entities {
            for slot in model.ownAttributes(of: entity) where entity.attributes[slot].allowsExternalStorage {
                guard let name = layout.column(ofAttribute: slot, in: entity.number) else { continue }
                let column = SQLName.quoted(name)
                try rows(
                    "SELECT \(column) FROM \(SQLName.quoted(layout.table(of: entity))) WHERE length(\(column)) = 38"
                ) { row in
                    row.withBlob(0) { bytes in
                        if let bytes, let file = ExternalDataFolder.reference(in: bytes) { files.insert(file) }
                    }
                }
            }
        }
        return files
    }

    /// The same of a store that says itself how it lies in its tables.
    func externalFiles(_ model: CompiledModel, path: String) throws -> Set<UUID> {
        let inspection = try StoreInspection(self, path: path)
        return try externalFiles(
            model, try StoreLayout(model: model, existing: ExistingSchema(tables: inspection.columns)))
    }
}
