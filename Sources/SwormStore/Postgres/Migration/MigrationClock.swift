#if PostgreSQL
import Foundation

/// The clock by which a migration pauses between two attempts.
package protocol MigrationClock: Sendable {
    var now: ContinuousClock.Instant { get }

    /// Returns after a duration, or earlier.
    func pause(for duration: Duration)
}

/// The system's monotonic clock.
package struct SystemMigrationClock: MigrationClock {
    package init() {}

    package var now: ContinuousClock.Instant { .now }

    package func pause(for duration: Duration) {
        Thread.sleep(forTimeInterval: max(0, duration / .seconds(1)))
    }
}

/// The pauses between attempts to get locks, which become longer.
struct MigrationPauses {
    private let longest: Duration
    private var next: Duration

    init(from first: Duration = .milliseconds(100), to longest: Duration = .seconds(5)) {
        next = first
        self.longest = longest
    }

    /// Returns the next pause, which has a random length, so that programs do not meet again.
    mutating func take() -> Duration {
        defer { next = min(next * 2, longest) }
        return next * Double.random(in: 0.5...1)
    }
}
#endif
