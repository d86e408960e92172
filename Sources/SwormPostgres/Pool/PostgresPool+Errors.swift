#if PostgreSQL
import Foundation
import SwormRows

extension PostgresPool {
    var closedError: ServerError {
        ServerError(.unavailable, "the connections to \(address) were closed")
    }

    /// The error of a call that would wait for itself.
    var neverEndingError: ServerError {
        let count = state(\.limit)
        let holders = count == 1 ? "the only connection" : "all \(count) connections"
        var error = ServerError(
            .misuse,
            "deadlock: \(holders) to \(address) are held by calls that wait for another connection inside of their own, and this call is one of them. Use the connection that the outer call has, end the outer call first, or allow more connections."
        )
        error.waitsForItself = true
        return error
    }

    /// Returns the error of a wait that did not end with a connection.
    func failure(
        _ outcome: Outcome, since start: ContinuousClock.Instant, until deadline: ContinuousClock.Instant,
        token: InterruptToken?
    ) -> ServerError {
        switch outcome {
        case .timedOut where token?.isLate == true: return ServerError.stopped(by: token)
        case .closed: return closedError
        case .granted, .cancelled:
            return ServerError(.cancelled, "the call was cancelled while it waited for a connection")
        case .timedOut(let ahead):
            let (limit, slowest, sql) = withLock { () -> (Int, PoolState.Call?, String?) in
                let slowest = state.slowest
                return (state.limit, slowest?.call, slowest.flatMap { all[$0.connection].canceller?.sql })
            }
            var message =
                "no connection to \(address) became free within \(Self.text(deadline - start)): the limit is \(limit), and \(ahead) calls were waiting in front of this one"
            if let slowest {
                message += "; the slowest call is \(slowest.purpose), which has held its connection for "
                message += Self.text(clock.now - slowest.since)
                message += sql.map { " and is running: \($0)" } ?? " and is running no statement"
            }
            return ServerError(.unavailable, message + ". Keep calls short, or allow more connections.")
        }
    }

    private func state<Value>(_ keyPath: KeyPath<PoolState, Value>) -> Value { withLock { state[keyPath: keyPath] } }

    /// Returns a duration for messages.
    static func text(_ duration: Duration) -> String {
        duration.formatted(.units(allowed: [.hours, .minutes, .seconds, .milliseconds], width: .narrow))
    }
}
#endif
