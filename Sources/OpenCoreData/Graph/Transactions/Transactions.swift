import SwormStore

/// The open transactions of a context and the sessions of its pinned generation, at most one of each per store.
///
/// A read uses the transaction of its store, so that the context sees its own writes. Without a transaction, it uses
/// the pinned session, and without that, a separate session. A transaction continues the pinned session, or ends it,
/// because the session would not see newer changes.
struct Transactions {
    private let interruption: Interruption
    /// Whether a write starts a transaction that stays open until it is committed. Otherwise, each write is committed
    /// immediately.
    var areKept = false
    /// Whether no transaction continues a pinned session.
    var onlyRead = false
    /// The number of recorded states to which the context may still be restored.
    private(set) var depth = 0
    private var open: [(origin: ObjectOrigin, transaction: any StoreTransaction)] = []
    /// The closures that announce saves after they are committed.
    private var announcements: [() -> Void] = []
    private var pinned = PinnedGeneration()

    /// - Parameter interruption: The interruption that stops the transactions and the sessions.
    init(_ interruption: Interruption) { self.interruption = interruption }

    /// Whether no transaction is open, no announcement waits for a commit, and no generation is pinned.
    var areOver: Bool { open.isEmpty && announcements.isEmpty && !pinned.isOn }

    // MARK: Transactions

    var isEmpty: Bool { open.isEmpty }
    var all: [any StoreTransaction] { open.map(\.transaction) }

    // There is rarely more than one.
    subscript(origin: ObjectOrigin) -> (any StoreTransaction)? { open.first { $0.origin === origin }?.transaction }

    mutating func add(_ transaction: any StoreTransaction, for origin: ObjectOrigin) {
        open.append((origin, transaction))
    }

    /// Removes a transaction, which an interruption then no longer stops. The caller ends it.
    mutating func remove(_ transaction: any StoreTransaction) {
        interruption.leave(transaction)
        open.removeAll { $0.transaction === transaction }
    }

    /// Withdraws all transactions from the interruption, because they are about to be committed. They stay open.
    func leaveInterruption() {
        for (_, transaction) in open { interruption.leave(transaction) }
    }

    /// Removes and returns all open transactions and their announcements.
    mutating func takeAll() -> (transactions: [any StoreTransaction], announcements: [() -> Void]) {
        defer { (open, announcements) = ([], []) }
        return (all, announcements)
    }

    /// Adds an announcement, which is made after the open transactions are committed.
    mutating func announce(_ announcement: @escaping () -> Void) { announcements.append(announcement) }

    // MARK: Recorded states

    /// Records the current state.
    mutating func mark() -> TransactionMarks {
        defer { depth += 1 }
        return TransactionMarks(
            marks: open.map { ($0.transaction, $0.transaction.mark()) }, depth: depth,
            announcements: announcements.count)
    }

    /// Returns to the number of recorded states before some marks, which are released or undone.
    mutating func leave(_ marks: TransactionMarks) { depth = marks.depth }

    /// Discards the announcements of saves that were undone.
    mutating func forgetAnnouncements(since marks: TransactionMarks) {
        announcements.removeSubrange(min(marks.announcements, announcements.count)...)
    }

    // MARK: Pinned generation

    /// Whether all reads see the state of the first one.
    var isPinned: Bool { pinned.isOn }

    /// Ends the pinned sessions. If reads are to be pinned, the next one starts new sessions.
    mutating func pin(_ isOn: Bool) {
        endPinned()
        pinned.isOn = isOn
    }

    /// Returns the pinned session of a store.
    func pinnedSession(of store: any ObjectStore) -> (any StoreSession)? { pinned.session(of: store) }

    /// Pins a session that the first read of a store has started.
    ///
    /// - Throws: An error if the context was interrupted. The session was pinned nevertheless.
    mutating func pin(_ session: any StoreSession, of store: any ObjectStore) throws {
        pinned.hold(session, of: store)
        try interruption.enter(session)
    }

    /// Returns the token of the state that the pinned sessions see, which other contexts can then be pinned to.
    mutating func shareGeneration() -> NSQueryGenerationToken {
        pinned.share { [interruption] old, new in
            interruption.leave(old)
            // An interruption is thrown by the next read.
            try? interruption.enter(new)
        }
    }

    /// Pins the sessions of a token that another context shares.
    ///
    /// - Throws: An error if the context was interrupted.
    mutating func pin(
        to token: NSQueryGenerationToken, _ views: [(view: SharedView, store: any ObjectStore)]
    ) throws {
        pin(true)
        for (view, store) in views { try pin(SharedSession(view), of: store) }
        pinned.note(token)
    }

    /// Gives up a pinned session that has become a transaction.
    mutating func unpin(_ session: any StoreSession) {
        interruption.leave(session)
        pinned.forget(session)
    }

    /// Ends the pinned sessions. The next read starts new ones.
    mutating func endPinned() { pinned.end { [interruption] in interruption.leave($0) } }

    /// Lets the next read start new sessions. The content of rows that the current sessions see can be read until
    /// ``endParked()``.
    mutating func parkPinned() { pinned.park { [interruption] in interruption.leave($0) } }

    /// Parks the pinned sessions, except that of a store whose save may continue it.
    ///
    /// - Returns: The session of the store, which the caller ends; nil if it has no session, or one that only reads.
    mutating func parkPinned(for store: (any ObjectStore)?) -> (any StoreSession)? {
        defer { parkPinned() }
        guard let store, !store.viewsKeepFiles, !onlyRead, let session = pinnedSession(of: store) else { return nil }
        unpin(session)
        return session
    }

    mutating func endParked() { pinned.endParked() }
}

/// A state of a context's transactions, to which they can be restored.
package struct TransactionMarks {
    var marks: [(transaction: any StoreTransaction, mark: Int)] = []
    /// The number of states that were recorded before this one.
    fileprivate var depth = 0
    /// The number of announcements that were waiting for a commit.
    fileprivate var announcements = 0
}
