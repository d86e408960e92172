/// A look into the tables for what no transaction may leave there: keys that lead to nothing, equal values that are unique,
/// links with one end, members of a list without an order, and required links that are missing.
struct TableCheck {
    private let connection: PlainConnection
    private let queries: [(name: String, sql: String)]

    /// - Parameter run: The run with the store, whose tables exist.
    init(_ run: Run) throws {
        connection = try run.connect()
        var queries = try Self.foreignKeys(connection, schema: run.schema)
        guard queries.count == 9 else { throw Failure("there are other foreign keys: \(queries.map(\.name))") }
        for (table, columns) in [
            ("Owner", ["name"]), ("Thing", ["code"]), ("Thing", ["row", "column"]), ("Tag", ["label"]),
            ("Shelf", ["name"]), ("Badge", ["number"]),
        ] {
            let names = columns.map { "\"\($0)\"" }
            queries.append(
                (
                    "equal \(columns) of \(table)",
                    "SELECT count(*) FROM (SELECT 1 FROM \"\(table)\" WHERE \(names.map { $0 + " IS NOT NULL" }.joined(separator: " AND ")) GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1) AS q"
                ))
        }
        for (table, column, other, back) in [
            ("Owner", "badge", "Badge", "owner"), ("Badge", "owner", "Owner", "badge"),
        ] {
            queries.append(
                (
                    "\(table).\(column) with one end",
                    "SELECT count(*) FROM \"\(table)\" AS t WHERE \"\(column)\" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \"\(other)\" AS o WHERE o.\"_key\" = t.\"\(column)\" AND o.\"\(back)\" = t.\"_key\")"
                ))
        }
        queries.append(("a badge without an owner", "SELECT count(*) FROM \"Badge\" WHERE \"owner\" IS NULL"))
        let order = "\"_order_owner_things\""
        queries.append(
            (
                "a list of things without an order",
                "SELECT count(*) FROM \"Thing\" WHERE (\"owner\" IS NULL) <> (\(order) IS NULL)"
            ))
        queries.append(
            (
                "things at the same position",
                "SELECT count(*) FROM (SELECT 1 FROM \"Thing\" WHERE \"owner\" IS NOT NULL GROUP BY \"owner\", \(order) HAVING count(*) > 1) AS q"
            ))
        self.queries = queries
        // The tables are read, and not the indexes that keep the rules.
        try connection.run(
            "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; SET default_transaction_isolation = 'repeatable read'"
        )
    }

    /// A query for each foreign key, that counts the rows whose key leads to nothing.
    private static func foreignKeys(
        _ connection: PlainConnection, schema: String
    ) throws -> [(name: String, sql: String)] {
        let keys = try connection.run(
            """
            SELECT c.conrelid::regclass::text, quote_ident(a.attname), c.confrelid::regclass::text FROM pg_constraint AS c \
            JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] \
            WHERE c.contype = 'f' AND c.connamespace = '\(schema)'::regnamespace ORDER BY 1, 2
            """)
        return keys.map { key in
            let (table, column, target) = (key[0] ?? "", key[1] ?? "", key[2] ?? "")
            return (
                "dangling \(table).\(column)",
                "SELECT count(*) FROM \(table) AS t WHERE \(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(target) AS o WHERE o.\"_key\" = t.\(column))"
            )
        }
    }

    /// What is wrong in one state of the tables.
    func faults() throws -> [String] {
        // One statement reads one state.
        let union = queries.enumerated().map { "SELECT \($0) AS number, (\($1.sql)) AS count" }
        return try connection.run(union.joined(separator: " UNION ALL ")).compactMap { row in
            guard let number = row[0].flatMap({ Int($0) }), let count = row[1], count != "0" else { return nil }
            return "\(queries[number].name): \(count)"
        }
    }
}
