#if PostgreSQL
import Foundation
import SwormPostgres
import SwormRows

extension PostgresTransaction {
    /// The way in which a transaction takes turns with other ones.
    enum Mode: Sendable {
        /// The transaction keeps all other transactions of this library from writing, from its beginning on.
        case exclusive
        /// The transaction continues the state of a view. It takes part in the turns from its first write on, and the server
        /// finds conflicts with the transactions that were committed since.
        case snapshot
        /// The transaction has locked some rows. It takes part in the turns from its beginning on.
        case rows
        /// The transaction takes part in the turns from its beginning on, and the server finds all conflicts.
        case serializable
        /// The transaction of a single save, whose statements read what was committed last.
        case single
        /// The transaction of a single save that continues the state of a view. It gets its turn at once or fails, and the server
        /// finds conflicts with the transactions that were committed since.
        case continued
    }
}

extension PostgresTransaction.Mode {
    /// Whether the transaction has one write, which is rolled back with it.
    var isOneSave: Bool { self == .single || self == .continued }

    /// Whether the transaction begins with the lock of writers.
    var beginsWithTurn: Bool { self != .snapshot && self != .continued }

    /// The isolation of a transaction that begins in the mode.
    var isolation: TransactionOptions.Isolation {
        switch self {
        case .single: .readCommitted
        case .exclusive, .snapshot, .rows, .continued: .repeatableRead
        case .serializable: .serializable
        }
    }
}

extension PostgresTransaction {
    /// Throws an error if an earlier one has ended the transaction: that one, which the caller may have ignored, if it says
    /// that the transaction can be repeated.
    static func checkUse(of connection: PostgresConnection) throws {
        guard connection.hasFailedTransaction else { return }
        let cause = connection.transactionFailure
        if let cause, cause.isInterruption { throw cause }
        throw CoreDataError(
            NSPersistentStoreSaveError, "An earlier error has rolled back the transaction. Nothing was saved.",
            cause: cause)
    }

    /// Ends a transaction that has written nothing.
    func endReading(_ connection: PostgresConnection) throws {
        guard mode == .serializable else { return connection.rollback() }
        // The server answers for what the transaction has read only if it is committed.
        do { _ = try connection.commit(after: []) } catch var error as ServerError where error.kind == .outcomeUnknown {
            error.kind = .unavailable
            error.message =
                "the connection was lost before the server had confirmed what the transaction has read; run it again"
            throw error
        }
    }

    /// Returns whether an error of a write says that rows are not as the request expects them, without naming all of them.
    static func callsForComparison(_ error: any Error) -> Bool {
        error is StaleUpdate || (error as? ServerError)?.kind == .uniqueViolation
    }

    /// Locks the rows of a request in the order of their keys, so that two transactions do not wait for each other. The
    /// request determines the snapshot of the transaction.
    ///
    /// - Throws: A conflict if a row was changed after the snapshot, while the lock was awaited.
    func lock(_ rows: FetchSpecification) throws {
        let keys = try matchingKeys(rows)
        guard !keys.isEmpty else { return }
        let entity = store.model[rows.entity]
        let table = ServerColumns.table(of: entity, store.schema.layout)
        let parameters = Parameters()
        guard parameters.append(keys.sorted().map(Optional.some)) else {
            throw CoreDataError(
                NSPersistentStoreOperationError, "The rows to lock are too many: \(keys.count) of \(entity.name).")
        }
        try read { connection in
            _ = try connection.run(
                SQLStatement(
                    "SELECT 1 FROM \(table) WHERE \"_key\" = ANY ($1) ORDER BY \"_key\" FOR NO KEY UPDATE",
                    with: parameters))
        }
    }
}
#endif
