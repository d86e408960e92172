import Dispatch
import SwormSQLite
import SwormRows
import SwormPredicates

/// A single timer for all the tasks that wait at a hub.
///
/// Separate timers would remain until they fire, long after their calls have continued, so there would be as many
/// timers as there are calls within one timeout.
///
/// @unchecked: the timer is accessed only under the lock.
final class HubAlarm: @unchecked Sendable {
    private let next = Locked<ContinuousClock.Instant?>(nil)
    private var timer: (any DispatchSourceTimer)?

    deinit { timer?.cancel() }

    /// Calls an action at the given time or earlier. If a call still waits then, the action must set the alarm again.
    func set(for moment: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
        next.withLock { next in
            if let next, next <= moment { return }
            next = moment
            let timer = timer ?? makeTimer(action)
            self.timer = timer
            timer.schedule(deadline: .now() + min(moment.secondsLeft, 100_000_000))
        }
    }

    private func makeTimer(_ action: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler { [weak self] in
            self?.next.withLock { $0 = nil }
            action()
        }
        timer.activate()
        return timer
    }
}
