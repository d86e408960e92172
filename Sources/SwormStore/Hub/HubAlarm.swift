import Dispatch
import SwormSQLite
import SwormRows
import SwormPredicates

/// One timer for all the tasks that wait at a hub.
///
/// A timer for each of them would stay until its moment, long after its call goes on: as many as there are calls in the time of
/// a timeout.
///
/// @unchecked: the timer is only touched under the lock.
final class HubAlarm: @unchecked Sendable {
    private let next = Locked<ContinuousClock.Instant?>(nil)
    private var timer: (any DispatchSourceTimer)?

    deinit { timer?.cancel() }

    /// Calls an action at a moment, or earlier: whoever still waits then sets the alarm again.
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
