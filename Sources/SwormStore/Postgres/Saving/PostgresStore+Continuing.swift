#if PostgreSQL
import SwormPostgres
import SwormPredicates
package import SwormRows

// A small save in the transaction of the view that was read before. The server finds the rows that were changed since, so
// they are not locked and compared beforehand, and the save usually takes two trips to the server: its statements, and the
// commit.
//
// If such a save fails, the request is written once more, in a transaction of its own, which reads what was committed last.
// Only that one decides which conflicts there are.
extension PostgresStore {
    package func save(
        _ request: SaveRequest, continuing view: any StoreSession, token: InterruptToken?
    ) throws -> SaveResult {
        let token = token ?? InterruptToken()
        if let transaction = try transaction(for: request, continuing: view, token) {
            defer { transaction.end() }
            if let result = try written(request, in: transaction, token) { return result }
        }
        view.end()
        return try save(request, token: token)
    }

    /// Returns a transaction for a request that continues a view, or nil if the request needs a transaction of its own, or the
    /// view cannot be continued.
    private func transaction(
        for request: SaveRequest, continuing view: any StoreSession, _ token: InterruptToken
    ) throws -> PostgresTransaction? {
        guard newMetadata == nil, !request.isEmpty, canContinue(with: request) else { return nil }
        try requireWritable()
        // A view whose connection was given up does not keep the save from being written.
        guard let view = view as? PostgresSession, view.lease.isAvailable else { return nil }
        return try transaction(continuing: view, mode: .continued, token)
    }

    /// Writes a request in a transaction that continues a view, and commits it.
    ///
    /// - Returns: Nil if it must be written in a transaction of its own; the given one has then ended.
    private func written(
        _ request: SaveRequest, in transaction: PostgresTransaction, _ token: InterruptToken
    ) throws -> SaveResult? {
        var isWritten = false
        do {
            var result = try transaction.save(request)
            isWritten = true
            try transaction.commit(after: nil)
            result.historyNumber = transaction.historyNumber
            return result
        } catch {
            transaction.end()
            guard isTriedAgain(after: error, isWritten: isWritten) else { throw error }
            // The error is no judgement of the request, so that of the stop counts.
            guard !token.stopsWork else { throw token.failure ?? error }
            return nil
        }
    }

    /// Returns a transaction that continues a view in its state, or nil if the view cannot be continued.
    func transaction(
        continuing view: any StoreSession, mode: PostgresTransaction.Mode, _ token: InterruptToken
    ) throws -> PostgresTransaction? {
        guard let view = view as? PostgresSession, view.store === self, !(view is PostgresTransaction) else {
            return nil
        }
        let end = try WriterThreads.begin(self, isExclusive: false)
        do {
            // Only its own thread uses a view.
            let connection = try view.lease.beginUse()
            guard !connection.hasFailedTransaction, let pooled = handOver(view.lease) else {
                view.lease.endUse()
                end()
                return nil
            }
            connection.interruption = token
            return PostgresTransaction(
                store: self, lease: lease(pooled, isWriting: true, atEnd: end), token: token, mode: mode,
                historyLevel: view.historyLevel)
        } catch {
            end()
            throw error
        }
    }

    // MARK: Requests

    /// The largest numbers of rows of a save that continues a view. Other saves lock their rows beforehand, in one order; with
    /// many rows, their further trips hardly count.
    private static var longestUpdate: Int { 8 }
    private static var longestInsertion: Int { 64 }

    /// Whether the server itself finds every change since the view that matters to a request: its rows are updated in place
    /// or inserted, and nothing else depends on them.
    private func canContinue(with request: SaveRequest) -> Bool {
        guard request.updates.count <= Self.longestUpdate, request.insertions.count <= Self.longestInsertion,
            request.deletions.isEmpty, request.expectations.isEmpty, request.addedLinks.isEmpty,
            request.removedLinks.isEmpty, request.positions.isEmpty, schema.derivations.rules.allSatisfy(\.isOwn)
        else { return false }
        return request.updates.allSatisfy { canContinue(with: $0) }
            && request.insertions.allSatisfy { canContinue(with: $0) }
    }

    private func canContinue(with update: SaveRequest.Update) -> Bool {
        let columns = schema.columns(of: update.row)
        return update.version != nil && !columns.hasTimes
            && update.toOnes.allSatisfy { columns.toOne($0.slot)?.isAlone ?? false }
    }

    private func canContinue(with insertion: SaveRequest.Insertion) -> Bool {
        let columns = schema.columns(of: insertion.row)
        return insertion.row.key < 0 && insertion.lostVersion == nil && !columns.hasTimes
            && columns.toOnes.allSatisfy { insertion.toOnes[$0.slot] == nil || $0.isAlone }
    }

    // MARK: Errors

    /// Whether a request is written once more after an error: the old snapshot may be the reason, or the loss of the connection
    /// of the reads, and a save in a transaction of its own names everything that differs.
    ///
    /// - Parameter isWritten: Whether the commit has failed. Only errors by which the server says that it has rolled back are
    ///   then followed by another attempt.
    private func isTriedAgain(after error: any Error, isWritten: Bool) -> Bool {
        guard let failure = (error as? CoreDataError)?.cause as? ServerError else { return !isWritten }
        switch failure.kind {
        case .conflict, .uniqueViolation, .foreignKeyViolation: return true
        case .cancelled, .limit, .outcomeUnknown: return false
        // The turn of writers was not free at once, or the reads were too long ago.
        case .timeout where failure.state == .lockNotAvailable: return failure.sql == immediateWriterLock
        case .timeout: return failure.state == .idleInTransactionTimeout && !isWritten
        default: return !isWritten
        }
    }

    /// The statement that takes a turn among the transactions that write, if it is free.
    var immediateWriterLock: String { writerLock(isExclusive: false) + " NOWAIT" }
}

extension ServerColumns {
    /// Whether a derived attribute has the time of the transaction, which is that of the first read for a view.
    fileprivate var hasTimes: Bool { derived.contains { $0.source == nil } }
}

extension ServerColumns.ToOne {
    /// Whether no other row has a value that depends on the relationship.
    fileprivate var isAlone: Bool { orderColumn == nil && partners == nil }
}
#endif
