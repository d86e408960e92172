#if PostgreSQL
import Foundation
import SwormRows

/// A listener for the notifications of one channel, on a connection and a thread of its own.
///
/// It listens until it is stopped or deallocated. After a loss it connects again, with pauses. Notifications that are sent in
/// the meantime are missed, so that whoever relies on them looks for changes after each ``Event/listening``, and from time to
/// time.
package final class PostgresListener: Sendable {
    package enum Event: Sendable, Hashable {
        /// From now on, notifications are received. Earlier ones may have been missed.
        case listening
        /// Notifications have arrived, in the order of their commits.
        case notified([PostgresNotification])
        /// No notification has arrived for the poll timeout, and the connection is still there.
        case quiet
        /// The connection was lost, or could not be opened. The next attempt follows after a pause.
        case interrupted(ServerError)
    }

    private let work: ListenerWork

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - channel: The name of the channel, of at most 63 bytes.
    ///   - address: The address of the server. A pooler that assigns connections to transactions passes no notifications on.
    ///   - pollTimeout: The duration without notifications after which the connection is checked, and
    ///     ``Event/quiet`` is delivered.
    ///   - pause: Returns the pause after a number of failures in a row.
    ///   - deliver: Is called with each event, on the listener's thread.
    package init(
        to channel: String, at address: PostgresAddress, pollTimeout: Duration = .seconds(60),
        pause: @escaping @Sendable (_ failures: Int) -> Duration = { standardPause(after: $0) },
        deliver: @escaping @Sendable (Event) -> Void
    ) throws(ServerError) {
        guard (1...63).contains(channel.utf8.count), !channel.utf8.contains(0) else {
            throw ServerError(.misuse, "the name of a channel has 1 to 63 bytes, and no NUL")
        }
        guard address.pooler == .none else {
            throw ServerError(
                .notSupported,
                "a pooler that assigns connections to transactions passes no notifications on; listen at the address of the server itself, or look for changes from time to time"
            )
        }
        work = try ListenerWork(
            channel: channel, address: address, pollTimeout: pollTimeout, pause: pause, deliver: deliver)
        let thread = Thread { [work] in work.run() }
        thread.name = "Sworm listener"
        thread.start()
    }

    deinit { work.stop() }

    /// Ends the listening, after a call of the closure that is running. Later, the closure is not called any more. It may
    /// itself call this method.
    package func stop() { work.stop() }

    /// Returns a pause that doubles with each failure, up to half a minute. It is random, because a server that starts again
    /// would otherwise meet all its clients at once.
    package static func standardPause(after failures: Int) -> Duration {
        let longest = min(30_000, 100 << min(failures, 10))
        return .milliseconds(Int.random(in: longest / 2...longest))
    }
}

/// The work of a listener, which does not keep the listener itself alive.
///
/// @unchecked: nothing changes but the token, which is safe for all threads. The lock is held while an event is delivered.
private final class ListenerWork: @unchecked Sendable {
    private let channel: String
    private let address: PostgresAddress
    private let pollTimeout: Duration
    private let pause: @Sendable (Int) -> Duration
    private let deliver: @Sendable (PostgresListener.Event) -> Void
    /// Stops everything.
    private let token = InterruptToken()
    // The closure of the user may stop the listener.
    private let lock = NSRecursiveLock()
    /// A pipe whose input ends a wait.
    private let wake: (read: Int32, write: Int32)

    init(
        channel: String, address: PostgresAddress, pollTimeout: Duration, pause: @escaping @Sendable (Int) -> Duration,
        deliver: @escaping @Sendable (PostgresListener.Event) -> Void
    ) throws(ServerError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ServerError(.server, "out of descriptors for a listener") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wake = (ends[0], ends[1])
        self.channel = channel
        self.address = address
        self.pollTimeout = pollTimeout
        self.pause = pause
        self.deliver = deliver
    }

    deinit {
        close(wake.read)
        close(wake.write)
    }

    func stop() {
        token.interrupt(.cancelled)
        var byte: UInt8 = 1
        _ = write(wake.write, &byte, 1)
        // Waits for a delivery that is running.
        lock.withLock {}
    }

    /// Delivers an event. Returns false if the listener is stopped.
    private func report(_ event: PostgresListener.Event) -> Bool {
        lock.withLock {
            guard token.reason == nil else { return false }
            deliver(event)
            return token.reason == nil
        }
    }

    func run() {
        var failures = 0
        while true {
            do {
                let connection = try PostgresConnection.open(address, token: token)
                connection.interruption = token
                try connection.listen(to: channel)
                failures = 0
                guard report(.listening) else { return }
                while true {
                    let found = try connection.notifications(
                        until: ContinuousClock.now.advanced(by: pollTimeout), or: wake.read)
                    // A connection that only listens does not notice that the server is no longer there.
                    if found.isEmpty { try connection.run(.command("SELECT 1")) }
                    guard report(found.isEmpty ? .quiet : .notified(found)) else { return }
                }
            } catch {
                failures += 1
                let failure = error as? ServerError ?? ServerError(.unavailable, "the listener could not connect")
                guard report(.interrupted(failure)) else { return }
                // Only the end of the listener ends a pause early.
                let end = ContinuousClock.now.advanced(by: pause(failures))
                if Socket.wait(wake.read, for: Socket.input, until: end) == .ready { return }
            }
        }
    }
}
#endif
