#if !canImport(CoreData)
import OpenCoreData
import SwormSQLite
import SwormRows
import SwormStore

/// Options for opening a store.
enum OpeningOptions {
    /// Returns the options for a store that reports its statements.
    static func tracing(_ report: (@Sendable (SQLTrace) -> Void)?, withValues: Bool) throws -> [String: Any] {
        guard let report else { return [:] }
        return [SwormStatementWatchOption: StatementWatch(withValues: withValues, report)]
    }

    /// Returns the options for a store with a limited number of concurrent readers.
    static func readers(_ count: Int?) throws -> [String: Any] {
        guard let count else { return [:] }
        guard count > 0 else {
            throw StoreError(.cannotOpen, "A store cannot be opened for \(count) readers. Allow at least one.")
        }
        return [SwormReadersOption: count]
    }

    /// The options for a store with a history.
    static var history: [String: Any] { [NSPersistentHistoryTrackingKey: true] }
}

extension NSManagedObjectContext {
    /// Reports the statements that the stores of the context run, until the observation ends.
    func observeStatements(
        withValues: Bool, _ report: @escaping @Sendable (SQLTrace) -> Void
    ) throws -> StatementObservation {
        let stores = (coordinator?.persistentStores ?? []).map(\.objectStore)
        let watch = StatementWatch(withValues: withValues, report)
        let watched = stores.map { (store: $0, number: $0.add(watch)) }
        return StatementObservation { for entry in watched { entry.store.removeWatch(entry.number) } }
    }
}

extension StatementWatch {
    fileprivate convenience init(withValues: Bool, _ report: @escaping @Sendable (SQLTrace) -> Void) {
        self.init(wantsValues: withValues) { statement in
            report(
                SQLTrace(
                    sql: statement.sql, sqlWithValues: statement.sqlWithValues, seconds: statement.seconds,
                    rows: statement.rows, isUpkeep: SQLiteStore.isUpkeep(statement.sql)))
        }
    }
}
#endif
