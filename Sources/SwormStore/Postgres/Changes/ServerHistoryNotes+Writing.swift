#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

extension ServerWrite {
    /// Notes for the history that columns of rows were changed.
    func noteHistory(
        of keys: some Sequence<Int64>, root: CompiledEntity, _ places: [ServerColumns.Attribute]
    ) {
        guard let history else { return }
        let names = places.map { String($0.attribute.name.prefix { $0 != "." }) }
        for key in keys { history.change(.init(root: root.number, key: key), properties: names) }
    }
}

extension ServerHistoryNotes {
    /// The largest number of changes of one statement.
    private static let longestList = 10_000
    private static let longestTombstones = 16 << 20

    /// The kinds of changes in the column `kind`.
    enum Kind: String { case insertion = "i", update = "u", deletion = "d" }

    /// One row of the changes.
    private struct Row {
        var kind: Kind
        var key: Int64
        /// The number of the entity on the server; 0 if it has to be read from the row of the object.
        var entity: Int64 = 0
        var root: Int
        var columns: String?
        var tombstone: String?
    }

    /// Returns the statements that write the notes into the history, the first time it is called. Their results contain the
    /// number of the transaction.
    ///
    /// - Parameter ordinal: The number of the write within its transaction.
    func statements(
        _ history: ServerHistory, schema: ServerSchema, ordinal: Int
    ) throws -> [ServerWrite.Step] {
        if areTaken { return [] }
        areTaken = true
        let number = history.sql.number(min(ordinal, HistorySQL.lastOrdinal))
        var steps: [ServerWrite.Step] = []
        for range in ranges { steps.append(insertion(of: range, number: number, sql: history.sql, schema)) }
        var rows = rows(schema)[...]
        while !rows.isEmpty {
            var (count, bytes) = (0, 0)
            while count < min(rows.count, Self.longestList), bytes < Self.longestTombstones {
                bytes += rows[rows.startIndex + count].tombstone?.utf8.count ?? 0
                count += 1
            }
            steps.append(try insertion(of: rows.prefix(count), number: number, sql: history.sql, schema))
            rows = rows.dropFirst(count)
        }
        for update in updates {
            var keys = update.keys[...]
            while !keys.isEmpty {
                steps.append(
                    try insertion(
                        of: update, keys: keys.prefix(Self.longestList), number: number, sql: history.sql, schema))
                keys = keys.dropFirst(Self.longestList)
            }
        }
        guard !steps.isEmpty else { return [] }
        steps.append(ServerWrite.Step(HistorySQL.durability))
        return steps + [try transaction(number, history: history)]
    }

    /// The changes that are listed one by one.
    private func rows(_ schema: ServerSchema) -> [Row] {
        var rows: [Row] = []
        for (entity, keys) in insertions {
            let columns = schema.columns[entity - 1]
            for key in keys {
                rows.append(Row(kind: .insertion, key: key, entity: columns.storedNumber, root: columns.entity.root))
            }
        }
        for object in changed where !isInserted(object) && !isDeleted(object) {
            let entity = entities[object].map { schema.columns[$0 - 1].storedNumber } ?? 0
            rows.append(
                Row(
                    kind: .update, key: object.key, entity: entity, root: object.root,
                    columns: Self.columns(properties[object] ?? [])))
        }
        for deletion in deletions where !isInserted(deletion.object) {
            rows.append(
                Row(
                    kind: .deletion, key: deletion.object.key, entity: deletion.entity, root: deletion.object.root,
                    tombstone: deletion.tombstone))
        }
        return rows
    }

    // MARK: Statements

    private func insertion(
        of rows: ArraySlice<Row>, number: String, sql: HistorySQL, _ schema: ServerSchema
    ) throws -> ServerWrite.Step {
        // An object that is known through a link alone may not exist, or be of another entity.
        let unknown = Set(rows.lazy.filter { $0.entity == 0 }.map(\.root)).sorted()
        let cases = unknown.map { root in
            "WHEN u.root = \(root) THEN (SELECT \(Self.entity(of: root, schema))::bigint FROM \(schema.columns[root - 1].table) AS t WHERE t.\(SystemColumns.postgres.key) = u.key)"
        }
        let entity =
            cases.isEmpty ? "u.entity" : "CASE WHEN u.entity > 0 THEN u.entity \(cases.joined(separator: " ")) END"
        let parameters = Parameters()
        parameters.append(keys: rows.map(\.key))
        parameters.append(keys: rows.map(\.entity))
        parameters.append(keys: rows.map { Int64($0.root) })
        guard parameters.append(rows.map { Optional($0.kind.rawValue) }), parameters.append(rows.map(\.columns)),
            parameters.append(rows.map(\.tombstone))
        else {
            throw CoreDataError(
                NSPersistentStoreSaveError,
                "The values that the history preserves of deleted objects are too long for the server.")
        }
        return ServerWrite.Step(
            """
            INSERT INTO \(sql.changes) ("number", "entity", "kind", "key", "columns", "tombstone") \
            SELECT \(number), r.number, r.kind::"char", r.key, r.columns, r.tombstone::jsonb \
            FROM (SELECT u.*, \(entity) AS number FROM unnest($1, $2, $3, $4, $5, $6) \
            WITH ORDINALITY AS u(key, entity, root, kind, columns, tombstone, place)) AS r \
            WHERE r.number IS NOT NULL ORDER BY r.place
            """, with: parameters)
    }

    /// The rows between two keys.
    private func insertion(
        of range: (root: Int, keys: Range<Int64>), number: String, sql: HistorySQL, _ schema: ServerSchema
    ) -> ServerWrite.Step {
        let parameters = Parameters()
        parameters.append(range.keys.lowerBound)
        parameters.append(range.keys.upperBound)
        let key = SystemColumns.postgres.key
        return ServerWrite.Step(
            """
            INSERT INTO \(sql.changes) ("number", "entity", "kind", "key") \
            SELECT \(number), \(Self.entity(of: range.root, schema)), '\(Kind.insertion.rawValue)', t.\(key) \
            FROM \(schema.columns[range.root - 1].table) AS t WHERE t.\(key) >= $1 AND t.\(key) < $2 ORDER BY t.\(key)
            """, with: parameters)
    }

    /// Rows that were changed in the same properties.
    private func insertion(
        of update: Update, keys: ArraySlice<Int64>, number: String, sql: HistorySQL, _ schema: ServerSchema
    ) throws -> ServerWrite.Step {
        let parameters = Parameters()
        parameters.append(keys: keys)
        // Names of properties have no NUL.
        if !(update.columns.map { parameters.append($0) } ?? false) { parameters.appendNull(.text) }
        let key = SystemColumns.postgres.key
        return ServerWrite.Step(
            """
            INSERT INTO \(sql.changes) ("number", "entity", "kind", "key", "columns") \
            SELECT \(number), \(Self.entity(of: update.root, schema)), '\(Kind.update.rawValue)', t.\(key), $2 \
            FROM unnest($1) WITH ORDINALITY AS u(key, place) JOIN \(schema.columns[update.root - 1].table) AS t ON t.\(key) = u.key \
            ORDER BY u.place
            """, with: parameters)
    }

    /// The number of the entity of a row `t` on the server.
    private static func entity(of root: Int, _ schema: ServerSchema) -> String {
        let columns = schema.columns[root - 1]
        return columns.numbersEntities ? "t.\(SystemColumns.postgres.entity)" : String(columns.storedNumber)
    }

    /// The row of the transaction, which exists only if there are changes.
    private func transaction(_ number: String, history: ServerHistory) throws -> ServerWrite.Step {
        let parameters = Parameters()
        parameters.append(history.instance)
        let process = ProcessInfo.processInfo.processName
        let strings = [
            // A program without a bundle records a name too, because readers expect one.
            Bundle.main.bundleIdentifier ?? EarlierHistory.bundleIdentifier(of: process), process, author.contextName,
            author.author,
        ]
        for text in strings {
            guard let text, !text.isEmpty else {
                parameters.appendNull(.text)
                continue
            }
            guard parameters.append(text) else {
                throw CoreDataError(
                    NSPersistentStoreSaveError,
                    "The author or the name of a context contains U+0000, which a server cannot store. Nothing was saved."
                )
            }
        }
        let sql = history.sql
        return ServerWrite.Step(
            """
            WITH n AS (SELECT \(number) AS number), \
            i AS (INSERT INTO \(sql.transactions) ("number", "instance", "bundle", "process", "context", "author") \
            SELECT n.number, $1, $2, $3, $4, $5 FROM n \
            WHERE EXISTS (SELECT 1 FROM \(sql.changes) AS c WHERE c."number" = n.number) \
            ON CONFLICT ("number") DO NOTHING RETURNING "number") \
            SELECT i."number", \(HistorySQL.isBehindHorizon) FROM i
            """, with: parameters
        ) { [self] result in
            guard let number = try result.int64(0, column: 0) else { return }
            written = WrittenTransaction(
                number: number, isBehindHorizon: try result.bool(0, column: 1) ?? false)
        }
    }
}
#endif
