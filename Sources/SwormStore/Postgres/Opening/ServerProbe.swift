#if PostgreSQL
import SwormPostgres

/// A look at what a server lacks, before a store is created on it.
///
/// Servers that speak PostgreSQL's protocol without being PostgreSQL can have all statements that create a store, and lack a
/// function that is called only much later.
enum ServerProbe {
    /// The system functions that the library calls, by the part that needs them.
    static let functions: KeyValuePairs<String, [String]> = [
        "migrations": ["pg_try_advisory_xact_lock", "pg_get_expr", "pg_has_role", "current_setting", "set_config"],
        "keys": ["nextval", "setval", "pg_get_serial_sequence", "pg_sequence_last_value"],
        "conditions": [
            "normalize", "starts_with", "translate", "regexp_split_to_table", "width_bucket", "strpos", "octet_length",
        ],
        "changes of other processes": [
            "pg_notify", "pg_current_snapshot", "pg_snapshot_xmin", "pg_snapshot_xmax", "pg_visible_in_snapshot",
        ],
        "history": ["pg_current_xact_id", "pg_xact_status", "jsonb_strip_nulls", "jsonb_build_object"],
    ]

    /// Throws an error that names the functions that a server lacks.
    static func check(_ connection: PostgresConnection) throws {
        let names = functions.flatMap(\.value)
        let list = names.map { SQLName.literal($0) }.joined(separator: ", ")
        let result = try connection.run(
            .command(
                """
                SELECT p.proname::text FROM pg_catalog.pg_proc p WHERE p.proname IN (\(list)) \
                AND p.pronamespace = 'pg_catalog'::regnamespace
                """))
        let found = Set(try (0..<result.rowCount).compactMap { try result.string($0, column: 0) })
        let missing = functions.compactMap { part, names in
            let missing = names.filter { !found.contains($0) }
            return missing.isEmpty ? nil : "\(missing.joined(separator: ", ")) (\(part))"
        }
        guard !missing.isEmpty else { return }
        throw ServerError(
            .notSupported,
            "the server lacks functions of PostgreSQL that a store calls: \(missing.joined(separator: "; ")). Use PostgreSQL 14 or later"
        )
    }
}
#endif
