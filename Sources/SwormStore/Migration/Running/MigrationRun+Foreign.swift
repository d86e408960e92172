import Foundation
import SwormSQLite

extension MigrationRun {
    /// Recreates the triggers, views and indexes that are not Core Data's. Those that no longer fit the new tables are
    /// left out.
    func restore(_ objects: [SchemaObject], on connection: StoreConnection, report: inout MigrationReport) {
        // A view may read another one that is created after it, and a trigger may belong to a view.
        let views = objects.filter {
            $0.kind == .view && attempt($0, on: connection, report: &report) { try make($0, on: connection) }
        }
        for view in views { attempt(view, on: connection, report: &report) { try tryView($0, on: connection) } }
        for object in objects where object.kind == .index {
            attempt(object, on: connection, report: &report) { try makeIndex($0, on: connection) }
        }
        for object in objects where object.kind == .trigger {
            attempt(object, on: connection, report: &report) { try makeTrigger($0, on: connection) }
        }
    }

    /// Removes the R-trees that are no longer updated by all their triggers.
    func removeStaleTrees(on connection: StoreConnection, report: inout MigrationReport) throws {
        for tree in plan.trees {
            let triggers = plan.foreign.filter { tree.isKept(by: $0) }
            let left = try triggers.filter { trigger in
                try connection.integer(
                    "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name = ?",
                    binding: [.text(trigger.name)])
                    == 1
            }
            guard left.count < triggers.count else { continue }
            for trigger in left { try connection.run("DROP TRIGGER \(SQLName.alwaysQuoted(trigger.name))") }
            try connection.run("DROP TABLE \(SQLName.alwaysQuoted(tree.name))")
            report.notes.append("The table '\(tree.name)' was dropped: its triggers no longer fit.")
        }
    }

    /// Adds a note for rows in third-party tables that reference objects which no longer exist.
    func checkReferences(on connection: StoreConnection, report: inout MigrationReport) throws {
        for table in plan.referring.sorted() {
            guard let after = Self.broken(in: table, on: connection), let before = Self.broken(in: table, on: original)
            else {
                continue
            }
            let count = after - before
            guard count > 0 else { continue }
            report.notes.append(
                "\(count == 1 ? "1 row" : "\(count) rows") of the table '\(table)', which is not part of the model, violates a foreign key: the referenced objects or columns were deleted."
            )
        }
    }

    /// Returns the number of dangling references of a table; nil if SQLite cannot determine it.
    private static func broken(in table: String, on connection: StoreConnection) -> Int64? {
        try? connection.integer("SELECT count(*) FROM pragma_foreign_key_check(?)", binding: [.text(table)])
    }

    @discardableResult
    private func attempt(
        _ object: SchemaObject, on connection: StoreConnection, report: inout MigrationReport,
        _ work: (SchemaObject) throws -> Void
    ) -> Bool {
        do {
            try work(object)
            return true
        } catch {
            let reason = (error as? SQLiteError)?.message ?? error.localizedDescription
            report.notes.append(
                "The \(object.kind.rawValue) '\(object.name)', which is not part of the model, was dropped: \(reason).")
            return false
        }
    }

    private func make(_ object: SchemaObject, on connection: StoreConnection) throws {
        if let sql = object.sql { try connection.base.execute(sql) }
    }

    /// Creates an index, and drops it again if it no longer has the same columns: SQLite interprets a quoted name that
    /// matches no column as a string.
    private func makeIndex(_ index: SchemaObject, on connection: StoreConnection) throws {
        try make(index, on: connection)
        let sql = "SELECT count(*) FROM pragma_index_xinfo(?) WHERE key = 1 AND cid = -2"
        let (before, after) = (
            try original.integer(sql, binding: [.text(index.name)]) ?? 0,
            try connection.integer(sql, binding: [.text(index.name)]) ?? 0
        )
        guard after > before else { return }
        try connection.base.execute("DROP INDEX \(SQLName.alwaysQuoted(index.name))")
        throw CoreDataError(NSMigrationError, "one of its columns was deleted")
    }

    private func tryView(_ view: SchemaObject, on connection: StoreConnection) throws {
        let name = SQLName.alwaysQuoted(view.name)
        guard let issue = issue(of: "SELECT * FROM \(name)", connection) else { return }
        try connection.base.execute("DROP VIEW \(name)")
        throw issue
    }

    /// Creates a trigger, and drops it again if it prevents a write that was possible before.
    private func makeTrigger(_ trigger: SchemaObject, on connection: StoreConnection) throws {
        let statements = writing(to: trigger.table, on: connection)
        let before = statements.map { issue(of: $0, connection)?.message }
        try make(trigger, on: connection)
        for (statement, former) in zip(statements, before) {
            guard let issue = issue(of: statement, connection), issue.message != former else { continue }
            try connection.base.execute("DROP TRIGGER \(SQLName.alwaysQuoted(trigger.name))")
            throw issue
        }
    }

    /// Returns the statements that fire every trigger of a table or a view, whichever columns the trigger is for.
    private func writing(to table: String, on connection: StoreConnection) -> [String] {
        let name = SQLName.alwaysQuoted(table)
        var columns: [String] = []
        // Generated columns are not listed, and cannot be written. A view that uses a function of another program does
        // not report its columns.
        try? connection.rows("PRAGMA table_info(\(name))") { row in
            if let column = row.text(1) { columns.append(SQLName.alwaysQuoted(column)) }
        }
        let update = "UPDATE \(name) SET \(columns.map { "\($0) = \($0)" }.joined(separator: ", "))"
        return ["INSERT INTO \(name) DEFAULT VALUES", "DELETE FROM \(name)"] + (columns.isEmpty ? [] : [update])
    }

    /// Returns the reason why a statement cannot be prepared; preparing makes SQLite parse the triggers and views in
    /// it. A missing function is not an issue, because another program may provide it.
    private func issue(of sql: String, _ connection: StoreConnection) -> SQLiteError? {
        do {
            try connection.base.execute("EXPLAIN " + sql)
            return nil
        } catch let error as SQLiteError {
            return error.message.hasPrefix("no such function") ? nil : error
        } catch {
            return nil
        }
    }
}
