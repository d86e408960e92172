import Foundation

#if !canImport(CoreData)
import OpenCoreData
import SwormSQLite
import SwormRows
import SwormStore

extension Engine {
    /// Returns the options for opening a store that reports its statements.
    static func options(tracing tell: (@Sendable (SQLTrace) -> Void)?, withValues: Bool) throws -> [String: Any] {
        guard let tell else { return [:] }
        return [SwormStatementWatchOption: watch(withValues: withValues, tell)]
    }

    /// Returns the options for opening a store with a limited number of concurrent readers.
    static func options(readers: Int?) throws -> [String: Any] {
        guard let readers else { return [:] }
        guard readers > 0 else {
            throw StoreError(.cannotOpen, "A store cannot be opened for \(readers) readers. Allow at least one.")
        }
        return [SwormReadersOption: readers]
    }

    /// Reports the statements that the stores of a context run, until the observation ends.
    static func observe(
        _ context: NSManagedObjectContext, withValues: Bool, _ tell: @escaping @Sendable (SQLTrace) -> Void
    ) throws -> StatementObservation {
        let stores = (context.coordinator?.persistentStores ?? []).map(\.objectStore)
        let watch = watch(withValues: withValues, tell)
        let watched = stores.map { (store: $0, number: $0.add(watch)) }
        return StatementObservation { for entry in watched { entry.store.removeWatch(entry.number) } }
    }

    private static func watch(
        withValues: Bool, _ tell: @escaping @Sendable (SQLTrace) -> Void
    ) -> StatementWatch {
        StatementWatch(wantsValues: withValues) { statement in
            tell(
                SQLTrace(
                    sql: statement.sql, sqlWithValues: statement.sqlWithValues, seconds: statement.seconds,
                    rows: statement.rows, isUpkeep: SQLiteStore.isUpkeep(statement.sql)))
        }
    }
}
#else
import CoreData

extension Engine {
    /// Throws an error if a trace is requested: Core Data does not report its statements.
    static func options(tracing tell: (@Sendable (SQLTrace) -> Void)?, withValues: Bool) throws -> [String: Any] {
        guard tell == nil else { throw noStatements("trace statements") }
        return [:]
    }

    /// Throws an error if a number of readers is given: Core Data does not limit its readers.
    static func options(readers: Int?) throws -> [String: Any] {
        guard readers == nil else {
            throw StoreError(
                .unsupported, "Cannot bound the readers of a store on this platform. Leave the number of readers out.")
        }
        return [:]
    }

    /// Throws an error: Core Data does not report its statements.
    static func observe(
        _ context: NSManagedObjectContext, withValues: Bool, _ tell: @escaping @Sendable (SQLTrace) -> Void
    ) throws -> StatementObservation { throw noStatements("count statements") }

    /// Returns the error for a feature that needs the statements of Core Data, which are not accessible.
    static func noStatements(_ what: String) -> StoreError {
        StoreError(
            .unsupported,
            "Cannot \(what) on this platform: Core Data makes the statements and does not show them to programs. Start the "
                + "program with the argument -com.apple.CoreData.SQLDebug 3, and it prints them with their mappings.")
    }
}
#endif
