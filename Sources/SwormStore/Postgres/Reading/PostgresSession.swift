#if PostgreSQL
import Foundation
import SwormPostgres
package import SwormRows

/// A transaction on one connection of a store, in whose snapshot its owner reads.
class PostgresSession: StoreSession {
    let store: PostgresStore
    /// The token that stops the session's reads.
    let token: InterruptToken
    let lease: ServerLease
    /// The history that the transaction writes. Another program can start one after the transaction has begun; the server
    /// then rejects the commit.
    let historyLevel: ServerHistory.Level
    final var schema: ServerSchema { store.schema }
    final var compiler: SQLCompiler { store.schema.compiler }
    var interrupt: @Sendable () -> Void { { [lease] in lease.interrupt() } }

    /// The limit for statements that keep all other programs from writing, if it is that of the session's statements.
    var writeTimeout: Duration? { nil }

    init(store: PostgresStore, lease: ServerLease, token: InterruptToken, historyLevel: ServerHistory.Level) {
        self.store = store
        self.historyLevel = historyLevel
        self.token = token
        self.lease = lease
    }

    deinit { end() }

    func end() { lease.end() }

    /// Takes the snapshot of the transaction, which otherwise the first read takes.
    func fixState() throws { try read { _ = try $0.run("SELECT 1") } }

    /// Calls a closure with the connection, whose transaction is open, and translates errors.
    final func read<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        let connection = try lease.beginUse()
        defer { lease.endUse() }
        return try read(on: connection, body)
    }

    /// Calls a closure with the connection during a use of the lease, and translates errors.
    final func read<Result>(
        on connection: PostgresConnection, _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        try store.translating("read", token: token, writeTimeout: writeTimeout) {
            // Observers may have been added or removed since the view began.
            connection.watch = try store.currentWatch()
            let result = try body(connection)
            if let failure = token.failure { throw failure }
            return result
        }
    }
}

extension PostgresStore {
    package func beginSession(_ token: InterruptToken?) throws -> any StoreSession {
        // Not read-only, because a transaction that writes can continue in the same snapshot.
        try beginSession(token, isReadOnly: isReadOnly)
    }

    package func beginReading(_ token: InterruptToken?) throws -> any StoreSession {
        try beginSession(token, isReadOnly: true)
    }

    private func beginSession(_ token: InterruptToken?, isReadOnly: Bool) throws -> any StoreSession {
        let token = token ?? InterruptToken()
        try renewHistory(token)
        let level = history.level
        let pooled = try take(for: "read", token)
        let lease = lease(pooled, isWriting: false)
        do {
            var options = TransactionOptions(.repeatableRead, isReadOnly: isReadOnly)
            options.settings = settings(of: token, keeping: level)
            // The store may have been closed since the connection was taken.
            let connection = try lease.beginUse()
            defer { lease.endUse() }
            try connection.begin(options)
        } catch {
            lease.end()
            throw translated(error, while: "read", token: token)
        }
        return PostgresSession(store: self, lease: lease, token: token, historyLevel: level)
    }
}
#endif
