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
    func prepareHistory(of store: PostgresStore, _ connection: PostgresConnection) throws {
        let setup = HistorySetup(sql: store.history.sql)
        let triggers = HistoryTriggers(of: store)
        let found = try setup.found(connection)
        let level = max(neededLevel, found?.level ?? .none)
        if let found, isComplete(found, level: level, triggers: triggers) {
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
        store.history.level = try alone(connection) {
            // Another program may have been faster.
            let found = try setup.found(connection)
            let level = max(level, found?.level ?? .none)
            if let found, isComplete(found, level: level, triggers: triggers) { return level }
            if found?.isContinued == false { try connection.run(setup.sql.continuation) }
            var statements: [SQLStatement] = []
            if found?.level != level { statements += setup.start(level, hasTimelines: hasTimelines) }
            if level == .everybody, serverOptions.changes != .never { statements += triggers.creation }
            _ = try connection.run(statements)
            return level
        }
    }

    private func isComplete(
        _ found: HistorySetup.Found, level: ServerHistory.Level, triggers: HistoryTriggers
    ) -> Bool {
        guard found.level >= level, found.isContinued else { return false }
        return level < .everybody || serverOptions.changes == .never || found.triggers.contains(triggers.hash)
    }
}
#endif
