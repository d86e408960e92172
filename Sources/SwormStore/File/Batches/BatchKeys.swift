import SwormSQLite

/// The rows of a batch operation, in a temporary table of the connection. Each has the root of its hierarchy, and its
/// position in the order in which the rows were found.
struct BatchKeys {
    static let table = "temp.SwormBatch"

    let connection: StoreConnection

    /// Creates an empty set of rows.
    init(_ connection: StoreConnection) throws {
        self.connection = connection
        try connection.run(
            "CREATE TEMP TABLE IF NOT EXISTS SwormBatch (place INTEGER PRIMARY KEY, root INTEGER NOT NULL, key INTEGER NOT NULL, entity INTEGER NOT NULL, UNIQUE (root, key))"
        )
        try clear()
    }

    func clear() throws { try connection.run("DELETE FROM \(Self.table)") }

    /// The position of the row that was found last, or 0 if there are no rows.
    var last: Int64 {
        get throws { try connection.integer("SELECT max(place) FROM \(Self.table)") ?? 0 }
    }

    /// Adds the rows of a statement that yields entity numbers and keys, in its order. Skips rows that were added
    /// before.
    func add(_ statement: CompiledStatement, root: Int) throws -> Int {
        try connection.run(
            CompiledStatement(
                sql:
                    "INSERT OR IGNORE INTO \(Self.table) (entity, key, root) SELECT *, \(root) FROM (\(statement.sql))",
                bindings: statement.bindings))
        return connection.base.changes
    }

    /// Returns the keys of the rows of an entity and its sub-entities, as a SELECT.
    ///
    /// - Parameter last: Restricts the SELECT to rows found after this one. No other row is visited.
    static func keys(of entity: CompiledEntity, after last: String? = nil) -> String {
        // The plus sign prevents SQLite from using the index of the roots, with which it would visit all rows of the
        // hierarchy.
        var sql = "SELECT key FROM \(table) WHERE \(last == nil ? "" : "+")root = \(entity.root)"
        if entity.number != entity.root {
            sql += " AND entity BETWEEN \(entity.family.lowerBound) AND \(entity.family.upperBound)"
        }
        if let last { sql += " AND place > \(last)" }
        return sql
    }

    /// Returns the SQL condition that a row of a hierarchy is not one of these rows.
    static func lacks(_ key: String, root: Int) -> String {
        "NOT EXISTS (SELECT 1 FROM \(table) WHERE root = \(root) AND key = \(key))"
    }

    /// Returns all rows, in the order in which they were found.
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
