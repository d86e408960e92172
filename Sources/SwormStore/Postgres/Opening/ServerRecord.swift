#if PostgreSQL
import Foundation
import SwormPostgres

/// The identity of a store on a server, by whichever address it is reached.
struct ServerHome: Hashable, Sendable {
    var identifier: String
    /// The server's numbers of the database and of the store's own table.
    var database: Int64
    var table: Int64
}

/// The row that a store on a server keeps about itself.
struct ServerRecord: Sendable {
    let format: Int64
    let metadata: StoreMetadata
    let names: PostgresNames
    /// The version of the folding functions.
    let fold: Int64
    /// The store's model in archived form, if it was known when the store was created.
    let model: Data?
    /// Whether the schema was created with the store.
    let ownsSchema: Bool
    /// The versions that the tables serve, and what is left to do.
    let migration: ServerMigrationState
    let home: ServerHome

    /// Reads the row.
    ///
    /// - Throws: ``CoreDataError`` if the row is missing, damaged, or of a later version of this library.
    init(_ connection: PostgresConnection, schema: String, place: String) throws {
        let prefix = SQLName.alwaysQuoted(schema) + "."
        func damaged(_ reason: String, cause: (any Error)? = nil) -> CoreDataError {
            CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "The store '\(place)' cannot be opened: \(reason). Restore the table _sworm from a backup.",
                cause: cause)
        }
        let result = try connection.run(
            "SELECT \"format\", \"store\", \"metadata\", \"names\", \"fold\", \"model\", \"owns_schema\", \"migration\", tableoid, (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()) FROM \(prefix)\"_sworm\""
        )
        guard result.rowCount == 1 else { throw damaged("its table _sworm does not have exactly one row") }
        let format = try result.int64(0, column: 0) ?? 0
        guard format <= ServerSchemaWriter.format else {
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "The store '\(place)' has the format \(format), and this version of Sworm knows \(ServerSchemaWriter.format). Use a later version.",
                condition: .unsupported)
        }
        guard let identifier = try result.uuid(0, column: 1), let list = try result.data(0, column: 2),
            let names = try result.json(0, column: 3)
        else { throw damaged("its table _sworm has NULL where there must be a value") }
        do {
            metadata = try StoreMetadata(identifier: identifier.uuidString, propertyList: list, path: place)
        } catch {
            throw damaged("its metadata in the table _sworm are not a property list", cause: error)
        }
        do {
            self.names = try JSONDecoder().decode(PostgresNames.self, from: Data(names.utf8))
        } catch {
            throw damaged("the names in its table _sworm are not those of a store", cause: error)
        }
        do {
            let text = try result.json(0, column: 7) ?? "{}"
            migration = try JSONDecoder().decode(ServerMigrationState.self, from: Data(text.utf8))
        } catch {
            throw damaged("the state of the migration in its table _sworm cannot be read", cause: error)
        }
        self.format = format
        fold = try result.int64(0, column: 4) ?? 0
        model = try result.data(0, column: 5)
        ownsSchema = try result.bool(0, column: 6) ?? false
        home = ServerHome(
            identifier: identifier.uuidString, database: try result.int64(0, column: 9) ?? 0,
            table: try result.int64(0, column: 8) ?? 0)
    }
}
#endif
