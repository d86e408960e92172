#if PostgreSQL
import Dispatch
import Foundation
package import SwormRows

/// The connections to one address, which calls use one after the other.
///
/// A call that waits for a connection gets one in the order of the calls, until its deadline. Synchronous calls run on their
/// own thread; asynchronous ones run on the thread of their connection, and no thread waits for them.
///
/// @unchecked: all mutable state is accessed only while the lock is held.
package final class PostgresPool: @unchecked Sendable {
    /// The outcome of a wait.
    enum Outcome: Sendable {
        case granted(Int)
        case cancelled
        /// The time is over. The number of calls in front of the call is known.
        case timedOut(ahead: Int)
        case closed
    }

    enum Waiter {
        case thread(DispatchSemaphore)
        case call(@Sendable (Outcome) -> Void)
    }

    package let address: PostgresAddress
    let clock: any PoolClock
    /// Opens a connection.
    private let open: @Sendable (PostgresAddress) throws -> PostgresConnection
    private let lock = NSLock()
    let all: [PooledConnection]
    var state: PoolState
    var waiters: [PoolState.Ticket: Waiter] = [:]
    /// The outcomes of requests of threads, until the threads take them.
    var decided: [PoolState.Ticket: Outcome] = [:]
    /// The time since which connections cannot be opened.
    private var unreachableSince: ContinuousClock.Instant?
    /// The wait of ``close(within:)`` for the calls that use connections.
    var closing: (semaphore: DispatchSemaphore, deadline: ContinuousClock.Instant)?

    /// - Parameters:
    ///   - address: The address, which also has the number of connections.
    ///   - clock: The clock by which waits end.
    ///   - open: Opens a connection.
    package init(
        _ address: PostgresAddress, clock: any PoolClock = SystemPoolClock(),
        open: @escaping @Sendable (PostgresAddress) throws -> PostgresConnection = { try PostgresConnection.open($0) }
    ) {
        self.address = address
        self.clock = clock
        self.open = open
        state = PoolState(limit: address.connections)
        all = (0..<state.limit).map { PooledConnection($0) }
    }

    deinit { for pooled in all { pooled.worker.stop() } }

    func withLock<R>(_ body: () throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// The state, for tests and messages.
    var snapshot: PoolState { withLock { state } }

    // MARK: Taking

    /// Waits on the calling thread for a connection, which must be returned with ``giveBack(_:)``.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the call, for messages.
    ///   - deadline: The time at which to give up.
    ///   - token: Ends the wait too.
    package func take(
        for purpose: String, until deadline: ContinuousClock.Instant, token: InterruptToken? = nil
    ) throws -> PooledConnection {
        let now = clock.now
        let call = PoolState.Call(purpose: purpose, thread: PooledConnection.thread, since: now)
        switch withLock({ state.request(call, until: deadline) }) {
        case .granted(let number): return try ready(number)
        case .isClosed: throw closedError
        case .neverEnds: throw neverEndingError
        case .waits(let ticket):
            let outcome = wait(for: ticket, until: deadline, token)
            guard case .granted(let number) = outcome else { throw failure(outcome, since: now, until: deadline) }
            return try ready(number)
        }
    }

    /// Requests a connection without blocking a thread.
    ///
    /// - Parameter action: Called once, either immediately or on the thread that ends the wait, which it must not block.
    /// - Returns: The waiting request, or nil if the request does not wait.
    func admit(
        _ call: PoolState.Call, until deadline: ContinuousClock.Instant,
        action: @escaping @Sendable (Outcome) -> Void
    ) -> PoolState.Ticket? {
        let answer = withLock {
            let answer = state.request(call, until: deadline)
            if case .waits(let ticket) = answer { waiters[ticket] = .call(action) }
            return answer
        }
        switch answer {
        case .granted(let number): action(.granted(number))
        case .isClosed, .neverEnds: action(.closed)
        case .waits(let ticket):
            setAlarm(for: deadline)
            return ticket
        }
        return nil
    }

    /// Notes that the calling thread runs the call to which a connection was granted, and opens the connection if needed.
    func ready(_ number: Int) throws -> PooledConnection {
        let pooled = all[number]
        let thread = PooledConnection.thread
        withLock { state.assign(number, to: thread) }
        do {
            if pooled.connection?.isAlive != true {
                pooled.connection = nil
                let connection = try open(address)
                pooled.connection = connection
                withLock {
                    unreachableSince = nil
                    pooled.canceller = connection.canceller
                }
            }
            return pooled
        } catch {
            let failure = openingFailure(error)
            release(pooled)
            throw failure
        }
    }

    private func openingFailure(_ error: any Error) -> any Error {
        guard var failure = error as? ServerError, failure.kind == .unavailable else { return error }
        let now = clock.now
        let since = withLock {
            unreachableSince = unreachableSince ?? now
            return unreachableSince
        }
        if let since, since < now { failure.message += "; no connection could be opened for \(Self.text(now - since))" }
        return failure
    }

    /// Returns a connection, on the thread that used it.
    package func giveBack(_ pooled: PooledConnection) {
        pooled.connection?.reset()
        if pooled.connection?.isLost == true { pooled.connection = nil }
        release(pooled)
    }

    private func release(_ pooled: PooledConnection) {
        let now = clock.now
        // Closing sends a message to the server, for which the lock is not held: the last reference is this one.
        let (action, closer, last) = withLock {
            () -> ((@Sendable () -> Void)?, DispatchSemaphore?, PostgresConnection?) in
            var last: PostgresConnection?
            if state.isClosed {
                last = pooled.connection
                pooled.connection = nil
            }
            if pooled.connection == nil { pooled.canceller = nil }
            if let ticket = state.release(pooled.number, at: now) {
                return (decide(ticket, as: .granted(pooled.number)), nil, last)
            }
            return (nil, state.holders.isEmpty ? closing?.semaphore : nil, last)
        }
        withExtendedLifetime(last) {}
        closer?.signal()
        action?()
    }
}
#endif
