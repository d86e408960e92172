#if PostgreSQL
import SwormPostgres

/// The tables that a schema of a server has, from the server's catalog.
struct ServerCatalog: Sendable {
    struct Column: Sendable, Hashable {
        var type: String
        var isRequired = false
        /// Whether a new row gets a value by itself.
        var hasDefault = false
        var collation: String?
    }

    /// A foreign key of one column.
    struct Reference: Sendable, Hashable {
        var column: String
        var table: String
        var isDeferrable: Bool
    }

    private(set) var hasSchema = false
    /// The columns by table and name.
    private(set) var columns: [String: [String: Column]] = [:]
    /// The columns of the unique indexes that the server can use to resolve conflicts, by table.
    private(set) var uniqueColumns: [String: [Set<String>]] = [:]
    private(set) var references: [String: Set<Reference>] = [:]
    private(set) var functions: Set<String> = []

    /// Whether the schema has a store.
    var hasStore: Bool { columns["_sworm"] != nil }

    /// The query for everything, with the name of the schema as its parameter.
    private static let sql = """
        WITH s AS (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
        SELECT 'schema', ''::text, ''::text, ''::text, false, false, NULL::text FROM s
        UNION ALL
        SELECT 'column', c.relname::text, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod),
          a.attnotnull, a.atthasdef OR a.attidentity <> '', k.collname::text
        FROM s JOIN pg_catalog.pg_class c ON c.relnamespace = s.oid JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
          LEFT JOIN pg_catalog.pg_collation k ON k.oid = a.attcollation
        WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 'unique', c.relname::text, i.relname::text, a.attname::text, false, false, NULL
        FROM s JOIN pg_catalog.pg_class c ON c.relnamespace = s.oid JOIN pg_catalog.pg_index x ON x.indrelid = c.oid
          JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
          JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY((x.indkey::int2[])[0:x.indnkeyatts - 1])
        WHERE x.indisunique AND x.indisvalid AND x.indimmediate AND x.indpred IS NULL AND x.indexprs IS NULL
        UNION ALL
        SELECT 'foreign', c.relname::text, a.attname::text, r.relname::text, f.condeferrable, false, NULL
        FROM s JOIN pg_catalog.pg_class c ON c.relnamespace = s.oid JOIN pg_catalog.pg_constraint f ON f.conrelid = c.oid
          JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = f.conkey[1]
          JOIN pg_catalog.pg_class r ON r.oid = f.confrelid AND r.relnamespace = s.oid
        WHERE f.contype = 'f' AND pg_catalog.array_length(f.conkey, 1) = 1
        UNION ALL
        SELECT 'function', p.proname::text, '', '', false, false, NULL
        FROM s JOIN pg_catalog.pg_proc p ON p.pronamespace = s.oid WHERE pg_catalog.starts_with(p.proname::text, '_sworm_')
        """

    /// Reads the catalog.
    init(_ connection: PostgresConnection, schema: String) throws {
        let parameters = Parameters()
        guard parameters.append(schema) else { return }
        let result = try connection.run(Self.sql, with: parameters)
        var unique: [String: [String: Set<String>]] = [:]
        for row in 0..<result.rowCount {
            func text(_ column: Int) throws -> String { try result.string(row, column: column) ?? "" }
            let (table, name, detail) = (try text(1), try text(2), try text(3))
            switch try text(0) {
            case "schema": hasSchema = true
            case "column":
                columns[table, default: [:]][name] = Column(
                    type: detail, isRequired: try result.bool(row, column: 4) ?? false,
                    hasDefault: try result.bool(row, column: 5) ?? false,
                    collation: try result.string(row, column: 6))
            case "unique": unique[table, default: [:]][name, default: []].insert(detail)
            case "foreign":
                references[table, default: []].insert(
                    Reference(column: name, table: detail, isDeferrable: try result.bool(row, column: 4) ?? false))
            case "function": functions.insert(table)
            default: break
            }
        }
        uniqueColumns = unique.mapValues { Array($0.values) }
    }
}
#endif
