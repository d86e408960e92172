#if PostgreSQL
import SwormPostgres

/// The triggers that raise the version of a row which a program changes without doing so itself, so that the change is noticed as
/// a conflict.
///
/// They do nothing in transactions of this library: some of its changes, such as a new position in an ordered relationship, are
/// no conflicts.
enum VersionTriggers {
    /// The name of the function and of the triggers.
    static let name = "_sworm_version"
    /// The setting by which they know transactions of this library.
    static let setting = TransactionOptions.Setting("sworm.versions", value: "own")

    /// Returns the statements that create the function and the triggers of tables.
    ///
    /// - Parameters:
    ///   - tables: The names of tables of entities.
    ///   - prefix: The schema with a period.
    static func creation(on tables: [String], in prefix: String) -> [String] {
        let (function, trigger) = (prefix + SQLName.alwaysQuoted(name), SQLName.alwaysQuoted(name))
        let version = SystemColumns.postgres.version
        let body =
            "BEGIN NEW.\(version) := CASE WHEN OLD.\(version) BETWEEN 0 AND 9223372036854775806 THEN OLD.\(version) + 1 ELSE 1 END; RETURN NEW; END"
        let condition =
            "OLD.\(version) IS NOT DISTINCT FROM NEW.\(version) AND pg_catalog.current_setting(\(SQLName.literal(setting.name)), true) IS DISTINCT FROM \(SQLName.literal(setting.value))"
        return [
            "CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS \(SQLName.literal(body))"
        ]
            + tables.map { table in
                "CREATE OR REPLACE TRIGGER \(trigger) BEFORE UPDATE ON \(prefix)\(SQLName.alwaysQuoted(table)) FOR EACH ROW WHEN (\(condition)) EXECUTE FUNCTION \(function)()"
            }
    }
}

extension ServerSchemaWriter {
    /// The names of the tables whose rows have versions.
    var versionedTables: [String] { tables.tables.filter(\.key.isEmpty).map(\.name) }

    /// The statements that create the triggers that raise versions, on some tables.
    func versionTriggers(on tables: [String]) -> [String] {
        VersionTriggers.creation(on: tables, in: SQLName.alwaysQuoted(schema) + ".")
    }
}

extension ServerOpening {
    /// Creates the triggers that raise versions, if the options ask for them and tables lack them.
    ///
    /// - Returns: Whether the store has such triggers.
    func raisingVersions(
        _ writer: ServerSchemaWriter, in catalog: ServerCatalog, on connection: PostgresConnection
    ) throws -> Bool {
        let missing = writer.versionedTables.filter { !catalog.versionTriggers.contains($0) }
        guard serverOptions.raisesForeignVersions, !missing.isEmpty, !options.isReadOnly,
            serverOptions.changes != .never
        else { return !catalog.versionTriggers.isEmpty }
        return try alone(connection) {
            _ = try connection.run(writer.versionTriggers(on: missing).map { .command($0) })
            return true
        }
    }
}
#endif
