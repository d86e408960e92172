#if PostgreSQL
import Dispatch
import Foundation
package import SwormRows

/// The connections to one address, which calls use one after the other.
///
/// A call that waits for a connection gets one in the order of the calls, until its deadline. Synchronous calls run on their
/// own thread; asynchronous ones run on the thread of their connection, and no thread waits for them. Of the calls that take the
/// turn, one at a time has a connection, so that the other ones hold none while they wait for it. A connection that nobody has
/// used for some minutes is closed.
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

    /// A wait of ``close(within:)`` for the calls that use connections.
    struct Closer {
        let semaphore: DispatchSemaphore
        let deadline: ContinuousClock.Instant
    }

    /// A closure that opens a connection, until a time or until a token stops it.
    package typealias Opener =
        @Sendable (PostgresAddress, ContinuousClock.Instant?, InterruptToken?) throws ->
        PostgresConnection

    package let address: PostgresAddress
    let clock: any PoolClock
    /// The duration after which a connection that nobody uses is closed; nil for never.
    let idleLimit: Duration?
    private let opener: Opener
    private let lock = NSLock()
    let all: [PooledConnection]
    var state: PoolState
    var waiters: [PoolState.Ticket: Waiter] = [:]
    /// The outcomes of requests of threads, until the threads take them.
    var decided: [PoolState.Ticket: Outcome] = [:]
    /// The time since which connections cannot be opened.
    private var unreachableSince: ContinuousClock.Instant?
    var closers: [Closer] = []
    /// The connections that are reserved for asynchronous calls.
    var seats: [Int: PoolSeat] = [:]
    /// Whether a close has stopped the calls that use connections.
    var stopsCalls = false

    /// - Parameters:
    ///   - address: The address, which also has the number of connections.
    ///   - clock: The clock by which waits end and idle connections are closed.
    ///   - idleLimit: The duration after which a connection that nobody uses is closed; nil for never.
    ///   - open: Opens a connection.
    package init(
        _ address: PostgresAddress, clock: any PoolClock = SystemPoolClock(), idleLimit: Duration? = .seconds(600),
        open: @escaping Opener = { try PostgresConnection.open($0, until: $1, token: $2) }
    ) {
        self.address = address
        self.clock = clock
        self.idleLimit = idleLimit
        opener = open
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
    ///   - deadline: The time at which to give up, also while the connection is opened; nil for the connection timeout of
    ///     the address for each of the two.
    ///   - token: Ends the wait and the opening too, and so does its deadline.
    ///   - takesTurn: Whether the call waits for the turn too, which one call at a time has. A call that has a seat does not wait
    ///     again.
    package func take(
        for purpose: String, until deadline: ContinuousClock.Instant?, token: InterruptToken? = nil,
        takingTurn takesTurn: Bool = false
    ) throws -> PooledConnection {
        let thread = PooledConnection.thread
        let end = end(of: deadline, token)
        let call = PoolState.Call(purpose: purpose, thread: thread, since: clock.now, takesTurn: takesTurn)
        let answer = withLock {
            useSeat(for: purpose, of: thread).map { .granted($0) } ?? state.request(call, until: end)
        }
        switch answer {
        case .granted(let number): return try ready(number, until: deadline, token: token)
        case .isClosed: throw closedError
        case .neverEnds: throw neverEndingError
        case .waits(let ticket):
            let outcome = wait(for: ticket, until: end, token)
            guard case .granted(let number) = outcome else {
                throw failure(outcome, of: call, until: end, token: token)
            }
            return try ready(number, until: deadline, token: token)
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
    ///
    /// - Parameter deadline: The time at which to give up the opening, by the pool's clock; nil for the connection timeout.
    func ready(
        _ number: Int, until deadline: ContinuousClock.Instant?, token: InterruptToken?
    ) throws -> PooledConnection {
        let pooled = all[number]
        let thread = PooledConnection.thread
        withLock { state.assign(number, to: thread) }
        do {
            if let token, token.stopsWork { throw ServerError.stopped(by: token) }
            if pooled.connection?.isAlive != true {
                pooled.connection = nil
                pooled.connection = try open(until: deadline, token: token)
            }
            let canceller = pooled.connection?.canceller
            // A close may have ended its wait while the connection was opened.
            let isStopped = withLock {
                pooled.canceller = canceller
                return stopsCalls
            }
            guard !isStopped else { throw closedError }
            return pooled
        } catch {
            release(pooled)
            throw error
        }
    }

    private func open(until deadline: ContinuousClock.Instant?, token: InterruptToken?) throws -> PostgresConnection {
        do {
            let end = deadline.map { ContinuousClock.now.advanced(by: $0 - clock.now) }
            let connection = try opener(address, end, token)
            withLock { unreachableSince = nil }
            return connection
        } catch {
            throw openingFailure(error)
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

    // MARK: Returning

    /// Returns a connection, on the thread that used it.
    package func giveBack(_ pooled: PooledConnection) {
        pooled.connection?.reset()
        if pooled.connection?.isLost == true { pooled.connection = nil }
        release(pooled)
    }

    func release(_ pooled: PooledConnection) {
        let now = clock.now
        var last: PostgresConnection?
        let isOpen = pooled.connection != nil
        let (action, done) = withLock { () -> ((@Sendable () -> Void)?, [Closer]) in
            if state.isClosed {
                last = pooled.connection
                pooled.connection = nil
            }
            pooled.canceller = nil
            pooled.idleSince = now
            let isReserved = returnToSeat(pooled.number)
            guard !isReserved else { return (nil, takeClosers()) }
            if let ticket = state.release(pooled.number, at: now) {
                return (decide(ticket, as: .granted(pooled.number)), [])
            }
            return (nil, takeClosers())
        }
        // Closing sends a message to the server, for which the lock is not held: the last reference is this one.
        withExtendedLifetime(last) {}
        for closer in done { closer.semaphore.signal() }
        if let action { action() } else if let idleLimit, isOpen { setAlarm(for: now.advanced(by: idleLimit)) }
    }

    /// Removes and returns the waits for the calls that use connections, if no call does. Called while the lock is held.
    func takeClosers() -> [Closer] {
        guard usedCount == 0 else { return [] }
        defer { closers = [] }
        return closers
    }
}
#endif
