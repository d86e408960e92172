import SwormSQLite

/// The rows that a batch is about, in a temporary table of the connection: by the root of their hierarchy, and by the order in
/// which they were found.
struct BatchKeys {
    static let table = "temp.SwormBatch"

    let connection: StoreConnection

    /// Begins with no rows.
    init(_ connection: StoreConnection) throws {
        self.connection = connection
        try connection.run(
            "CREATE TEMP TABLE IF NOT EXISTS SwormBatch (place INTEGER PRIMARY KEY, root INTEGER NOT NULL, key INTEGER NOT NULL, entity INTEGER NOT NULL, UNIQUE (root, key))"
        )
        try clear()
    }

    func clear() throws { try connection.run("DELETE FROM \(Self.table)") }

    /// The place of the row that was found last; 0 where there is none.
    var last: Int64 {
        get throws { try connection.integer("SELECT max(place) FROM \(Self.table)") ?? 0 }
    }

    /// Adds the rows of a statement that yields entity numbers and keys, in its order. A row that is there already is
    /// passed over.
    func add(_ statement: CompiledStatement, root: Int) throws -> Int {
        try connection.run(
            CompiledStatement(
                sql:
                    "INSERT OR IGNORE INTO \(Self.table) (entity, key, root) SELECT *, \(root) FROM (\(statement.sql))",
                bindings: statement.bindings))
        return connection.base.changes
    }

    /// The keys of the rows of an entity and its sub-entities, as a SELECT.
    ///
    /// - Parameter last: Only rows that were found after this one; no further row is looked at.
    static func keys(of entity: CompiledEntity, after last: String? = nil) -> String {
        // The plus keeps SQLite from its index of the roots, by which it would go through all rows of the hierarchy.
        var sql = "SELECT key FROM \(table) WHERE \(last == nil ? "" : "+")root = \(entity.root)"
        if entity.number != entity.root {
            sql += " AND entity BETWEEN \(entity.family.lowerBound) AND \(entity.family.upperBound)"
        }
        if let last { sql += " AND place > \(last)" }
        return sql
    }

    /// Whether a row of a hierarchy is not among them.
    static func lacks(_ key: String, root: Int) -> String {
        "NOT EXISTS (SELECT 1 FROM \(table) WHERE root = \(root) AND key = \(key))"
    }

    /// All rows, in the order in which they were found.
    func rows() throws -> [RowID] {
        var rows: [RowID] = []
        try connection.rows("SELECT entity, key FROM \(Self.table) ORDER BY place") {
            rows.append(RowID(entity: $0.int(0), key: $0.int64(1)))
        }
        return rows
    }
}

extension StoreConnection {
    /// Runs one statement to its end.
    func run(_ compiled: CompiledStatement) throws {
        var statement = try base.statement(compiled.sql)
        try statement.bind(compiled.bindings)
        while try statement.step() {}
    }
}
