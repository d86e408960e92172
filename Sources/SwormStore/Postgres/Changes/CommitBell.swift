#if PostgreSQL
import Dispatch
import SwormPostgres
import SwormPredicates

/// The notification by which a store wakes the stores of other processes after its commits.
///
/// It is sent after the commit, in a transaction of its own and on a queue of its own: a notification inside of a transaction
/// would let all commits of the database wait for each other. Several commits in a short time cause one. If it is not sent,
/// because the process ends or no connection is free, other processes find the commits when they look the next time.
final class CommitBell: Sendable {
    /// The shortest time between two notifications.
    private static let pause = DispatchTimeInterval.milliseconds(5)
    private static let patience = Duration.seconds(1)

    private struct State: Sendable {
        /// Whether there was a commit since the last notification.
        var isDue = false
        /// Whether a notification will be sent, or no further one yet.
        var isBusy = false
    }

    private let channel: String
    private let pool: PostgresPool
    private let queue = DispatchQueue(label: "Sworm commit bell")
    private let state = Locked(State())

    init(_ channel: String, pool: PostgresPool) {
        self.channel = channel
        self.pool = pool
    }

    /// The channel of a store, whose identifier has 36 characters.
    static func channel(of identifier: String) -> String { "sworm_" + identifier.lowercased() }

    /// Sends a notification soon.
    func ring() {
        let isFirst = state.withLock { state in
            state.isDue = true
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isFirst { queue.async { self.send() } }
    }

    /// Sends the notification that is due, before the connections are closed, and waits for it at most until a time.
    func finish(until end: ContinuousClock.Instant?) {
        guard state.withLock({ $0.isDue }) else { return }
        let group = DispatchGroup()
        queue.async(group: group) { self.notify() }
        guard let end else { return group.wait() }
        _ = group.wait(timeout: .now() + max(0, min((end - .now) / .seconds(1), StoreOptions.longestTimeout)))
    }

    private func send() {
        notify()
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            guard let self else { return }
            let isDue = state.withLock { state in
                state.isBusy = state.isDue
                return state.isDue
            }
            if isDue { send() }
        }
    }

    private func notify() {
        state.withLock { $0.isDue = false }
        let parameters = Parameters()
        guard parameters.append(channel) else { return }
        // The notification need not survive a crash.
        _ = try? pool.withConnection(for: "announce commits", until: .now + Self.patience) { connection in
            connection.watch = nil
            try connection.run(
                "SELECT pg_catalog.set_config('synchronous_commit', 'off', true), pg_catalog.pg_notify($1, '')",
                with: parameters)
        }
    }
}
#endif
