/// When the pages of a write-ahead log are moved into the file, and when the log begins anew at its start.
///
/// Moving pages disturbs nobody, but the log gets shorter only at a moment in which nobody reads from it. On a busy store that
/// moment never comes by itself: past a limit it has to be made, by keeping new readers out until those that read have ended.
/// A value without threads and clocks.
struct LogPolicy: Sendable {
    enum Action: Sendable, Hashable {
        case nothing
        /// Move what can be moved while others read.
        case move
        /// The same, and keep new readers out so that the log can begin anew.
        case restart
    }

    /// The frames after which pages are moved: as many as SQLite waits for.
    static let movingStep = 1000

    /// The frames after which the log is to begin anew.
    private(set) var limit: Int
    private var moved = 0
    /// Whether an attempt to begin the log anew was asked for and has not ended.
    private(set) var isRestarting = false
    private var nextAttempt: ContinuousClock.Instant?
    private var pause = shortestPause
    /// The frames of the log at the last attempt that failed; 0 after one that succeeded.
    private var failed = 0

    private static let shortestPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)

    init(limit: Int) { self.limit = max(1, limit) }

    /// Keeps the log shorter: among the users of a file the lowest limit counts.
    mutating func lower(to limit: Int) { self.limit = min(self.limit, max(1, limit)) }

    /// What to do after a commit.
    ///
    /// - Parameters:
    ///   - frames: The length of the log.
    ///   - now: The time of the commit.
    mutating func committed(frames: Int, now: ContinuousClock.Instant) -> Action {
        // It has begun anew.
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

    /// A log that grows fast does not wait: however long the pause is, another attempt is made when it has grown by half.
    private func isAttemptDue(frames: Int, now: ContinuousClock.Instant) -> Bool {
        guard let nextAttempt, now < nextAttempt else { return true }
        return failed > 0 && frames - failed > failed / 2
    }

    /// Whether the log is so long that readers may be kept out for longer.
    func isUrgent(frames: Int) -> Bool { frames >= limit * 2 }

    /// Notes how an attempt ended to begin the log anew. After a failure the next one waits, longer each time: a snapshot that
    /// is held for long would otherwise stop all other readers again and again.
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
