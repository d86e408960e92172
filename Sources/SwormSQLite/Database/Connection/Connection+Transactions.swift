import SwormRows

extension Connection {
    package enum TransactionKind: String, Sendable, Hashable {
        /// A transaction that takes no lock yet. Its first read fixes the snapshot that all later reads of the
        /// transaction see.
        case deferred = "BEGIN DEFERRED"
        /// A transaction that takes the write lock immediately, so that no later statement finds it taken.
        case immediate = "BEGIN IMMEDIATE"
        case exclusive = "BEGIN EXCLUSIVE"
    }

    /// Begins a transaction. A token ends the wait for a lock, but does not stop a transaction that has already begun,
    /// because it would stay open.
    package func begin(_ kind: TransactionKind) throws {
        try withoutLooks { kind == .deferred ? try run(beginning) : try run(kind.rawValue) }
    }

    /// Commits the transaction.
    ///
    /// A token ends the wait for a lock before anything is written: the transaction is then still open. It does not
    /// stop a commit that has started, which might take effect nevertheless.
    package func commit() throws {
        commitCounter?.begin()
        defer { commitCounter?.end() }
        try withoutLooks { try run(committing) }
    }

    /// Rolls back the transaction. Neither a token nor an earlier interruption stops it.
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

    /// Runs the body in a transaction, and rolls it back if the body throws or the commit fails.
    ///
    /// After some failures (a full disk, a constraint with ROLLBACK), SQLite rolls back the transaction itself. If the
    /// body continues after such a failure, this method throws `SQLITE_ABORT_ROLLBACK` at its end.
    package func transaction<R>(_ kind: TransactionKind, _ body: () throws -> R) throws -> R {
        try begin(kind)
        do {
            let result = try body()
            try requireTransaction()
            try commit()
            return result
        } catch {
            // The first error is the one to report. A rollback fails only if there is nothing left to roll back.
            if isInTransaction { try? rollback() }
            throw error
        }
    }

    /// Runs the body in a savepoint inside the open transaction, and rolls back only the body's changes if it throws.
    ///
    /// Outside of a transaction, the savepoint is a deferred transaction.
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
                message: "the transaction ended before its closure: an earlier statement failed and rolled it back")
        }
    }
}
