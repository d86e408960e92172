package import SwormRows
import SwormSQLite

extension SQLiteStore {
    package func beginTransaction(_ token: InterruptToken?) throws -> any StoreTransaction {
        let (open, watch) = try writableFiles()
        return try translating("write to", token: token) {
            let (connection, wasPinned) = try open.pool.takeWriter(watch: watch, token: token)
            do {
                try open.prepareWriting(connection)
                try connection.base.begin(.immediate)
            } catch {
                open.pool.giveBackWriter(connection, wasPinned: wasPinned)
                connection.uses.end()
                throw error
            }
            // The session retains the connection from here on.
            defer { connection.uses.end() }
            return SQLiteTransaction(
                store: self, open: open, connection: connection, token: token,
                connecting: .fromPool(wasPinned: wasPinned))
        }
    }

    package func beginTransaction(
        from session: any StoreSession, _ token: InterruptToken?
    ) throws -> any StoreTransaction {
        let watch = try writableFiles().1
        guard let session = session as? SQLiteSession, session.store === self else {
            throw CoreDataError(
                NSPersistentStoreOperationError, "A transaction cannot begin from a snapshot of another store.")
        }
        let connection = try session.lease.beginUse(isAlone: true)
        do {
            try translating("write to", token: token) {
                try session.open.pool.upgrade(
                    connection, watch: watch, token: token, prepare: session.open.prepareWriting)
            }
        } catch {
            session.lease.endUse()
            throw error
        }
        session.handOver()
        return SQLiteTransaction(
            store: self, open: session.open, connection: connection, token: token, connecting: .fromView)
    }
}
