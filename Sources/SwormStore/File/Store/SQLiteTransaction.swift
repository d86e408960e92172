import Foundation
import SwormPredicates
import SwormSQLite
import SwormRows

/// A write transaction with several writes and reads. It holds the connection for writing until it ends.
final class SQLiteTransaction: SQLiteSession, StoreTransaction {
    /// The outcome of a transaction, for the code that ends it.
    ///
    /// @unchecked: accessed only during uses of the lease, and after the last one.
    private final class Progress: @unchecked Sendable {
        var isCommitted = false
        /// Whether a failed commit may have reached the log, so that the next process that opens the file may find it.
        var isInDoubt = false
        var files = Files()
        /// Gathers the changes for the listeners of the file; nil if there were none when the transaction began.
        var gatherer: ChangeGatherer?
    }

    /// The origin of the connection, which determines how it is returned.
    enum Connecting: Sendable {
        /// From the pool. The value is whether a read transaction of this thread on a single connection was ended for
        /// it.
        case fromPool(wasPinned: Bool)
        /// From a view. The transaction writes to the view's snapshot.
        case fromView
    }

    private let progress = Progress()
    /// Whether the initial state was recorded by ``keepSnapshot()``.
    private var keepsSnapshot = false
    /// Whether a write is running. Values can be computed during a write, by closures that might write too.
    private var isWriting = false
    /// Whether data was written that must survive the failure of later writes.
    private var hasWritten = false
    /// Whether data was read. Later writes must then apply to the state that was read.
    private var hasRead = false
    private var files: Files {
        get { progress.files }
        set { progress.files = newValue }
    }
    /// The transactions that were added to the history.
    private var writtenHistory = WrittenHistory()
    private var marks: [Mark] = []
    private var gatherer: ChangeGatherer? { progress.gatherer }
    /// The number of marks that are savepoints. The other marks become savepoints before the next write: before it
    /// there is nothing to undo, and statements may be reading rows.
    private var savepoints = 0

    init(
        store: SQLiteStore, open: OpenStore, connection: StoreConnection, token: InterruptToken?,
        connecting: Connecting
    ) {
        if case .fromView = connecting { hasRead = true }
        progress.gatherer = ChangeGatherer(connection, for: store.hub.commits)
        super.init(store: store, open: open, connection: connection, token) { [progress] connection in
            Self.end(connection, progress: progress, connecting: connecting, store: store, open: open)
        }
    }

    private static func end(
        _ connection: StoreConnection, progress: Progress, connecting: Connecting, store: SQLiteStore,
        open: OpenStore
    ) {
        // The end of a transaction cannot be interrupted.
        connection.stopServing()
        defer { progress.gatherer = nil }
        if !progress.isCommitted {
            if connection.base.isInTransaction { try? connection.base.rollback() }
            connection.changes.removeAll()
            if !progress.isInDoubt { store.external.remove(progress.files.written) }
        }
        progress.gatherer?.stop()
        switch connecting {
        case .fromPool(let wasPinned): open.pool.giveBackWriter(connection, wasPinned: wasPinned)
        case .fromView:
            connection.forgetPreparations()
            open.pool.giveBackUpgraded(connection)
        }
    }

    override func beginReading() throws -> StoreConnection {
        hasRead = true
        return try super.beginReading()
    }

    // MARK: Writing

    func save(_ request: SaveRequest) throws -> SaveResult {
        try write(request, changing: { WrittenProperties(request, model: store.model) }) { transaction in
            try transaction.run()
            return transaction.result
        }
    }

    /// Runs statements that are not part of a save request. If they fail, their changes are undone, and the transaction
    /// stays open.
    ///
    /// - Parameters:
    ///   - author: The author of the changes, for the history.
    ///   - contextName: The name of the context that makes the changes, for the history.
    ///   - properties: The properties that the statements change.
    func batch<Output>(
        author: String?, contextName: String?, changing properties: () -> WrittenProperties,
        _ statements: (SaveTransaction) throws -> Output
    ) throws -> Output {
        var request = SaveRequest()
        request.author = author
        request.contextName = contextName
        return try write(request, changing: properties) { transaction in
            try transaction.run { try statements(transaction) }
        }
    }

    private func write<Output>(
        _ request: SaveRequest, changing properties: () -> WrittenProperties,
        _ body: (SaveTransaction) throws -> Output
    ) throws -> Output {
        try writing { connection in
            try setSavepoints(connection)
            let isAlone = !hasWritten && !hasRead && marks.isEmpty
            let transaction = SaveTransaction(
                request, connection: connection, model: store.model, open: open, external: store.external,
                isAlone: isAlone)
            let gathered = gatherer?.mark
            do {
                let output =
                    try isAlone
                    ? beginningAnew(connection) { try body(transaction) }
                    : connection.base.savepoint { try body(transaction) }
                hasWritten = true
                gatherer?.note(properties())
                writtenHistory.append(transaction.writtenHistory)
                store.external.remove(transaction.abandonedFiles)
                files.written += transaction.writtenFiles
                files.replaced.formUnion(transaction.replacedFiles)
                return output
            } catch {
                if let gathered { gatherer?.cut(to: gathered) }
                store.external.remove(transaction.writtenFiles)
                throw error
            }
        }
    }

    /// Runs the first write of the transaction. If it throws an error, the transaction is restarted. Nothing else was
    /// written, and the state was not read, so it may be a different one afterwards. A savepoint would preserve it, but
    /// makes SQLite copy every page before changing it.
    private func beginningAnew<Output>(_ connection: StoreConnection, _ work: () throws -> Output) throws -> Output {
        do {
            return try work()
        } catch {
            connection.changes.removeAll()
            // After some errors SQLite has already rolled the transaction back. It is not restarted then.
            if connection.base.isInTransaction {
                try? connection.base.rollback()
                try? connection.base.begin(.immediate)
            }
            throw error
        }
    }

    func lock(_ rows: FetchSpecification) throws { _ = try open.compiler.keys(rows) }

    func reserveKeys(root: Int, count: Int) throws -> Int64 {
        try writing { connection in
            try setSavepoints(connection)
            hasWritten = true
            return try SaveTransaction.reserve(
                count, root: root, model: store.model, table: open.columns[root - 1].table, connection: connection)
        }
    }

    private func writing<Output>(_ body: (StoreConnection) throws -> Output) throws -> Output {
        guard !isWriting else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "The store cannot be written while a sequence of values is being written. If computing the values writes too, collect them first."
            )
        }
        let connection = try lease.beginUse(isAlone: true)
        isWriting = true
        defer {
            isWriting = false
            lease.endUse()
        }
        // If the disk is full, SQLite rolls the transaction back. Later statements would run without a transaction.
        guard connection.base.isInTransaction else {
            throw CoreDataError(
                NSPersistentStoreSaveError,
                "An earlier error has rolled back the transaction, so it cannot write any more.")
        }
        try prepare(connection)
        return try store.translating("save", token: token) { try body(connection) }
    }

    // MARK: Ends

    func commit(after further: (() throws -> Void)?) throws {
        let metadata = store.newMetadata
        try writing { connection in
            if let metadata { try store.write(metadata, on: connection) }
            try open.pool.checkFile()
            // From here on the transaction can no longer be stopped.
            if let failure = token.failure { throw failure }
            try further?()
            store.noteHistory(writtenHistory.numbers)
            store.hub.commits.willCommit()
            do {
                if further == nil {
                    try connection.base.commit()
                } else {
                    try connection.base.uninterrupted { try connection.base.commit() }
                }
            } catch {
                progress.isInDoubt = CoreDataError.leavesCommitInDoubt(error)
                if progress.isInDoubt {
                    store.hub.commits.announce(.unknown)
                } else {
                    store.forgetHistory(writtenHistory.numbers)
                    store.hub.commits.didNotCommit()
                }
                throw error
            }
            progress.isCommitted = true
            // Before the use ends, so that the listeners are called in the order of the commits.
            store.hub.commits.announce(
                names: store.model.namesHash, entities: gatherer?.entities(in: open.changedTables, model: store.model),
                gatherer?.changes(in: open.changedTables, model: store.model))
        }
        let replaced = files.replaced
        end()
        store.wrote(metadata, replacing: replaced)
        store.warn(ofLong: writtenHistory)
    }

    func mark() -> Int {
        marks.append(Mark(files: files, history: writtenHistory, changes: gatherer?.mark))
        return marks.count - 1
    }

    private func setSavepoints(_ connection: StoreConnection) throws {
        while savepoints < marks.count {
            try connection.base.uninterrupted {
                try connection.base.execute("SAVEPOINT sworm_mark_\(savepoints)")
            }
            savepoints += 1
        }
    }

    func release(_ mark: Int) throws {
        guard marks.indices.contains(mark) else { return }
        marks.removeSubrange(mark...)
        guard mark < savepoints else { return }
        savepoints = mark
        try writing { connection in
            try connection.base.uninterrupted { try connection.base.execute("RELEASE sworm_mark_\(mark)") }
        }
    }

    func undo(to mark: Int) throws {
        guard marks.indices.contains(mark) else { return }
        let before = marks[mark]
        marks.removeSubrange(mark...)
        guard mark < savepoints else { return }
        savepoints = mark
        try writing { connection in
            try connection.base.uninterrupted {
                try connection.base.execute("ROLLBACK TO sworm_mark_\(mark)")
                try connection.base.execute("RELEASE sworm_mark_\(mark)")
            }
            connection.changes.removeAll()
        }
        if let changes = before.changes { gatherer?.cut(to: changes) }
        store.external.remove(Array(files.written.dropFirst(before.files.written.count)))
        files = before.files
        writtenHistory = before.history
    }

    func keepSnapshot() throws {
        try writing { try $0.base.execute("SAVEPOINT sworm_snapshot") }
        keepsSnapshot = true
    }

    func undoToSnapshot() throws -> Bool {
        guard keepsSnapshot else { return false }
        (marks, savepoints) = ([], 0)
        try writing { connection in
            try connection.base.uninterrupted { try connection.base.execute("ROLLBACK TO sworm_snapshot") }
            connection.changes.removeAll()
        }
        gatherer?.cut(to: ChangeGatherer.Mark())
        store.external.remove(files.written)
        files = Files()
        writtenHistory = WrittenHistory()
        return true
    }
}
