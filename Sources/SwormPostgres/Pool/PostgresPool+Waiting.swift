#if PostgreSQL
import Dispatch
import SwormRows

extension PostgresPool {
    /// Returns the time at which the wait of a call ends.
    ///
    /// - Parameter deadline: The time that the caller named; nil for the connection timeout of the address.
    func end(of deadline: ContinuousClock.Instant?, _ token: InterruptToken?) -> ContinuousClock.Instant {
        let now = clock.now
        let end = deadline ?? now.advanced(by: address.timeouts.connection ?? .seconds(86_400))
        // The deadline of a token is a time of the system's clock.
        guard let limit = token?.deadline else { return end }
        return min(end, now.advanced(by: limit - ContinuousClock.now))
    }

    /// Blocks the calling thread until its request is granted or ends.
    func wait(
        for ticket: PoolState.Ticket, until deadline: ContinuousClock.Instant, _ token: InterruptToken?
    ) -> Outcome {
        let listener = token?.addListener { [weak self] _ in self?.cancel(ticket) }
        defer { if let listener { token?.removeListener(listener) } }
        let semaphore = DispatchSemaphore(value: 0)
        let early = withLock {
            if let outcome = decided.removeValue(forKey: ticket) { return outcome as Outcome? }
            waiters[ticket] = .thread(semaphore)
            return nil
        }
        if let early { return early }
        setAlarm(for: deadline)
        semaphore.wait()
        return withLock { decided.removeValue(forKey: ticket) } ?? .cancelled
    }

    /// Cancels a request, unless it was granted or ended before.
    func cancel(_ ticket: PoolState.Ticket) {
        let action = withLock { state.cancel(ticket) == nil ? nil : decide(ticket, as: .cancelled) }
        action?()
    }

    /// Decides a request that no longer waits. Called while the lock is held.
    ///
    /// - Returns: The action that informs the call, to be run without the lock.
    func decide(_ ticket: PoolState.Ticket, as outcome: Outcome) -> (@Sendable () -> Void)? {
        switch waiters.removeValue(forKey: ticket) {
        case .call(let action): return { action(outcome) }
        case .thread(let semaphore):
            decided[ticket] = outcome
            return { semaphore.signal() }
        case nil:
            decided[ticket] = outcome
            return nil
        }
    }

    // MARK: The clock

    func setAlarm(for time: ContinuousClock.Instant) {
        clock.setAlarm(for: time) { [weak self] in self?.lookAtClock() }
    }

    /// Ends what is due: waits for connections, waits of ``close(within:)``, and connections that nobody uses.
    private func lookAtClock() {
        let now = clock.now
        var unused: [PostgresConnection] = []
        let (actions, due, next) = withLock {
            () -> ([@Sendable () -> Void], [Closer], ContinuousClock.Instant?) in
            let late = state.removeLate(at: now).compactMap { decide($0.ticket, as: .timedOut(ahead: $0.ahead)) }
            let due = closers.filter { $0.deadline <= now }
            closers.removeAll { $0.deadline <= now }
            var times = closers.map(\.deadline) + [state.nextDeadline].compactMap(\.self)
            for pooled in all where state.holders[pooled.number] == nil {
                guard let connection = pooled.connection, let end = idleEnd(of: pooled) else { continue }
                if end <= now {
                    unused.append(connection)
                    pooled.connection = nil
                } else {
                    times.append(end)
                }
            }
            return (late, due, times.min())
        }
        // Each sends a message to the server, for which the lock is not held.
        unused = []
        for action in actions { action() }
        for closer in due { closer.semaphore.signal() }
        if let next { setAlarm(for: next) }
    }

    /// The time at which a connection that nobody uses is closed; nil for never.
    private func idleEnd(of pooled: PooledConnection) -> ContinuousClock.Instant? {
        guard let idleLimit, let since = pooled.idleSince else { return nil }
        return since.advanced(by: idleLimit)
    }
}
#endif
