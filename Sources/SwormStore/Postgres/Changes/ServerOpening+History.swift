#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

extension ServerOpening {
    /// The writers whose changes the history must have; none to continue the history that there is.
    private var neededLevel: ServerHistory.Level {
        if serverOptions.recordsOtherPrograms { return .everybody }
        return options.tracksHistory ? .own : .none
    }

    /// Reads how the history of an opened store is kept, and starts it or extends it if the options ask for that.
    ///
    /// - Throws: ``CoreDataError`` if a history is needed and the options do not allow to start it.
    func prepareHistory(of opened: Opened, _ connection: PostgresConnection) throws {
        let store = opened.store
        let setup = HistorySetup(sql: store.history.sql)
        let triggers = HistoryTriggers(of: store)
        let found = try setup.found(connection)
        let level = max(neededLevel, found?.level ?? .none)
        let isOlder = opened.migration.isOlder(model.versionHashes)
        if let found, isComplete(found, level: level, triggers: triggers, isOlder: isOlder) {
            store.history.level = found.level
            return
        }
        guard level > .none, !options.isReadOnly else {
            store.history.level = found?.level ?? .none
            return
        }
        guard serverOptions.changes != .never || found?.level == level else {
            throw CoreDataError(
                NSPersistentStoreOpenError,
                "The store '\(serverOptions.place)' cannot be opened with a history that it does not keep yet, because the options do not allow to change it. Open it once with options that do.",
                condition: .unsupported)
        }
        let hasTimelines = try setup.hasTimelines(connection)
        let migration = ServerMigration(opening: self)
        store.history.level = try migration.repeating(otherwise: historyIsBusy) { limit in
            try migration.locked(connection, within: limit) {
                // Another program may have been faster.
                let found = try setup.found(connection)
                let level = max(level, found?.level ?? .none)
                let isOlder = try ServerRecord(
                    connection, schema: serverOptions.schema, place: serverOptions.place
                ).migration
                    .isOlder(model.versionHashes)
                if let found, isComplete(found, level: level, triggers: triggers, isOlder: isOlder) { return level }
                let (isNew, hasTriggers) = (
                    found?.level != level, level == .everybody && serverOptions.changes != .never
                )
                var statements: [SQLStatement] = []
                // The locks come first, in the order in which writers take them. A writer that waited for a later one while it
                // has an earlier one would never get it.
                if isNew || hasTriggers { statements.append(.command(store.writerLock(isExclusive: true))) }
                if hasTriggers { statements += triggers.locks }
                if found?.isContinued == false { statements.append(.command(setup.sql.continuation)) }
                if isNew { statements.append(setup.start(level, hasTimelines: hasTimelines)) }
                if hasTriggers { statements += triggers.creation(isOlder: isOlder) }
                if isNew { statements += setup.restriction(level) }
                _ = try connection.run(statements)
                return level
            }
        }
    }

    private func historyIsBusy(_ error: ServerError) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "The store '\(serverOptions.place)' cannot be opened with a history that it does not keep yet: other transactions use its tables, or another program is changing them. Nothing has changed. Try again, with a longer timeout or when there are no long transactions.",
            cause: error, condition: .timedOut)
    }

    private func isComplete(
        _ found: HistorySetup.Found, level: ServerHistory.Level, triggers: HistoryTriggers, isOlder: Bool
    ) -> Bool {
        guard found.level >= level, found.isContinued else { return false }
        if level < .everybody || serverOptions.changes == .never { return true }
        return isOlder ? found.triggers.contains(triggers.hash) : found.triggers.last == triggers.hash
    }
}
#endif
