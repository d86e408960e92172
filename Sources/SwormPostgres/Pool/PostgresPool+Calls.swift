#if PostgreSQL
import Foundation
package import SwormRows

extension PostgresPool {
    /// Calls the body with a connection, on the calling thread.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the call, for messages.
    ///   - deadline: The time at which to stop waiting for a connection; nil for the connection timeout of the address.
    ///   - token: Stops the wait and the statements of the body.
    package func withConnection<R>(
        for purpose: String, until deadline: ContinuousClock.Instant? = nil, token: InterruptToken? = nil,
        _ body: (PostgresConnection) throws -> R
    ) throws -> R {
        let pooled = try take(for: purpose, until: deadline ?? standardDeadline, token: token)
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
    /// If the task is cancelled while the call waits, the call leaves the queue; if it is cancelled later, the running
    /// statement is stopped.
    package func schedule<R: Sendable>(
        for purpose: String, until deadline: ContinuousClock.Instant? = nil, token: InterruptToken? = nil,
        _ body: @escaping @Sendable (PostgresConnection) throws -> R
    ) async throws -> R {
        let start = clock.now
        let deadline = deadline ?? standardDeadline
        let token = token ?? InterruptToken()
        let wait = ScheduledWait()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let call = PoolState.Call(purpose: purpose, thread: nil, since: start)
                let ticket = admit(call, until: deadline) { [self] outcome in
                    guard case .granted(let number) = outcome else {
                        return continuation.resume(throwing: failure(outcome, since: start, until: deadline))
                    }
                    all[number].worker.run { [self] in
                        continuation.resume(with: result(of: body, on: number, token: token))
                    }
                }
                if let ticket, wait.isCancelled(notingTicket: ticket) { cancel(ticket) }
            }
        } onCancel: {
            token.interrupt(.cancelled)
            if let ticket = wait.cancel() { cancel(ticket) }
        }
    }

    /// Runs a closure with a granted connection on the calling thread, and returns the connection.
    private func result<R>(
        of body: (PostgresConnection) throws -> R, on number: Int, token: InterruptToken
    ) -> Result<R, any Error> {
        Result {
            let pooled = try ready(number)
            defer { giveBack(pooled) }
            return try call(body, with: pooled, token: token)
        }
    }

    private var standardDeadline: ContinuousClock.Instant {
        clock.now.advanced(by: address.timeouts.connection ?? .seconds(86_400))
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
