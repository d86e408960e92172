#if PostgreSQL
import Foundation
import SwormPostgres
package import SwormRows

extension PostgresStore {
    package func beginTransaction(_ token: InterruptToken?) throws -> any StoreTransaction {
        try begin(.exclusive, token: token ?? InterruptToken())
    }

    package func beginTransaction(
        locking rows: FetchSpecification, _ token: InterruptToken?
    ) throws -> any StoreTransaction {
        let token = token ?? InterruptToken()
        let end = ContinuousClock.now.advanced(by: longestWait(token))
        while true {
            let transaction = try begin(.rows, token: token)
            do {
                try transaction.lock(rows)
                return transaction
            } catch {
                transaction.end()
                // A row was changed after the snapshot, or its lock was not free in time. Nothing was read yet.
                let cause = (error as? CoreDataError)?.cause as? ServerError
                guard cause?.kind == .conflict || cause?.state == .lockNotAvailable, !token.stopsWork,
                    ContinuousClock.now < end
                else { throw error }
            }
        }
    }

    package func beginSerializableTransaction(_ token: InterruptToken?) throws -> any StoreTransaction {
        try begin(.serializable, token: token ?? InterruptToken())
    }

    package func beginTransaction(
        from session: any StoreSession, _ token: InterruptToken?
    ) throws -> any StoreTransaction {
        try requireWritable()
        guard let transaction = try transaction(continuing: session, mode: .snapshot, token ?? InterruptToken()) else {
            throw CoreDataError(
                NSPersistentStoreSaveError,
                "The view cannot be written: an earlier error has ended it, or it belongs to another store.")
        }
        return transaction
    }

    /// Begins a transaction that does not continue a view.
    private func begin(_ mode: PostgresTransaction.Mode, token: InterruptToken) throws -> PostgresTransaction {
        try requireWritable()
        try renewHistory(token)
        let level = history.level
        let isExclusive = mode == .exclusive
        let end = ContinuousClock.now.advanced(by: longestWait(token))
        while true {
            let noteEnd = try WriterThreads.begin(self, isExclusive: isExclusive)
            let pooled: PooledConnection
            do {
                // The calls of this process get their turn in the pool's order, so that only one of them waits at the server.
                pooled = try take(for: isExclusive ? "write" : "save", token, takingTurn: isExclusive)
            } catch {
                noteEnd()
                throw error
            }
            let lease = lease(pooled, isWriting: true, atEnd: noteEnd)
            do {
                let connection = try lease.beginUse()
                defer { lease.endUse() }
                var options = TransactionOptions(mode.isolation)
                let timeout = connection.address.timeouts.statement
                var waiting = max(end - .now, .milliseconds(1))
                if mode == .serializable {
                    // The lock is taken with the first statement, after which nothing is begun again.
                    options.lockWait = waiting
                } else if let timeout {
                    // A wait within the timeout of statements needs no other timeout. It is repeated.
                    waiting = min(waiting, timeout * 9 / 10)
                }
                options.locks = TransactionOptions.lock(
                    writerLock(isExclusive: isExclusive), within: waiting, on: connection.address)
                if isExclusive { options.statementTimeoutAfterLocks = connection.address.timeouts.shorterForWrites }
                options.settings = settings(of: token, keeping: level)
                try connection.begin(options)
                // The snapshot is taken by a later statement, and thus contains the work of all earlier turns.
                if isExclusive { try connection.sendBeginning() }
                return PostgresTransaction(
                    store: self, lease: lease, token: token, mode: mode, historyLevel: level)
            } catch {
                lease.end()
                let isOver = ContinuousClock.now >= end || token.stopsWork
                guard !isOver, (error as? ServerError)?.state == .lockNotAvailable else {
                    throw translated(error, while: "write to", token: token)
                }
            }
        }
    }

    /// The statement that takes a turn among the transactions that write, before the transaction has a snapshot.
    func writerLock(isExclusive: Bool) -> String {
        "LOCK TABLE \(schema.prefix)\"_sworm_writer\" IN \(isExclusive ? "EXCLUSIVE" : "ROW EXCLUSIVE") MODE"
    }

    /// The longest time to wait for a turn.
    func longestWait(_ token: InterruptToken) -> Duration {
        let longest = Duration.seconds(min(options.busyTimeout, StoreOptions.longestTimeout))
        return token.deadline.map { max(.milliseconds(1), min(longest, $0 - .now)) } ?? longest
    }

    // MARK: Saving

    @discardableResult
    package func save(_ request: SaveRequest, token: InterruptToken?) throws -> SaveResult {
        try requireWritable()
        guard !request.isEmpty || newMetadata != nil else { return SaveResult() }
        let token = token ?? InterruptToken()
        let end = ContinuousClock.now.advanced(by: longestWait(token))
        var isThorough = false
        var attempts = 0
        while true {
            do {
                return try save(request, isThorough: isThorough, token)
            } catch {
                attempts += 1
                guard !token.stopsWork, isRepeated(after: error, attempts: attempts, until: end) else {
                    // Which rows are in conflict is known only after a repetition.
                    throw error is StaleUpdate ? token.failure ?? Self.overtaken : error
                }
                isThorough = true
            }
        }
    }

    private func save(_ request: SaveRequest, isThorough: Bool, _ token: InterruptToken) throws -> SaveResult {
        let transaction = try begin(.single, token: token)
        defer { transaction.end() }
        var result = request.isEmpty ? SaveResult() : try transaction.save(request, isThorough: isThorough)
        try transaction.commit(after: nil)
        result.historyNumber = transaction.historyNumber
        return result
    }

    /// Returns whether a save is run again, because another one was faster: it then compares its rows with those that the
    /// other one has written, and reports the conflicts by name.
    private func isRepeated(after error: any Error, attempts: Int, until end: ContinuousClock.Instant) -> Bool {
        if error is StaleUpdate { return attempts < Self.longestRepetition }
        guard let failure = (error as? CoreDataError)?.cause as? ServerError else { return false }
        switch failure.kind {
        case .conflict, .uniqueViolation, .foreignKeyViolation: return attempts < Self.longestRepetition
        // The turn of writers is awaited as long as the store allows.
        case .timeout:
            return failure.state == .lockNotAvailable && failure.sql == writerLock(isExclusive: false)
                && ContinuousClock.now < end
        default: return false
        }
    }

    private static var longestRepetition: Int { 5 }

    /// The error of a save whose rows other transactions have changed before each of its attempts.
    private static var overtaken: CoreDataError {
        CoreDataError(
            NSManagedObjectMergeError,
            "Other transactions have changed the same rows again and again, so nothing was saved. Run it again, or use a transaction that locks the rows.",
            condition: .conflict)
    }

    // MARK: Keys

    package func reserveKeys(root: Int, count: Int, _ token: InterruptToken?) throws -> Int64 {
        try checkReservation(root: root, count: count)
        try requireWritable()
        if let first = keys.take(adjacent: count, root: root) { return first }
        let token = token ?? InterruptToken()
        let lease = lease(try take(for: "reserve keys in", token), isWriting: true)
        defer { lease.end() }
        let connection = try lease.beginUse()
        defer { lease.endUse() }
        return try translating("reserve keys in", token: token) {
            try adjacentKeys(count, root: root, on: connection)
        }
    }

    /// Throws an error if keys cannot be reserved.
    func checkReservation(root: Int, count: Int) throws {
        guard model.entities.indices.contains(root - 1), model[root].root == root, count > 0 else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "Keys can only be reserved for a root entity, and the number of keys must be positive.")
        }
    }
}
#endif
