#if PostgreSQL
import Dispatch
import SwormRows

extension PostgresPool {
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

    func setAlarm(for time: ContinuousClock.Instant) {
        clock.setAlarm(for: time) { [weak self] in self?.endLateWaits() }
    }

    /// Ends the waits whose time is over.
    private func endLateWaits() {
        let now = clock.now
        let (actions, closer, next) = withLock {
            () -> ([@Sendable () -> Void], DispatchSemaphore?, [ContinuousClock.Instant]) in
            let late = state.removeLate(at: now).compactMap { decide($0.ticket, as: .timedOut(ahead: $0.ahead)) }
            guard let closing else { return (late, nil, [state.nextDeadline].compactMap(\.self)) }
            return closing.deadline <= now ? (late, closing.semaphore, []) : (late, nil, [closing.deadline])
        }
        for action in actions { action() }
        closer?.signal()
        if let next = next.min() { setAlarm(for: next) }
    }
}
#endif
