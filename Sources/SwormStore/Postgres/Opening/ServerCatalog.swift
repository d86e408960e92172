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
    /// The names of the indexes that are finished.
    private(set) var indexes: Set<String> = []
    private(set) var references: [String: Set<Reference>] = [:]
    private(set) var functions: Set<String> = []
    /// The columns for searches, by table and by the column whose strings they have.
    private(set) var searchColumns: [String: [String: String]] = [:]
    /// The tables with a trigger that raises versions.
    private(set) var versionTriggers: Set<String> = []

    /// Whether the schema has a store.
    var hasStore: Bool { columns["_sworm"] != nil }
    /// Whether the store's own tables have their indexes.
    var hasOwnIndexes: Bool { indexes.isSuperset(of: ServerSchemaWriter.ownIndexes(in: "").map(\.name)) }

    /// The query for everything, with the name of the schema as its parameter.
    ///
    /// The catalog has no index by schema but that of dependencies: with it, the query takes as long in a database with
    /// thousands of schemas as in one with a few.
    private static let sql = """
        WITH s AS (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1),
        o AS (SELECT d.classid, d.objid FROM s JOIN pg_catalog.pg_depend d ON d.refobjid = s.oid
          WHERE d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND d.objsubid = 0),
        t AS (SELECT c.oid, c.relname FROM o JOIN pg_catalog.pg_class c ON c.oid = o.objid
          WHERE o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND c.relkind IN ('r', 'p'))
        SELECT 'schema', ''::text, ''::text, ''::text, false, false, NULL::text FROM s
        UNION ALL
        SELECT 'column', t.relname::text, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod),
          a.attnotnull, a.atthasdef OR a.attidentity <> '', k.collname::text
        FROM t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid
          LEFT JOIN pg_catalog.pg_collation k ON k.oid = a.attcollation
        WHERE a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 'unique', t.relname::text, i.relname::text, a.attname::text, false, false, NULL
        FROM t JOIN pg_catalog.pg_index x ON x.indrelid = t.oid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
          JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY((x.indkey::int2[])[0:x.indnkeyatts - 1])
        WHERE x.indisunique AND x.indisvalid AND x.indimmediate AND x.indpred IS NULL AND x.indexprs IS NULL
        UNION ALL
        SELECT 'index', i.relname::text, '', '', false, false, NULL
        FROM t JOIN pg_catalog.pg_index x ON x.indrelid = t.oid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        WHERE x.indisvalid
        UNION ALL
        SELECT 'foreign', t.relname::text, a.attname::text, r.relname::text, f.condeferrable, false, NULL
        FROM t JOIN pg_catalog.pg_constraint f ON f.conrelid = t.oid
          JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = f.conkey[1]
          JOIN t r ON r.oid = f.confrelid
        WHERE f.contype = 'f' AND pg_catalog.array_length(f.conkey, 1) = 1
        UNION ALL
        SELECT 'trigger', t.relname::text, '', '', false, false, NULL
        FROM t JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid
        WHERE g.tgname = '_sworm_version' AND NOT g.tgisinternal AND g.tgenabled <> 'D'
        UNION ALL
        SELECT 'search', t.relname::text, b.attname::text, a.attname::text, false, false, NULL
        FROM t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attgenerated = 's'
          JOIN pg_catalog.pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
          JOIN pg_catalog.pg_attribute b ON b.attrelid = t.oid AND b.attnum > 0 AND NOT b.attisdropped
            AND pg_catalog.pg_get_expr(d.adbin, d.adrelid) = ANY(ARRAY[
              pg_catalog.quote_ident($1) || '.' || $2 || '(' || pg_catalog.quote_ident(b.attname) || ')',
              $2 || '(' || pg_catalog.quote_ident(b.attname) || ')'])
        UNION ALL
        SELECT 'function', p.proname::text, '', '', false, false, NULL
        FROM o JOIN pg_catalog.pg_proc p ON p.oid = o.objid
        WHERE o.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
          AND pg_catalog.starts_with(p.proname::text, '_sworm_')
        """

    /// Reads the catalog.
    init(_ connection: PostgresConnection, schema: String) throws {
        let parameters = Parameters()
        guard parameters.append(schema), parameters.append(SearchColumn.folding.functionName) else { return }
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
            case "index": indexes.insert(table)
            case "search": searchColumns[table, default: [:]][name] = detail
            case "trigger": versionTriggers.insert(table)
            case "function": functions.insert(table)
            default: break
            }
        }
        uniqueColumns = unique.mapValues { Array($0.values) }
    }
}

extension ServerCatalog {
    /// Whether the schema has the folding functions of this version.
    var hasFoldingFunctions: Bool {
        functions.isSuperset(of: FoldingFunctions.names)
    }
}
#endif
