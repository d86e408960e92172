#if PostgreSQL
import Foundation
package import SwormRows

extension PostgresPool {
    /// Calls the body with a connection, on the calling thread.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the call, for messages.
    ///   - deadline: The time at which to give up, also while the connection is opened; nil for the connection timeout of
    ///     the address for each of the two.
    ///   - token: Stops the wait, the opening and the statements of the body.
    package func withConnection<R>(
        for purpose: String, until deadline: ContinuousClock.Instant? = nil, token: InterruptToken? = nil,
        _ body: (PostgresConnection) throws -> R
    ) throws -> R {
        let pooled = try take(for: purpose, until: deadline, token: token)
        defer { giveBack(pooled) }
        return try call(body, with: pooled, token: token)
    }

    private func call<R>(
        _ body: (PostgresConnection) throws -> R, with pooled: PooledConnection, token: InterruptToken?
    ) throws -> R {
        guard let connection = pooled.connection else { throw closedError }
        connection.interruption = token
        return try body(connection)
    }

    /// Calls the body with a connection, on the connection's thread.
    ///
    /// If the task is cancelled, or the token is interrupted, while the call waits, the call leaves the queue; if it happens
    /// later, the running statement is stopped.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the call, for messages.
    ///   - deadline: The time at which to give up, also while the connection is opened; nil for the connection timeout of
    ///     the address for each of the two.
    ///   - token: Stops the call. The cancellation of the task does not interrupt it, because other work may use it too. Its
    ///     deadline is the one at the beginning of the call, and a call that it has stopped stays so when it is cleared.
    package func schedule<R: Sendable>(
        for purpose: String, until deadline: ContinuousClock.Instant? = nil, token: InterruptToken? = nil,
        _ body: @escaping @Sendable (PostgresConnection) throws -> R
    ) async throws -> R {
        let start = clock.now
        let end = end(of: deadline, token)
        let own = InterruptToken()
        own.name = token?.name
        own.deadline = token?.deadline
        let wait = ScheduledWait()
        let stop: @Sendable (InterruptToken.Reason) -> Void = { [weak self] reason in
            own.interrupt(reason)
            if let ticket = wait.cancel() { self?.cancel(ticket) }
        }
        let listener = token?.addListener(stop)
        defer { if let listener { token?.removeListener(listener) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let call = PoolState.Call(purpose: purpose, thread: nil, since: start)
                let ticket = admit(call, until: end) { [self] outcome in
                    guard case .granted(let number) = outcome else {
                        return continuation.resume(throwing: failure(outcome, of: call, until: end, token: own))
                    }
                    all[number].worker.run { [self] in
                        continuation.resume(with: result(of: body, on: number, until: deadline, token: own))
                    }
                }
                if let ticket, wait.isCancelled(notingTicket: ticket) { cancel(ticket) }
            }
        } onCancel: {
            stop(.cancelled)
        }
    }

    /// Runs a closure with a granted connection on the calling thread, and returns the connection.
    private func result<R>(
        of body: (PostgresConnection) throws -> R, on number: Int, until deadline: ContinuousClock.Instant?,
        token: InterruptToken
    ) -> Result<R, any Error> {
        Result {
            let pooled = try ready(number, until: deadline, token: token)
            defer { giveBack(pooled) }
            return try call(body, with: pooled, token: token)
        }
    }
}

/// The request of an asynchronous call, which a cancellation may overtake.
///
/// @unchecked: the state is accessed only while the lock is held.
private final class ScheduledWait: @unchecked Sendable {
    private let lock = NSLock()
    private var ticket: PoolState.Ticket?
    private var isCancelled = false

    /// Notes the request, and returns whether the call was cancelled before.
    func isCancelled(notingTicket ticket: PoolState.Ticket) -> Bool {
        lock.withLock {
            self.ticket = ticket
            return isCancelled
        }
    }

    /// Notes the cancellation, and returns the request if it was noted before.
    func cancel() -> PoolState.Ticket? {
        lock.withLock {
            isCancelled = true
            return ticket
        }
    }
}
#endif
