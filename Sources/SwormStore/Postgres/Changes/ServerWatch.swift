#if PostgreSQL
import Dispatch
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// A watch for the commits of other processes to the tables of a store, which the store has while it has listeners.
///
/// It looks after each notification and once a second, on a connection of its own: those of the pool may all be in use, also
/// by the calls that wait for the look. Behind a pooler there are no notifications.
///
/// @unchecked: everything that changes is accessed only while the lock is held, or is safe for all threads.
final class ServerWatch: @unchecked Sendable {
    private static let idlePause = 1.0
    /// The pauses between looks while transactions have to get behind the horizon.
    private static let pauses = 0.005...0.25
    /// The longest pause after failures.
    private static let longestPause = 30.0

    private weak var store: PostgresStore?
    private let history: ServerHistory
    private let address: PostgresAddress
    private let announce: @Sendable (CommittedChanges) -> Void
    private let announceProgress: @Sendable () -> Void
    private let queue = DispatchQueue(label: "Sworm server watch", qos: .userInitiated)
    private let timer: any DispatchSourceTimer
    private let token = InterruptToken()
    private let pending = Locked(Pending())
    /// Left when the connections are closed.
    private let closing = DispatchGroup()

    /// The work that other threads give to the watch.
    private struct Pending: Sendable {
        var hasLook = false
        /// Transactions of this process that may not be behind the horizon yet.
        var transactions: Set<Int64> = []
        var isStopped = false
    }

    private let lock = NSLock()
    private var listener: PostgresListener?
    private var connection: PostgresConnection?
    /// The state of the last look; nil if it is unknown which commits were announced.
    private var snapshot: String?
    /// The transactions that readers of the history do not find yet.
    private var waiting: Set<Int64> = []
    private var pause = ServerWatch.pauses.lowerBound
    private var failures = 0
    /// The time before which no look is tried after a failure.
    private var retry: ContinuousClock.Instant?

    /// - Parameters:
    ///   - announce: Called with the changes of other processes.
    ///   - announceProgress: Called when transactions that were announced before have got behind the horizon.
    init(
        _ store: PostgresStore, announce: @escaping @Sendable (CommittedChanges) -> Void,
        announceProgress: @escaping @Sendable () -> Void
    ) {
        self.store = store
        history = store.history
        address = store.serverOptions.address
        self.announce = announce
        self.announceProgress = announceProgress
        timer = DispatchSource.makeTimerSource(queue: queue)
    }

    deinit {
        token.interrupt(.cancelled)
        timer.cancel()
    }

    /// Determines the present state, and starts the watch, which lasts until ``stop()`` is called.
    func start() {
        // Without this state, everything counts as unknown at the next look.
        _ = lookNow()
        timer.setEventHandler { [weak self] in self?.timePassed() }
        timer.schedule(deadline: .now() + Self.idlePause, leeway: .milliseconds(50))
        timer.activate()
        guard address.pooler == .none, let store else { return }
        let listener = try? PostgresListener(to: CommitBell.channel(of: store.identifier), at: address) {
            [weak self] event in
            switch event {
            case .listening, .notified, .quiet: self?.lookSoon()
            case .interrupted: break
            }
        }
        lock.withLock { if !pending.withLock({ $0.isStopped }) { self.listener = listener } }
    }

    /// Ends the watch. A look that is running is stopped.
    func stop() {
        pending.withLock { $0.isStopped = true }
        token.interrupt(.cancelled)
        timer.cancel()
        queue.async(group: closing) { [self] in
            let (listener, connection) = lock.withLock {
                defer { (self.listener, self.connection) = (nil, nil) }
                return (self.listener, self.connection)
            }
            listener?.stop()
            withExtendedLifetime(connection) {}
        }
    }

    /// Waits until a watch that was stopped has closed its connections, or until a time.
    func waitForEnd(until end: ContinuousClock.Instant) {
        _ = closing.wait(timeout: .now() + max(0, (end - .now) / .seconds(1)))
    }

    // MARK: Looks

    /// The server's process for the connection of the looks; nil without a connection.
    var serverProcess: Int? { lock.withLock { connection?.processID } }

    /// Notes transactions of this process that readers of the history may find only later.
    func expect(_ numbers: [Int64]) {
        pending.withLock { $0.transactions.formUnion(numbers) }
        lookSoon()
    }

    func lookSoon() {
        let isFirst = pending.withLock { pending in
            defer { pending.hasLook = true }
            return !pending.hasLook && !pending.isStopped
        }
        guard isFirst else { return }
        queue.async { [weak self] in
            guard let self else { return }
            pending.withLock { $0.hasLook = false }
            timePassed()
        }
    }

    /// Looks now, and returns whether that was possible.
    @discardableResult
    func lookNow() -> Bool {
        lock.withLock {
            if pending.withLock({ $0.isStopped }) { return true }
            if let retry, ContinuousClock.now < retry { return false }
            do {
                try look()
                (failures, retry) = (0, nil)
                return true
            } catch {
                connection = nil
                // The server that the next connection leads to may be another one.
                snapshot = nil
                failures += 1
                retry = .now + .seconds(min(Self.longestPause, Self.idlePause * Double(1 << min(failures - 1, 5))))
                return false
            }
        }
    }

    private func timePassed() {
        let start = ContinuousClock.now
        lookNow()
        guard !pending.withLock({ $0.isStopped }) else { return }
        let isWaiting = lock.withLock {
            pause = waiting.isEmpty ? Self.pauses.lowerBound : min(pause * 2, Self.pauses.upperBound)
            return !waiting.isEmpty
        }
        // A look may have to read much, if a transaction that began long ago is still open.
        let duration = (ContinuousClock.now - start) / .seconds(1)
        let next = min(Self.idlePause, isWaiting ? max(pause, duration * 4) : Self.idlePause)
        timer.schedule(deadline: .now() + next, leeway: isWaiting ? .nanoseconds(0) : .milliseconds(50))
    }

    /// Announces what has happened since the last look. Called while the lock is held.
    private func look() throws {
        guard let store else { return }
        let connection = try connection ?? PostgresConnection.open(address, token: token)
        self.connection = connection
        connection.interruption = token
        let look = ServerLook(connection: connection, history: history)
        let found = try look.found(since: snapshot)
        // A commit of this process that is noted from here on may have come after the state that was read.
        let own = pending.withLock { pending in
            defer { pending.transactions = [] }
            return pending.transactions
        }
        let isKnown = snapshot != nil
        snapshot = found.snapshot
        if found.level > history.level { history.setOutdated() }
        waiting.formUnion(own)
        waiting.formUnion(found.commits.lazy.map(\.number))
        let behind = waiting.filter { $0 < found.horizon ?? .max }
        waiting.subtract(behind)
        if !isKnown {
            // The first look is the beginning. If it has failed, or the connection was lost, commits may have been missed.
            if failures > 0 { announceUnknown() }
            return
        }
        if found.hasUnknownCommits {
            announceUnknown()
        } else if !found.commits.isEmpty {
            var changes = try look.changes(found.commits, store: store) ?? .unknown
            changes.isForeign = true
            announce(changes)
        } else if !behind.isEmpty {
            announceProgress()
        }
    }

    private func announceUnknown() {
        var changes = CommittedChanges.unknown
        changes.isForeign = true
        announce(changes)
    }
}
#endif
