#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// The triggers by which the history of a store has the changes of programs that do not record them.
///
/// A trigger runs once for each statement, with the tables of the rows before and after it. It does nothing in transactions of
/// this library, which record more about their changes.
struct HistoryTriggers {
    private let sql: HistorySQL
    private let schema: ServerSchema
    private let model: CompiledModel

    /// The start of the names of the functions and triggers.
    static let prefix = "_sworm_history_"

    init(of store: PostgresStore) {
        sql = store.history.sql
        schema = store.schema
        model = store.model
    }

    /// One of the tables, with the SELECTs that the functions insert into the history.
    private struct Table {
        /// The name without its schema.
        var name: String
        /// The name as SQL text writes it.
        var sql: String
        /// Returns the SELECT of the changes of rows: the number of the entity, the kind, the key, the properties and the
        /// preserved values.
        ///
        /// - Parameters:
        ///   - kind: The kind of the change of the rows.
        ///   - rows: The table of the rows.
        var changes: (_ kind: ServerHistoryNotes.Kind, _ rows: String) -> String
        /// Whether the rows are objects. Those of a join table are changes of two objects.
        var hasObjects: Bool
    }

    private static let (old, new) = ("_sworm_old", "_sworm_new")

    // MARK: Tables

    private var tables: [Table] {
        var tables: [Table] = []
        var joins: Set<String> = []
        for entity in model.entities {
            if entity.root == entity.number, schema.layout.tables[entity.number] != nil {
                tables.append(table(of: entity))
            }
            for slot in entity.relationships.indices where entity.relationships[slot].owner == entity.number {
                guard case .join(let join)? = schema.layout.toMany(slot, in: entity.number),
                    joins.insert(join.table).inserted
                else { continue }
                tables.append(table(of: join, slot: slot, in: entity))
            }
        }
        return tables
    }

    private func table(of root: CompiledEntity) -> Table {
        let columns = schema.columns[root.number - 1]
        let entity = columns.numbersEntities ? "t.\(SystemColumns.postgres.entity)" : String(columns.storedNumber)
        let tombstone = Tombstones.sql(of: root, schema, alias: "t.")
        let key = SystemColumns.postgres.key
        return Table(
            name: schema.layout.table(of: root), sql: columns.table,
            changes: { kind, rows in
                let values = kind == .deletion ? tombstone.map { "NULLIF(\($0), '{}')" } : nil
                return
                    "SELECT \(entity), '\(kind.rawValue)', t.\(key), NULL::text, \(values ?? "NULL::jsonb") FROM \(rows) AS t"
            }, hasObjects: true)
    }

    private func table(of join: StoreLayout.Join, slot: Int, in entity: CompiledEntity) -> Table {
        let relationship = entity.relationships[slot]
        let inverse = model.inverse(of: relationship)
        func side(_ column: String, of end: Int, named name: String?, rows: String) -> String? {
            guard let name else { return nil }
            let columns = schema.columns[model[end].root - 1]
            let number = columns.numbersEntities ? "t.\(SystemColumns.postgres.entity)" : String(columns.storedNumber)
            let key = SystemColumns.postgres.key
            return
                "SELECT \(number), '\(ServerHistoryNotes.Kind.update.rawValue)', t.\(key), \(SQLName.literal(name)), NULL::jsonb FROM (SELECT DISTINCT r.\(SQLName.alwaysQuoted(column)) AS k FROM \(rows) AS r) AS r JOIN \(columns.table) AS t ON t.\(key) = r.k"
        }
        return Table(
            name: join.table, sql: ServerColumns.table(named: join.table, schema.layout),
            changes: { _, rows in
                [
                    side(join.ownColumn, of: entity.number, named: relationship.name, rows: rows),
                    side(join.otherColumn, of: relationship.destination, named: inverse?.name, rows: rows),
                ].compactMap(\.self).joined(separator: " UNION ALL ")
            }, hasObjects: false)
    }

    // MARK: Statements

    /// A hash of the triggers, by which a store knows whether it has them.
    var hash: String {
        let text = tables.flatMap { statements(for: $0) }.joined(separator: "\n")
        return SHA2.sha256(Array(text.utf8)).prefix(16).map { String(format: "%02x", $0) }.joined()
    }

    /// The statements that lock the tables, so that the triggers can be created.
    ///
    /// An index that another program creates without locking its table waits for the end of all older snapshots, and the
    /// triggers wait for the end of the index. A statement that locks tables has no snapshot while it waits, if it finds the
    /// tables without reading the catalog. The first statement, which waits for no index, lets the second one find them so.
    var locks: [SQLStatement] {
        let list = tables.map(\.sql).joined(separator: ", ")
        guard !list.isEmpty else { return [] }
        return ["ACCESS SHARE", "SHARE ROW EXCLUSIVE"].map { .command("LOCK TABLE \(list) IN \($0) MODE") }
    }

    /// Returns the statements that create the triggers, and note that they exist.
    ///
    /// The triggers of the newest version replace the present ones, and are the last in the list.
    ///
    /// - Parameter isOlder: Whether a newer version of the model uses the tables as well, whose triggers stay.
    func creation(isOlder: Bool) -> [SQLStatement] {
        let parameters = Parameters()
        _ = parameters.append(hash)
        let list =
            isOlder
            ? "pg_catalog.array_prepend($1, \"triggers\") WHERE NOT $1 = ANY(\"triggers\")"
            : "pg_catalog.array_append(pg_catalog.array_remove(\"triggers\", $1), $1)"
        return tables.flatMap { isOlder ? [missingStatements(for: $0)] : statements(for: $0) }.map { .command($0) } + [
            .command("UPDATE \(sql.history) SET \"triggers\" = \(list)", with: parameters)
        ]
    }

    private func function(of table: Table) -> String {
        sql.prefix + SQLName.alwaysQuoted(PostgresNames.shortened(Self.prefix + table.name))
    }

    /// Returns a statement that creates the triggers of a table if it has none.
    private func missingStatements(for table: Table) -> String {
        let commands = statements(for: table).map { "EXECUTE \(SQLName.dollarQuoted($0));" }
        let body =
            "BEGIN IF pg_catalog.to_regprocedure(\(SQLName.literal(function(of: table) + "()"))) IS NULL THEN \(commands.joined(separator: " ")) END IF; END"
        return "DO \(SQLName.dollarQuoted(body))"
    }

    private func statements(for table: Table) -> [String] {
        let function = function(of: table)
        var statements = [
            "CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS \(SQLName.dollarQuoted(body(for: table)))"
        ]
        let events = [
            ("insert", "AFTER INSERT", "REFERENCING NEW TABLE AS \(Self.new)"),
            ("update", "AFTER UPDATE", "REFERENCING OLD TABLE AS \(Self.old) NEW TABLE AS \(Self.new)"),
            ("delete", "AFTER DELETE", "REFERENCING OLD TABLE AS \(Self.old)"),
            // Of a table that is emptied at once, the rows are read before.
            ("truncate", "BEFORE TRUNCATE", ""),
        ]
        for (event, time, rows) in events {
            let trigger = SQLName.alwaysQuoted(Self.prefix + event)
            statements.append(
                "CREATE OR REPLACE TRIGGER \(trigger) \(time) ON \(table.sql) \(rows) FOR EACH STATEMENT EXECUTE FUNCTION \(function)()"
            )
        }
        return statements
    }

    private func body(for table: Table) -> String {
        func insert(_ select: String) -> String {
            """
            INSERT INTO \(sql.changes) ("number", "entity", "kind", "key", "columns", "tombstone")
              SELECT transaction_number, c.* FROM (\(select)) AS c;
            GET DIAGNOSTICS row_count = ROW_COUNT;
            total := total + row_count;
            """
        }
        let key = SystemColumns.postgres.key
        func missing(_ rows: String, in others: String) -> String {
            "(SELECT * FROM \(rows) AS a WHERE NOT EXISTS (SELECT 1 FROM \(others) AS b WHERE b.\(key) = a.\(key)))"
        }
        let updates: String
        if table.hasObjects {
            updates = [
                insert(table.changes(.deletion, missing(Self.old, in: Self.new))),
                insert(table.changes(.insertion, missing(Self.new, in: Self.old))),
                insert(
                    table.changes(
                        .update,
                        "(SELECT * FROM \(Self.new) AS a WHERE EXISTS (SELECT 1 FROM \(Self.old) AS b WHERE b.\(key) = a.\(key)))"
                    )
                ),
            ].joined(separator: "\n")
        } else {
            updates = insert(
                table.changes(.update, "(SELECT * FROM \(Self.old) UNION ALL SELECT * FROM \(Self.new))"))
        }
        return """

            DECLARE
              transaction_number bigint;
              row_count bigint;
              total bigint := 0;
            BEGIN
              IF pg_catalog.current_setting('\(HistorySQL.setting.name)', true) = '\(HistorySQL.setting.own)' THEN RETURN NULL; END IF;
              transaction_number := \(sql.number(0));
              IF transaction_number IS NULL THEN
                \(sql.continuation);
                transaction_number := \(sql.number(0));
              END IF;
              IF transaction_number IS NULL THEN RETURN NULL; END IF;
              IF TG_OP = 'INSERT' THEN
            \(insert(table.changes(.insertion, Self.new)))
              ELSIF TG_OP = 'UPDATE' THEN
            \(updates)
              ELSIF TG_OP = 'DELETE' THEN
            \(insert(table.changes(.deletion, Self.old)))
              ELSE
            \(insert(table.changes(.deletion, table.sql)))
              END IF;
              IF total = 0 THEN RETURN NULL; END IF;
              INSERT INTO \(sql.transactions) ("number", "process")
                VALUES (transaction_number, NULLIF(pg_catalog.current_setting('application_name', true), ''))
                ON CONFLICT ("number") DO NOTHING;
              PERFORM pg_catalog.set_config('synchronous_commit', 'on', true)
                WHERE pg_catalog.current_setting('synchronous_commit') IN ('off', 'local');
              RETURN NULL;
            END
            """
    }
}
#endif
