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
        _ outcome: Outcome, of call: PoolState.Call, until deadline: ContinuousClock.Instant, token: InterruptToken?
    ) -> ServerError {
        switch outcome {
        case .timedOut where token?.isLate == true: ServerError.stopped(by: token)
        case .closed: closedError
        case .granted, .cancelled:
            ServerError(.cancelled, "the call was cancelled while it waited for a connection")
        case .timedOut(let ahead): late(call, until: deadline, ahead: ahead)
        }
    }

    private func late(_ call: PoolState.Call, until deadline: ContinuousClock.Instant, ahead: Int) -> ServerError {
        let (limit, holder, sql) = withLock { () -> (Int, PoolState.Call?, String?) in
            let number = (call.takesTurn ? state.turn : nil) ?? state.slowest?.connection
            guard let number else { return (state.limit, nil, nil) }
            return (state.limit, state.holders[number], all[number].canceller?.sql)
        }
        let waited = Self.text(deadline - call.since)
        var use = ""
        if let holder {
            use = "\(holder.purpose), which has held its connection for \(Self.text(clock.now - holder.since))"
            use += sql.map { " and is running: \($0)" } ?? " and is running no statement"
        }
        if call.takesTurn, holder?.takesTurn == true {
            return ServerError(
                .timeout,
                "the turn to write to \(address) did not come within \(waited): \(ahead) calls were waiting in front of this one; the call that has the turn is \(use). Keep writes short."
            )
        }
        if !use.isEmpty { use = "; the slowest call is " + use }
        var error = ServerError(
            .unavailable,
            "no connection to \(address) became free within \(waited): the limit is \(limit), and \(ahead) calls were waiting in front of this one\(use). Keep calls short, or allow more connections."
        )
        error.isOfFullPool = true
        return error
    }

    private func state<Value>(_ keyPath: KeyPath<PoolState, Value>) -> Value { withLock { state[keyPath: keyPath] } }

    /// Returns a duration for messages.
    static func text(_ duration: Duration) -> String {
        duration.formatted(.units(allowed: [.hours, .minutes, .seconds, .milliseconds], width: .narrow))
    }
}
#endif
