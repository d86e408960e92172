import Foundation
import SwormSQLite

/// The content of external files that is moved into a table because an attribute no longer allows external storage.
struct IncomingContent {
    let entity: String
    let attribute: String
    /// The number of bytes that all files together need in a table.
    private(set) var size: Int64 = 0
    /// The files that are referenced but missing.
    private(set) var missing: [UUID] = []

    /// Returns the incoming content of a whole store.
    static func all(
        by map: MigrationMap, layout: StoreLayout, on connection: StoreConnection, files: StoreFiles
    ) throws -> [IncomingContent] {
        let folder = ExternalDataFolder(path: files.externalData)
        var all: [IncomingContent] = []
        for pair in map.pairs {
            for (slot, own) in pair.attributes.enumerated() {
                guard let own, pair.source.attributes[own].allowsExternalStorage,
                    !pair.destination.attributes[slot].allowsExternalStorage,
                    let column = layout.column(ofAttribute: own, in: pair.source.number)
                else { continue }
                var content = IncomingContent(entity: pair.source.name, attribute: pair.source.attributes[own].name)
                try content.read(
                    SQLName.quoted(column), of: pair.source, layout: layout, on: connection, folder: folder)
                all.append(content)
            }
        }
        return all
    }

    private mutating func read(
        _ column: String, of entity: CompiledEntity, layout: StoreLayout, on connection: StoreConnection,
        folder: ExternalDataFolder
    ) throws {
        try connection.rows(
            "SELECT \(column) FROM \(SQLName.quoted(layout.table(of: entity))) WHERE Z_ENT = \(entity.number) AND length(\(column)) = 38"
        ) { row in
            guard let file = row.withBlob(0, { $0.flatMap { ExternalDataFolder.reference(in: $0) } }) else { return }
            // Several values may reference one file, and each gets the content.
            if let path = folder.file(file), FileKind(path: path) == .file, let stamp = FileStamp(path: path) {
                // The last page of a value is not full.
                size += stamp.boundedSize + 4096
            } else {
                missing.append(file)
            }
        }
    }

    /// Returns an error if files are missing.
    ///
    /// - Parameter path: The path of the store.
    func issue(in path: String) -> CoreDataError? {
        guard let first = missing.first else { return nil }
        let values = missing.count == 1 ? "1 value" : "\(missing.count) values"
        return CoreDataError(
            NSMigrationError,
            "The store '\(path)' cannot be migrated: the new model stores '\(entity).\(attribute)' in the table, and \(values) of it cannot be read, because external data files are missing, such as '\(first.uuidString)'. Copy a store together with its hidden support folder. Restore the files, set these values again, or allow external storage for the attribute as before.",
            entity: entity, key: attribute)
    }
}
