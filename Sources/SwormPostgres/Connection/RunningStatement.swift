#if PostgreSQL
import CSwormPQ
import Dispatch
import Foundation

/// The statement that a connection is running, as the threads see it that may stop it.
///
/// The request travels over a connection of its own, on a queue, so that nobody waits for it but the statement that it stops:
/// the end of a statement waits until a request that is being sent has arrived, or it might stop the next statement.
///
/// @unchecked: all mutable state is accessed only while the lock of the condition is held. libpq's object is used by one
/// thread at a time, and is freed when nobody refers to this one.
final class RunningStatement: @unchecked Sendable {
    private enum State {
        /// No statement is running.
        case idle
        case running
        /// A request is about to be sent, for the first time or again.
        case requested
        case sending
    }

    /// Who asks to stop a statement.
    enum Requester: Hashable {
        /// The connection itself.
        case connection
        /// The user of the connection with this number.
        case user(Int)
        /// The listener at a token with this number.
        case listener(Int)
    }

    /// The time in seconds after which a request is repeated.
    private static let repetition = 0.1

    // A serial queue gets a thread even when the threads of the concurrent ones are all blocked, as by statements.
    private let queue = DispatchQueue(label: "Sworm cancellation")
    private let condition = NSCondition()
    private let cancel: OpaquePointer?
    private var state = State.idle
    /// The number of the running statement.
    private var number = 0
    private var requestTime: ContinuousClock.Instant?
    /// Whether a request to stop the running statement was sent.
    private var wasSent = false
    private var runningSQL: String?
    // A request of an earlier user, or of a listener that was called late, must not stop the statement of another one.
    private var currentUser = 0
    private var currentListener = 0
    private var isOver = false

    init(_ connection: OpaquePointer) { cancel = sworm_pq_cancel_create(connection) }

    deinit { if let cancel { sworm_pq_cancel_free(cancel) } }

    /// Stops the running statement, which then fails. Does nothing if no statement is running, or if the requester no longer
    /// has a part in it; a statement that starts later is not affected.
    ///
    /// The request is repeated until the statement ends, because the server ignores one that arrives before the statement.
    func stop(by requester: Requester) {
        condition.lock()
        defer { condition.unlock() }
        if isCurrent(requester) { request() }
    }

    /// Stops the running statement, and rejects all later ones of the current user.
    func stopAll(by requester: Requester) {
        condition.lock()
        defer { condition.unlock() }
        guard isCurrent(requester) else { return }
        isOver = true
        request()
    }

    private func isCurrent(_ requester: Requester) -> Bool {
        switch requester {
        case .connection: true
        case .user(let number): number == currentUser
        case .listener(let number): number == currentListener
        }
    }

    private func request() {
        guard state == .running else { return }
        state = .requested
        requestTime = .now
        let number = number
        queue.async { self.send(number) }
    }

    private func send(_ number: Int) {
        condition.lock()
        defer { condition.unlock() }
        guard state == .requested, self.number == number, let cancel else { return }
        state = .sending
        wasSent = true
        condition.unlock()
        // Blocks until the server has passed the request on.
        _ = sworm_pq_cancel_send(cancel)
        condition.lock()
        guard state == .sending, self.number == number else { return }
        state = .requested
        condition.broadcast()
        queue.asyncAfter(deadline: .now() + Self.repetition) { self.send(number) }
    }

    /// The text of the running statement, for messages; nil if no statement is running. Any thread may ask.
    var sql: String? { condition.withLock { state == .idle ? nil : runningSQL } }

    /// The number of the current user.
    var user: Int { condition.withLock { currentUser } }

    // MARK: The connection's thread

    /// Notes that another user gets the connection.
    func changeUser() {
        condition.withLock {
            currentUser += 1
            isOver = false
        }
    }

    /// Notes that another token, or none, stops statements from now on.
    ///
    /// - Returns: The number of its listener.
    func changeListener() -> Int {
        condition.withLock {
            currentListener += 1
            return currentListener
        }
    }

    func begin(_ sql: String) {
        condition.withLock {
            state = .running
            runningSQL = sql
            requestTime = nil
            wasSent = false
            number += 1
        }
    }

    /// The time of the request to stop the running statement; nil without a request.
    var stopTime: ContinuousClock.Instant? { condition.withLock { requestTime } }

    /// Whether all statements of the current user are rejected.
    var rejectsAll: Bool { condition.withLock { isOver } }

    /// The end of a statement, as seen by the requests to stop it.
    enum End { case undisturbed, stopped, unknown }

    /// Notes the end of a statement, after a request that is being sent has arrived.
    ///
    /// - Returns: Unknown if a request may still arrive; the connection must then not be used again.
    func end(waiting limit: TimeInterval = 5) -> End {
        condition.lock()
        defer {
            state = .idle
            runningSQL = nil
            condition.unlock()
        }
        let limit = Date(timeIntervalSinceNow: limit)
        while state == .sending {
            if !condition.wait(until: limit), state == .sending { return .unknown }
        }
        return wasSent ? .stopped : .undisturbed
    }
}
#endif
