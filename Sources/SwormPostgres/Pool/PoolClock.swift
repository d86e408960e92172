#if PostgreSQL
import Dispatch
import Foundation
import SwormRows

/// The clock by which a pool ends waits.
package protocol PoolClock: Sendable {
    var now: ContinuousClock.Instant { get }

    /// Calls an action at a time, or earlier. A later call for an earlier time replaces this one; one for a later time may be
    /// ignored until the action was called.
    func setAlarm(for time: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void)
}

/// The system's monotonic clock, with one timer for all waits of a pool.
///
/// Separate timers would remain until they fire, long after their calls have continued.
///
/// @unchecked: the timer and the time are accessed only while the lock is held.
package final class SystemPoolClock: PoolClock, @unchecked Sendable {
    // A queue of its own, because the threads of the global ones may all wait for a connection.
    private let queue = DispatchQueue(label: "Sworm pool")
    private let lock = NSLock()
    private var next: ContinuousClock.Instant?
    private var timer: (any DispatchSourceTimer)?
    private var action: (@Sendable () -> Void)?

    package init() {}

    deinit { timer?.cancel() }

    package var now: ContinuousClock.Instant { .now }

    package func setAlarm(for time: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
        lock.withLock {
            if let next, next <= time { return }
            next = time
            self.action = action
            let timer = timer ?? makeTimer()
            self.timer = timer
            timer.schedule(deadline: .now() + min(time.secondsLeft, 100_000_000))
        }
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.ring() }
        timer.activate()
        return timer
    }

    private func ring() {
        let action = lock.withLock {
            next = nil
            return self.action
        }
        action?()
    }
}
#endif
