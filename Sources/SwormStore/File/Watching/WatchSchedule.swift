/// The times at which a file is looked at after it was written.
///
/// A write is noticed before its commit is visible, so the file is looked at several times after the last write, in growing
/// intervals. Writes that come during that time start the sequence again. This is a value without clocks.
struct WatchSchedule: Sendable {
    /// The pauses between the looks after a write. The first one is skipped while writes are frequent, because each look
    /// wakes a thread.
    static let pauses: [Duration] = [.microseconds(500)] + [2, 8, 32, 128, 512].map { .milliseconds($0) }
    /// The interval of the looks without a write, which also find commits on file systems that report no writes.
    static let idlePause = Duration.milliseconds(900)

    private var next = pauses.count

    /// Whether no further look is scheduled.
    var isDone: Bool { next == Self.pauses.count }

    /// Notes that the file was written, or that a look was not possible.
    mutating func restart() { next = isDone ? 0 : min(next, 1) }

    /// Returns the pause before the next look, or nil after the last one.
    mutating func pause() -> Duration? {
        if isDone { return nil }
        defer { next += 1 }
        return Self.pauses[next]
    }
}
