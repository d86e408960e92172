import SwormPredicates
import SwormSQLite

/// The watch for commits of other processes, which a store has while it has listeners.
struct ForeignCommitsWatch: Sendable {
    /// Commits that must be announced.
    struct Found: Sendable {
        /// The number of the commits, or nil if it is unknown.
        var count: Int?
        /// The number of the last transaction that was announced; nil if the store keeps no history.
        var lastTransaction: Int64?
    }

    /// The number of announcements without a history after which one is suggested.
    private static let suggestionLimit = 10

    var listeners = 0
    var watch: FileWatch?
    /// The last state of the file, or nil if it could not be determined.
    var state: ForeignState?
    /// The number of the last transaction in the history whose changes were announced or need not be; nil if the store
    /// keeps no history.
    var lastTransaction: Int64?
    /// The number of announced transactions whose commits are not part of the state, because they were read after it was
    /// determined.
    var surplus = 0
    /// Whether commits that are part of the state are still being announced.
    var isAnnouncing = false
    private var announcementsWithoutHistory = 0

    /// Notes the current state.
    ///
    /// - Returns: The commits since the last state that were not announced, or nil without such commits.
    mutating func found(_ new: ForeignState) -> Found? {
        guard watch != nil, new != state else { return nil }
        let commits = state.flatMap { new.commits(since: $0) }
        state = new
        guard let commits else {
            (surplus, isAnnouncing) = (0, true)
            return Found(lastTransaction: lastTransaction)
        }
        // A commit without a transaction in the history is not missed: the surplus is then used up by other commits, and
        // this one is noticed with the next commit that is counted, at the latest that of the surplus.
        let unannounced = commits - surplus
        surplus = max(0, -unannounced)
        isAnnouncing = unannounced > 0
        return unannounced > 0 ? Found(count: unannounced, lastTransaction: lastTransaction) : nil
    }

    /// Whether a history should be suggested now.
    var suggestsHistory: Bool {
        mutating get {
            guard lastTransaction == nil else { return false }
            announcementsWithoutHistory += 1
            return announcementsWithoutHistory == Self.suggestionLimit
        }
    }
}

// Listeners, and the commits of other processes.
extension SQLiteStore {
    package func listen(
        concerning question: CommitListeners.Question?, _ listener: @escaping CommitListeners.Listener
    ) -> @Sendable () -> Void {
        let own = hub.commits.add(names: model.namesHash, concerning: question, listener)
        let foreign = foreignListeners.add(listener)
        foreignCommits.withLock { content in
            content.listeners += 1
            guard content.listeners == 1, let files else { return }
            // The state comes first. A commit in between is then announced, even if its changes are seen at once.
            content.state = try? foreignState()
            content.lastTransaction = try? lastTransaction()
            content.surplus = 0
            let watch = FileWatch(files, ownCommits: { [hub] in hub.commits.number }) { [weak self] in
                self?.look() ?? true
            }
            content.watch = watch
            watch.start()
        }
        return { [weak self] in
            guard let self else { return }
            hub.commits.remove(own)
            foreignListeners.remove(foreign)
            foreignCommits.withLock { content in
                content.listeners -= 1
                guard content.listeners == 0 else { return }
                content.watch?.stop()
                content.watch = nil
            }
            if foreignCommits.withLock({ $0.watch == nil }) { openFiles?.pool.closeForeignSource() }
        }
    }

    package var isCommitting: Bool { hub.commits.isCommitting }

    package var hasForeignCommits: Bool {
        // Other stores than those with a log are looked at with a connection, which may be in use.
        guard !takesTurns, case .log? = foreignCommits.withLock({ $0.watch == nil ? nil : $0.state }) else {
            return false
        }
        let state = try? foreignState()
        return foreignCommits.withLock { $0.isAnnouncing || $0.state != state }
    }

    package func noticeCommits() -> Bool { foreignCommits.withLock { $0.watch }?.lookNow() ?? true }

    /// Ends the watch, because the store is being closed.
    func stopWatching() {
        foreignCommits.withLock { content in
            content.watch?.stop()
            content.watch = nil
        }
    }

    private func foreignState() throws -> ForeignState? { try currentFiles().0.pool.foreignState() }

    private func lastTransaction() throws -> Int64? {
        let session = try beginSession(nil)
        defer { session.end() }
        return try session.historyExtent()?.highest
    }

    /// Announces the commits of other processes since the last call. Called on the queue of the watch.
    ///
    /// - Returns: False if it is unknown whether there was such a commit.
    private func look() -> Bool {
        let state: ForeignState?
        do {
            state = try foreignState()
        } catch {
            // The store is closed or suspended, or its file was removed. Readers receive the error.
            return true
        }
        guard let state else { return false }
        guard let before = foreignCommits.withLock({ $0.found(state) }) else {
            // The last listener may have ended while the connection for this look was opened.
            if foreignCommits.withLock({ $0.watch == nil }) { openFiles?.pool.closeForeignSource() }
            return true
        }
        announce(before)
        foreignCommits.withLock { $0.isAnnouncing = false }
        return true
    }

    private func announce(_ commits: ForeignCommitsWatch.Found) {
        var changes = CommittedChanges.unknown
        changes.isForeign = true
        // The history may not have been readable, or not been kept, before.
        var (newest, surplus) = (commits.lastTransaction ?? (try? lastTransaction()), 0)
        if let last = commits.lastTransaction, let all = try? transactions(after: last) {
            newest = all.last?.number ?? last
            let foreign = all.filter { !isOwn($0.number) }
            // A commit without a transaction in the history may have changed anything.
            if let expected = commits.count, foreign.count >= expected, let first = foreign.first {
                surplus = foreign.count - expected
                changes = CommittedChanges(first, model: model)
                for transaction in foreign.dropFirst() {
                    changes.merge(CommittedChanges(transaction, model: model))
                }
            }
        }
        let suggestsHistory = foreignCommits.withLock { content in
            (content.lastTransaction, content.surplus) = (newest, surplus)
            return content.suggestsHistory
        }
        if suggestsHistory { warnings.report(.suggestingHistory(files?.main ?? "")) }
        foreignListeners.announce(changes)
    }

    private func transactions(after number: Int64) throws -> [StoredTransaction] {
        let session = try beginSession(nil)
        defer { session.end() }
        // A trigger's changes are not in the history.
        if try session.hasForeignTriggers() { return [] }
        return try session.history(after: .transaction(number), includingChanges: true, limit: nil) ?? []
    }

    // MARK: Own transactions

    package func origin(ofTransaction number: Int64) -> TransactionOrigin {
        guard let store = hub.ownTransactions.withLock({ $0.store(of: number) }) else { return .elsewhere }
        return store == ObjectIdentifier(self) ? .thisStore : .thisProcess
    }

    private func isOwn(_ number: Int64) -> Bool { hub.ownTransactions.withLock { $0.store(of: number) } != nil }

    /// Notes the transactions of a commit in the history. Called under the write lock, before the commit.
    func noteHistory(_ numbers: [Int64]) {
        if numbers.isEmpty { return }
        hub.ownTransactions.withLock { for number in numbers { $0.add(number, of: ObjectIdentifier(self)) } }
    }

    /// Forgets the transactions of a commit that has failed.
    func forgetHistory(_ numbers: [Int64]) {
        guard let first = numbers.first else { return }
        hub.ownTransactions.withLock { $0.remove(from: first) }
    }
}

extension CoreDataError {
    fileprivate static func suggestingHistory(_ path: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError,
            "Another process writes the store '\(path)', which keeps no history. After each of its commits, all live results are read again. Open the store with a history to read only those that the commit has changed."
        )
    }
}
