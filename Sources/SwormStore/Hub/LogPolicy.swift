/// A policy that decides when the pages of a write-ahead log are moved into the file, and when the log restarts from
/// its beginning.
///
/// Moving pages does not block readers or writers, but the log becomes shorter only at a moment when no connection
/// reads from it. On a busy store, such a moment never occurs by itself. Above a limit it is therefore enforced, by
/// keeping new readers out until the current readers have ended. This is a value without threads and clocks.
struct LogPolicy: Sendable {
    enum Action: Sendable, Hashable {
        case nothing
        /// Move the pages that can be moved while other connections read.
        case move
        /// Move pages, and keep new readers out so that the log can restart.
        case restart
    }

    /// The number of frames after which pages are moved, which is the same as SQLite's default.
    static let movingStep = 1000

    /// The number of frames above which the log must restart.
    private(set) var limit: Int
    private var moved = 0
    /// Whether an attempt to restart the log was requested and has not ended.
    private(set) var isRestarting = false
    private var nextAttempt: ContinuousClock.Instant?
    private var pause = shortestPause
    /// The number of frames in the log at the last failed attempt, or 0 after a successful one.
    private var failed = 0

    private static let shortestPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)

    init(limit: Int) { self.limit = max(1, limit) }

    /// Lowers the limit. The lowest limit of all users of a file applies.
    mutating func lower(to limit: Int) { self.limit = min(self.limit, max(1, limit)) }

    /// Returns the action to perform after a commit.
    ///
    /// - Parameters:
    ///   - frames: The length of the log.
    ///   - now: The time of the commit.
    mutating func committed(frames: Int, now: ContinuousClock.Instant) -> Action {
        // The log has restarted.
        if frames < moved { moved = 0 }
        if frames < failed { failed = 0 }
        if frames >= limit, !isRestarting, isAttemptDue(frames: frames, now: now) {
            isRestarting = true
            moved = frames
            return .restart
        }
        guard frames - moved >= min(Self.movingStep, limit) else { return .nothing }
        moved = frames
        return .move
    }

    /// Returns whether another attempt is due. A log that grows fast does not wait: regardless of the pause, another
    /// attempt is made when the log has grown by half.
    private func isAttemptDue(frames: Int, now: ContinuousClock.Instant) -> Bool {
        guard let nextAttempt, now < nextAttempt else { return true }
        return failed > 0 && frames - failed > failed / 2
    }

    /// Returns whether the log is so long that readers may be blocked for a longer time.
    func isUrgent(frames: Int) -> Bool { frames >= limit * 2 }

    /// Notes the result of an attempt to restart the log. After each failure, the pause before the next attempt is
    /// longer, because otherwise a long-lived snapshot would block all other readers repeatedly.
    mutating func restarted(_ succeeded: Bool, now: ContinuousClock.Instant) {
        isRestarting = false
        if succeeded {
            (moved, failed, nextAttempt, pause) = (0, 0, nil, Self.shortestPause)
        } else {
            failed = moved
            nextAttempt = now + pause
            pause = min(pause * 2, Self.longestPause)
        }
    }
}
