#if PostgreSQL
import Foundation

@testable import SwormPostgres

/// A clock that a test moves.
///
/// @unchecked: all state is accessed only while the lock is held.
final class ManualClock: PoolClock, @unchecked Sendable {
    private let lock = NSLock()
    private var time = ContinuousClock.now
    private var alarm: (time: ContinuousClock.Instant, action: @Sendable () -> Void)?

    var now: ContinuousClock.Instant { lock.withLock { time } }

    /// The time of the alarm from now on; nil if there is none.
    var nextAlarm: Duration? { lock.withLock { alarm.map { $0.time - time } } }

    func setAlarm(for time: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
        lock.withLock {
            if let alarm, alarm.time <= time { return }
            alarm = (time, action)
        }
    }

    /// Moves the time, and calls the action of an alarm that is due.
    func advance(by duration: Duration) {
        let end = now.advanced(by: duration)
        while true {
            let action = lock.withLock { () -> (@Sendable () -> Void)? in
                guard let alarm, alarm.time <= end else {
                    time = end
                    return nil
                }
                time = max(time, alarm.time)
                self.alarm = nil
                return alarm.action
            }
            guard let action else { return }
            action()
        }
    }
}
#endif
