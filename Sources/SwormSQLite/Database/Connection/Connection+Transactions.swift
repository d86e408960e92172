import SwormRows

extension Connection {
    package enum TransactionKind: String, Sendable, Hashable {
        /// Locks nothing yet; the first read fixes the snapshot that all later reads of the transaction see.
        case deferred = "BEGIN DEFERRED"
        /// Takes the write lock at once, so that no later statement finds it taken.
        case immediate = "BEGIN IMMEDIATE"
        case exclusive = "BEGIN EXCLUSIVE"
    }

    /// Begins a transaction. A token ends the wait for a lock; it does not stop what has begun already, which would stay open.
    package func begin(_ kind: TransactionKind) throws {
        try withoutLooks { kind == .deferred ? try run(beginning) : try run(kind.rawValue) }
    }

    /// Commits the transaction. A token ends the wait for a lock, before anything has happened: the transaction is open then. It does
    /// not stop what has begun, which might have happened all the same.
    package func commit() throws { try withoutLooks { try run(committing) } }

    /// Undoes the transaction. No token stops it, and an interruption of the moment before does not either.
    package func rollback() throws {
        try uninterrupted {
            do {
                try run("ROLLBACK")
            } catch {
                guard isInTransaction else { throw error }
                try run("ROLLBACK")
            }
        }
    }

    /// Runs the body in a transaction, and undoes it when the body throws or the commit fails.
    ///
    /// Some failures (a full disk, a constraint with ROLLBACK) make SQLite undo the transaction by itself. When the body
    /// goes on after one, this throws `SQLITE_ABORT_ROLLBACK` at its end.
    package func transaction<R>(_ kind: TransactionKind, _ body: () throws -> R) throws -> R {
        try begin(kind)
        do {
            let result = try body()
            try requireTransaction()
            try commit()
            return result
        } catch {
            // The first error is the one to report; a rollback can fail only where there is nothing left to undo.
            if isInTransaction { try? rollback() }
            throw error
        }
    }

    /// Runs the body in a savepoint, nested in what is open, and undoes only its own work when it throws.
    ///
    /// Outside a transaction it is a deferred transaction.
    package func savepoint<R>(_ body: () throws -> R) throws -> R {
        let name = "sworm_\(savepointDepth)"
        try run("SAVEPOINT \(name)")
        savepointDepth += 1
        defer { savepointDepth -= 1 }
        do {
            let result = try body()
            try requireTransaction()
            try run("RELEASE \(name)")
            return result
        } catch {
            if isInTransaction {
                try? uninterrupted {
                    try run("ROLLBACK TO \(name)")
                    try run("RELEASE \(name)")
                }
            }
            throw error
        }
    }

    private func requireTransaction() throws {
        if !isInTransaction {
            throw SQLiteError(
                code: SQLiteError.abortRollback,
                message: "the transaction ended before its scope did: an earlier statement failed and undid it")
        }
    }
}
