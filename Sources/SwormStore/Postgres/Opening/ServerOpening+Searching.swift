#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

// Columns with folded strings, which requests use if they are there.
extension ServerOpening {
    /// The longest time to wait for the lock of a table before a store is opened without the column.
    private static let searchPatience = Duration.seconds(2)

    /// Returns the columns for searches that the model asks for, divided into those that the store has and those that it lacks.
    func searchColumns(
        _ writer: ServerSchemaWriter, in catalog: ServerCatalog
    ) -> (present: [SearchColumn], missing: [SearchColumn]) {
        var (present, missing): ([SearchColumn], [SearchColumn]) = ([], [])
        for var column in writer.tables.searchColumns {
            // A column that was renamed keeps its column for searches, under the old name.
            if let name = catalog.searchColumns[column.table]?[column.source] {
                column.name = name
                present.append(column)
            } else {
                let taken = catalog.columns[column.table] ?? [:]
                column.name = PostgresNames.free([column.name]) { taken[$0] == nil }
                missing.append(column)
            }
        }
        return (present, missing)
    }

    /// Adds the columns for searches that the store lacks, if the options allow it: to a table with rows only with all changes,
    /// because the server locks the table while it writes the rows anew.
    ///
    /// - Returns: The columns that the store has, and a warning about those that it lacks, without which requests compute the
    ///   strings.
    func searched(
        _ writer: ServerSchemaWriter, in catalog: ServerCatalog, on connection: PostgresConnection
    ) -> (columns: [SearchColumn], warning: CoreDataError?) {
        let (present, missing) = searchColumns(writer, in: catalog)
        guard !missing.isEmpty, !options.isReadOnly, serverOptions.changes != .never else { return (present, nil) }
        do {
            let migration = ServerMigration(opening: self)
            let (now, left) = try migration.locked(connection, within: Self.searchPatience) {
                () -> ([SearchColumn], [SearchColumn]) in
                // Another program may have been faster.
                var (present, missing) = searchColumns(
                    writer, in: try ServerCatalog(connection, schema: serverOptions.schema))
                let prefix = SQLName.alwaysQuoted(serverOptions.schema) + "."
                for column in missing {
                    let table = prefix + SQLName.alwaysQuoted(column.table)
                    let isEmpty = try connection.run(.command("SELECT 1 FROM \(table) LIMIT 1")).rowCount == 0
                    guard isEmpty || serverOptions.changes == .all else { continue }
                    try connection.run(.command(column.addition(in: prefix)))
                    missing.removeAll { $0 == column }
                    present.append(column)
                }
                return (present, missing)
            }
            guard !left.isEmpty else { return (now, nil) }
            return (now, warning(left, because: "the table has rows, which the server would write anew under a lock"))
        } catch {
            return (present, warning(missing, because: (error as? ServerError)?.message ?? "\(error)", cause: error))
        }
    }

    private func warning(
        _ columns: [SearchColumn], because reason: String, cause: (any Error)? = nil
    ) -> CoreDataError {
        let list = columns.map { "'\($0.subject.entity).\($0.subject.properties.joined())'" }.joined(separator: ", ")
        return CoreDataError(
            NSPersistentStoreOperationError,
            "The store '\(serverOptions.place)' has no column for searches in \(list): \(reason). Requests compute the strings until it has one. Open it once with the changes `all`, or run 'sworm-tool migrate --all'.",
            entity: columns.first?.subject.entity, cause: cause)
    }
}
#endif
