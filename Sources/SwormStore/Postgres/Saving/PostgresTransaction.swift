#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// A write transaction with several writes and reads. It keeps its connection until it ends.
final class PostgresTransaction: PostgresSession, StoreTransaction {
    /// A moment to which the transaction can be rolled back.
    private struct Mark {
        /// Nil before a write follows the mark: there is nothing to undo until then.
        var savepoint: Savepoint?
        var changes: ServerChanges.Mark?
        var hasTurn: Bool
        /// The number of writes before.
        var histories = 0
    }

    let mode: Mode
    /// Whether the transaction holds the lock of writers.
    private var hasTurn: Bool
    /// Whether a write is running. Values can be computed during a write, by closures that might write too.
    private var isWriting = false
    private var hasWritten = false
    /// Whether the server checks links at the end of the transaction.
    private var hasChangedLinks = false
    private var marks: [Mark] = []
    /// The initial state, if it was recorded.
    private var snapshot: Savepoint?
    /// Gathers the changes for the listeners of the store; nil if there were none when the transaction began.
    private let changes: ServerChanges?
    /// The changes of each write, for the history of the store; empty if it keeps none.
    private var histories: [ServerHistoryNotes] = []
    /// The statements that write the history along with the commit.
    private var pendingHistory: [ServerWrite.Step] = []
    private let clock = TransactionClock()

    /// Creates a transaction on a connection on which one has begun.
    init(
        store: PostgresStore, lease: ServerLease, token: InterruptToken, mode: Mode, historyLevel: ServerHistory.Level
    ) {
        self.mode = mode
        hasTurn = mode.beginsWithTurn
        changes = ServerChanges(for: store.commits)
        super.init(store: store, lease: lease, token: token, historyLevel: historyLevel)
    }

    override var writeTimeout: Duration? {
        mode == .exclusive ? store.serverOptions.address.timeouts.shorterForWrites : nil
    }

    // MARK: Writing

    func save(_ request: SaveRequest) throws -> SaveResult { try save(request, isThorough: false) }

    /// Writes a request.
    ///
    /// - Parameter isThorough: Whether all rows are compared with the request before anything is written, because a write
    ///   that relied on the versions of the rows has failed.
    func save(_ request: SaveRequest, isThorough: Bool) throws -> SaveResult {
        if !request.changesOnlyAttributes { hasChangedLinks = true }
        return try writing { connection in
            func attempt(isThorough: Bool) throws -> SaveResult {
                let author = HistoryAuthor(author: request.author, contextName: request.contextName)
                var result = try self.attempt(
                    connection, by: author, changing: { WrittenProperties(request, model: store.model) }
                ) { write in try ServerSave(request, in: write, isThorough: isThorough).run() }
                result.historyNumber = historyNumber
                return result
            }
            do {
                return try attempt(isThorough: isThorough)
            } catch  where !mode.isOneSave && !isThorough && Self.callsForComparison(error) {
                store.dropKeys(after: error)
                do {
                    return try attempt(isThorough: true)
                } catch let error as ServerError where error.kind == .uniqueViolation {
                    throw CoreDataError(
                        NSManagedObjectMergeError,
                        "Another transaction has saved the same unique values after this transaction had read its rows, so it cannot write them. Start it again, or use a transaction that holds the write lock from its beginning.",
                        cause: error, condition: .conflict)
                }
            }
        }
    }

    /// Runs statements that write. If the body throws, its changes are undone, and the transaction stays open.
    ///
    /// - Parameters:
    ///   - author: The author of the changes, for the history.
    ///   - properties: The properties that the statements change.
    func write<Output>(
        by author: HistoryAuthor, changing properties: () -> WrittenProperties,
        _ body: (ServerWrite) throws -> Output
    ) throws -> Output {
        hasChangedLinks = true
        return try writing { try attempt($0, by: author, changing: properties, body) }
    }

    private func attempt<Output>(
        _ connection: PostgresConnection, by author: HistoryAuthor, changing properties: () -> WrittenProperties,
        _ body: (ServerWrite) throws -> Output
    ) throws -> Output {
        let history = historyLevel == .none ? nil : ServerHistoryNotes(author)
        let write = ServerWrite(
            store, connection: connection, changes: changes, mode: mode, history: history,
            ordinal: histories.count + 1, clock: clock)
        let before = changes?.mark
        do {
            // The transaction of one save is rolled back as a whole.
            if mode == .continued { connection.lock(store.immediateWriterLock) }
            let output =
                mode.isOneSave
                ? try body(write)
                : try connection.savepoint {
                    try takeTurn(connection)
                    let output = try body(write)
                    try write.run(write.historySteps())
                    // Without a statement, the lock was not sent either.
                    if !connection.hasUnsentStatements { hasTurn = true }
                    return output
                }
            if mode.isOneSave { pendingHistory = try write.historySteps() }
            if let history { histories.append(history) }
            hasWritten = true
            changes?.note(properties())
            return output
        } catch {
            if let before { changes?.cut(to: before) }
            throw error
        }
    }

    /// Takes the lock of writers with the next statement. It is lost with the savepoint, if the write fails.
    private func takeTurn(_ connection: PostgresConnection) throws {
        if !hasTurn { connection.lock(store.writerLock(isExclusive: false), within: store.longestWait(token)) }
    }

    /// The number of the last write in the history, once it is written, if it is a position behind which no transaction can be
    /// missed.
    var historyNumber: Int64? {
        guard let written = histories.last?.written, written.isBehindHorizon else { return nil }
        return written.number
    }

    func reserveKeys(root: Int, count: Int) throws -> Int64 {
        try store.checkReservation(root: root, count: count)
        return try writing { try store.adjacentKeys(count, root: root, on: $0) }
    }

    /// Calls a closure with the connection for a write.
    private func writing<Output>(_ body: (PostgresConnection) throws -> Output) throws -> Output {
        guard !isWriting else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "The store cannot be written while a sequence of values is being written. If computing the values writes too, collect them first."
            )
        }
        return try using { connection in
            try Self.checkUse(of: connection)
            guard connection.isInTransaction else {
                throw CoreDataError(
                    NSPersistentStoreSaveError, "The transaction has ended, so it cannot write any more.")
            }
            isWriting = true
            defer { isWriting = false }
            try openSavepoints(connection)
            return try body(connection)
        }
    }

    private func using<Output>(_ body: (PostgresConnection) throws -> Output) throws -> Output {
        let connection = try lease.beginUse()
        defer { lease.endUse() }
        // A store that is being closed waits for the transaction.
        do { connection.watch = try store.currentWatch() } catch {}
        return try store.translating("save", token: token, writeTimeout: writeTimeout) { try body(connection) }
    }

    // MARK: Marks

    func mark() -> Int {
        marks.append(Mark(changes: changes?.mark, hasTurn: hasTurn, histories: histories.count))
        return marks.count - 1
    }

    private func openSavepoints(_ connection: PostgresConnection) throws {
        for index in marks.indices where marks[index].savepoint == nil {
            marks[index].savepoint = try connection.openSavepoint()
        }
    }

    func release(_ mark: Int) throws {
        guard marks.indices.contains(mark) else { return }
        let savepoint = marks[mark].savepoint
        marks.removeSubrange(mark...)
        if let savepoint { try using { $0.release(savepoint) } }
    }

    func undo(to mark: Int) throws {
        guard marks.indices.contains(mark) else { return }
        let before = marks[mark]
        marks.removeSubrange(mark...)
        guard let savepoint = before.savepoint else { return }
        try using { $0.rollBack(to: savepoint) }
        forgetWork(since: before)
    }

    private func forgetWork(since mark: Mark) {
        if let before = mark.changes { changes?.cut(to: before) }
        hasTurn = mark.hasTurn
        histories.removeSubrange(min(mark.histories, histories.count)...)
    }

    func keepSnapshot() throws { snapshot = try using { try $0.openSavepoint() } }

    func undoToSnapshot() throws -> Bool {
        guard let savepoint = snapshot else { return false }
        marks = []
        try using { connection in
            connection.rollBack(to: savepoint)
            snapshot = try connection.openSavepoint()
        }
        forgetWork(since: Mark(changes: ServerChanges.Mark(), hasTurn: mode.beginsWithTurn))
        return true
    }

    // MARK: Commit

    func commit(after further: (() throws -> Void)?) throws {
        var metadata = store.newMetadata
        let marker = UUID()
        var doubt: ServerError?
        try using { connection in
            try Self.checkUse(of: connection)
            metadata = try metadata.map { try store.write($0, on: connection) }
            // From here on the transaction can no longer be stopped.
            if let failure = token.failure { throw failure }
            guard hasWritten || metadata != nil else {
                try further?()
                return try endReading(connection)
            }
            let last =
                pendingHistory.map(\.statement)
                + store.lastStatements(
                    marker, keeping: historyLevel, checkingConstraints: hasChangedLinks || further != nil)
            if let further {
                noteHistory(try connection.uninterrupted { try connection.run(last) })
                try further()
            }
            store.commits.willCommit()
            do {
                let results = try connection.commit(after: further == nil ? last : [])
                if further == nil { noteHistory(results) }
            } catch let error as ServerError where error.kind == .outcomeUnknown {
                doubt = error
                return
            } catch {
                store.commits.didNotCommit()
                throw further == nil ? error : ServerError.partlySaved(error)
            }
            announce()
            store.purgeOutcomes(on: connection)
        }
        end()
        if let doubt { try settle(doubt, by: marker, isAlone: further == nil) }
        if let metadata { store.wrote(metadata) }
    }

    /// Takes the results of the statements that have written the history.
    private func noteHistory(_ results: [PostgresResult]) {
        for (step, result) in zip(pendingHistory, results) { try? step.take(result) }
    }

    private func announce() {
        store.didCommit(histories.compactMap(\.written))
        store.commits.announce(
            names: store.model.namesHash, entities: changes?.entities(store.model), changes?.changes(store.model))
    }

    /// Finds out whether a commit took effect whose answer was lost, and announces it.
    ///
    /// - Parameter isAlone: Whether no other store was committed before.
    private func settle(_ doubt: ServerError, by marker: UUID, isAlone: Bool) throws {
        let isCommitted: Bool
        do { isCommitted = try store.isCommitted(marker) } catch {
            store.commits.announce(.unknown)
            throw store.translated(error, while: "save", token: nil)
        }
        guard isCommitted else {
            store.commits.didNotCommit()
            let loss = ServerError.undone(doubt)
            throw store.translated(isAlone ? loss : ServerError.partlySaved(loss), while: "save", token: nil)
        }
        announce()
    }
}
#endif
