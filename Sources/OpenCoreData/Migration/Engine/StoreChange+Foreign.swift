import Foundation
import SwormSQLite

extension StoreChange {
    /// Makes a trigger, a view or an index again that is not Core Data's. One that fits the new tables no more is left out.
    func restore(_ object: SchemaObject, _ connection: StoreConnection, _ report: inout MigrationReport) {
        guard let sql = object.sql else { return }
        do {
            try connection.base.execute(sql)
            guard object.kind == .trigger else { return }
            do {
                try tryTriggers(of: object.table, connection)
            } catch {
                try connection.base.execute("DROP TRIGGER \(MigrationPlanner.quoted(object.name))")
                throw error
            }
        } catch {
            let reason = (error as? SQLiteError)?.message ?? error.localizedDescription
            report.notes.append(
                "The \(object.kind.rawValue) \(object.name), which is not of the model, was left out: \(reason).")
        }
    }

    /// Prepares writing a table, by which SQLite reads its triggers. Functions that only another program has are none of ours.
    private func tryTriggers(of table: String, _ connection: StoreConnection) throws {
        let name = MigrationPlanner.quoted(table)
        for sql in ["INSERT INTO \(name) DEFAULT VALUES", "DELETE FROM \(name)", "UPDATE \(name) SET Z_OPT = Z_OPT"] {
            do {
                try connection.base.execute("EXPLAIN " + sql)
            } catch let error as SQLiteError where error.message.hasPrefix("no such function") {
                continue
            }
        }
    }
}
