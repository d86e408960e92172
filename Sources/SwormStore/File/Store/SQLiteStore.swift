import Foundation
import SwormSQLite
package import SwormRows
import SwormPredicates

/// A store in a SQLite file with Core Data's layout, or in memory with the same tables.
///
/// A store can be used from any thread. Reads use sessions, each with its own connection, and do not wait for saves. A
/// store in memory has one connection, so sessions and saves of different threads take turns.
package final class SQLiteStore: ObjectStore {
    /// The URL of the file, or nil for a store in memory.
    let url: URL?
    package let model: CompiledModel
    package let identifier: String
    package let options: StoreOptions
    package var isReadOnly: Bool { options.isReadOnly }
    package var readOnlyReason: String? {
        guard isReadOnly else { return nil }
        let place = files?.main ?? "in memory"
        guard let table = options.mirroringTable else {
            return
                "the store '\(place)' was opened read-only. Open it for writing, or discard the changes"
        }
        return
            "the store '\(place)' is mirrored to CloudKit (it has the table \(table)), so it was opened read-only. To write to it anyway, open it with the option \(SwormWritesMirroredStoresOption): its history then contains the changes, which mirroring needs"
    }
    let external: ExternalDataFolder
    /// The hub of the store's file. A store in memory has its own hub.
    package let hub: FileHub
    /// Whether reads require the turn too, because the store has a single connection.
    package let takesTurns: Bool
    /// The listeners for warnings that users of the store should see and that no call throws.
    let warnings: StoreWarnings
    package let viewsKeepFiles: Bool
    let files: StoreFiles?
    /// The external data files that no row refers to since commits of this store.
    let pendingRemovals = PendingRemovals()
    /// The listeners that this store has, for the commits of other processes.
    let foreignListeners = CommitListeners()
    let foreignCommits = Locked(ForeignCommitsWatch())
    private let state: Locked<State>

    private struct State: Sendable {
        var open: OpenStore?
        var metadata: StoreMetadata
        var newMetadata: StoreMetadata?
        var lastSession = 0
        var sessions: [Int] = []
        /// The use of a store in memory that other coordinators use, too; nil for all other stores.
        var use: SharedMemory.Use?
        var watches: StatementWatches
    }

    init(
        url: URL?, files: StoreFiles?, model: CompiledModel, options: StoreOptions, metadata: StoreMetadata,
        open: OpenStore, use: SharedMemory.Use? = nil
    ) {
        self.url = url
        self.files = files
        self.model = model
        self.options = options
        identifier = metadata.identifier
        hub = open.pool.hub
        warnings = open.pool.warnings
        takesTurns = open.pool.kind == .single
        viewsKeepFiles =
            open.pool.kind == .writerAndReaders && files != nil
            && model.entities.contains { $0.traits.contains(where: \.allowsExternalStorage) }
        external = ExternalDataFolder(path: files?.externalData, lent: options.lentFiles, disk: options.disk)
        state = Locked(
            State(
                open: open, metadata: metadata, lastSession: use?.sessions.lowerBound ?? 0, use: use,
                watches: StatementWatches(options.watch)))
        if viewsKeepFiles { open.pool.logRestarted = { [weak self] in self?.removeUnusedExternalData() } }
    }

    // A session that is being deallocated at the same time may still have its connection, and closes it.
    deinit { try? close(until: .now) }

    // MARK: Metadata

    package var metadata: [String: Any] { state.withLock { ($0.newMetadata ?? $0.metadata) }.dictionary }

    /// - Throws: ``CoreDataError`` if a value cannot be represented in a property list.
    package func setMetadata(_ metadata: [String: Any]) throws {
        let current = state.withLock { $0.newMetadata ?? $0.metadata }
        let new = try current.replacingApplicationKeys(with: metadata)
        state.withLock { $0.newMetadata = new }
    }

    // MARK: Reading

    package func beginSession(_ token: InterruptToken?) throws -> any StoreSession {
        let (open, watch) = try currentFiles()
        let connection = try translating("read", token: token) { try open.pool.takeReader(watch: watch, token: token) }
        return SQLiteSession(store: self, open: open, connection: connection, token)
    }

    func nextSession() -> Int {
        state.withLock { state in
            state.lastSession += 1
            state.sessions.append(state.lastSession)
            return state.lastSession
        }
    }

    /// Returns the observer of the statements of the store's connections, or nil without observers.
    ///
    /// - Throws: An error if the store is closed.
    func currentWatch() throws -> StatementWatch? {
        let (isOpen, watch) = state.withLock { ($0.open != nil, $0.watches.combined) }
        guard isOpen else { throw CoreDataError.storeIsClosed }
        return watch
    }

    /// Removes a session that has ended, and the files that only its view could still need.
    func sessionEnded(_ number: Int) {
        state.withLock { state in
            // The numbers are few, and in ascending order.
            if let index = state.sessions.firstIndex(of: number) { state.sessions.remove(at: index) }
        }
        removeUnusedExternalDataSometimes()
    }

    /// The number of the oldest open view, or a large number if no view is open.
    var oldestView: Int { state.withLock { $0.sessions.first ?? .max } }

    /// The open files, or nil if the store is closed.
    var openFiles: OpenStore? { state.withLock { $0.open } }

    /// Returns the open files. The files of a read-only store are reopened if another process has changed them.
    func currentFiles() throws -> (OpenStore, StatementWatch?) {
        let (open, watch) = state.withLock { ($0.open, $0.watches.combined) }
        guard let open else { throw CoreDataError.storeIsClosed }
        guard let place = open.place, !place.isCurrent else { return (open, watch) }
        if let reason = open.pool.reason { throw reason }
        let (metadata, fresh) = try Self.openForReading(place.files, model: model, options: options)
        let (replaced, isClosed) = state.withLock { state -> (OpenStore?, Bool) in
            guard let old = state.open, old.pool.reason == nil else { return (fresh, true) }
            let replaced = state.open
            state.open = fresh
            state.metadata = metadata
            return (replaced, false)
        }
        replaced?.pool.retire()
        if isClosed { throw open.pool.reason ?? CoreDataError.storeIsClosed }
        return (fresh, watch)
    }

    // MARK: Watching

    package func add(_ watch: StatementWatch) -> Int { state.withLock { $0.watches.add(watch) } }

    package func removeWatch(_ number: Int) { state.withLock { $0.watches.remove(number) } }

    // MARK: Writing

    package func reserveKeys(root: Int, count: Int, _ token: InterruptToken?) throws -> Int64 {
        guard model.entities.indices.contains(root - 1), model[root].root == root, count > 0 else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "Keys can only be reserved for a root entity, and the number of keys must be positive.")
        }
        let (open, watch) = try writableFiles()
        return try translating("reserve keys in", token: token) {
            try open.pool.withWriter(watch: watch, token: token) { connection in
                try connection.base.transaction(.immediate) {
                    try SaveTransaction.reserve(
                        count, root: root, model: model, table: open.columns[root - 1].table, connection: connection)
                }
            }
        }
    }

    @discardableResult
    package func save(_ request: SaveRequest, token: InterruptToken?) throws -> SaveResult {
        let (open, watch) = try writableFiles()
        let newMetadata = newMetadata
        guard !request.isEmpty || newMetadata != nil else { return SaveResult() }
        let (result, replaced, history) = try translating("save", token: token) {
            try open.pool.withWriter(watch: watch, token: token) { connection in
                let transaction = SaveTransaction(
                    request, connection: connection, model: model, open: open, external: external, isAlone: true)
                let gatherer = ChangeGatherer(connection, for: hub.commits)
                defer { gatherer?.stop() }
                var isWritten = false
                var historyNumbers: [Int64] { transaction.writtenHistory.numbers }
                do {
                    try open.prepareWriting(connection)
                    try connection.base.transaction(.immediate) {
                        try transaction.run()
                        if let newMetadata { try write(newMetadata, on: connection) }
                        try open.pool.checkFile()
                        if let failure = token?.failure { throw failure }
                        noteHistory(historyNumbers)
                        hub.commits.willCommit()
                        isWritten = true
                    }
                } catch {
                    if !isWritten || !CoreDataError.leavesCommitInDoubt(error) {
                        external.remove(transaction.writtenFiles)
                        if isWritten { forgetHistory(historyNumbers) }
                        hub.commits.didNotCommit()
                    } else {
                        hub.commits.announce(.unknown)
                    }
                    throw error
                }
                gatherer?.note(WrittenProperties(request, model: model))
                hub.commits.announce(
                    names: model.namesHash, entities: gatherer?.entities(in: open.changedTables, model: model),
                    gatherer?.changes(in: open.changedTables, model: model))
                external.remove(transaction.abandonedFiles)
                return (transaction.result, transaction.replacedFiles, transaction.writtenHistory)
            }
        }
        wrote(newMetadata, replacing: replaced)
        warn(ofLong: history)
        return result
    }

    package var hasNewMetadata: Bool { newMetadata != nil }

    /// The metadata to write with the next save, or nil if they are unchanged.
    var newMetadata: StoreMetadata? { state.withLock { $0.newMetadata } }

    /// The metadata that were read or written last.
    var writtenMetadata: StoreMetadata { state.withLock { $0.metadata } }

    /// Records the changes of a committed transaction, and the external files that no new view needs.
    ///
    /// - Parameters:
    ///   - newMetadata: The metadata that were written, or nil.
    ///   - replaced: The external files that are no longer referenced by any row.
    func wrote(_ newMetadata: StoreMetadata?, replacing replaced: Set<UUID>) {
        let lastView = state.withLock { state in
            if let newMetadata {
                state.metadata = newMetadata
                if state.newMetadata == newMetadata { state.newMetadata = nil }
            }
            return state.sessions.isEmpty ? 0 : state.lastSession
        }
        self.replaced(replaced, seenUntil: lastView)
    }

    /// Returns the open files and the observer of the statements of their connections.
    func writableFiles() throws -> (OpenStore, StatementWatch?) {
        if let readOnlyReason {
            throw CoreDataError(
                CocoaError.Code.fileWriteNoPermission.rawValue, "Cannot write: \(readOnlyReason).",
                condition: .readOnly)
        }
        let (open, watch) = state.withLock { ($0.open, $0.watches.combined) }
        guard let open else { throw CoreDataError.storeIsClosed }
        return (open, watch)
    }

    /// Closes the files like ``close(until:)``, unless that takes longer than the store's timeout.
    package func close() { try? close(until: .now + .seconds(options.busyTimeout)) }

    /// Closes the files after the running writes and reads have ended. Open views throw errors from then on.
    ///
    /// - Parameter end: The time at which to give up, or nil to wait without a limit.
    /// - Throws: ``CoreDataError`` with the condition `timedOut`, or `wouldDeadlock` if the calling thread would wait
    ///   for itself. No new work can start in either case.
    package func close(until end: ContinuousClock.Instant?) throws {
        removeUnusedExternalData()
        stopWatching()
        // A store in memory that other coordinators use stays open for them.
        if let use = state.withLock({ $0.use.take() }), let open = openFiles, !SharedMemory.leave(use) {
            open.pool.leases.end(use.sessions, .storeIsClosed)
            return state.withLock { $0.open = nil }
        }
        // Another thread may be reopening a read-only store at this moment.
        while let open = openFiles {
            try open.pool.close(until: end)
            state.withLock { if $0.open === open { $0.open = nil } }
        }
    }

    /// Returns the reason for which work was stopped if the error results from that, or the error itself.
    func explained(_ error: any Error, token: InterruptToken?) -> any Error {
        let explained = token?.explaining(error) ?? error
        guard (explained as? SQLiteError)?.isInterrupt ?? false, let pool = openFiles?.pool else { return explained }
        // The pool may have been resumed since.
        return pool.reason ?? pool.lastReason ?? explained
    }

    /// Runs a closure and translates SQLite's errors. If a token stopped the work, the error contains its reason.
    func translating<Result>(
        _ action: String, token: InterruptToken? = nil, _ body: () throws -> Result
    ) throws -> Result {
        try CoreDataError.translating(while: action, path: files?.main) {
            do {
                return try body()
            } catch {
                throw explained(error, token: token)
            }
        }
    }
}
