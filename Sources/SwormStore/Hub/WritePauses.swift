/// The pauses that a process with many writes makes, so that other processes can write.
///
/// SQLite's lock is not fair: the process that tries at the right moment gets it. A process that writes again
/// immediately after each commit leaves no such moment to other processes, so it occasionally waits longer than other
/// processes wait between two attempts. This is a value without threads and clocks.
struct WritePauses: Sendable {
    /// The time for which writes may follow each other closely.
    static let period = Duration.milliseconds(250)
    /// The length of a pause, which is longer than the time between two attempts to take the lock.
    static let gap = Duration.milliseconds(2)

    private var lastEnd: ContinuousClock.Instant?
    private var busySince: ContinuousClock.Instant?

    /// Notes the end of a write.
    mutating func ended(at now: ContinuousClock.Instant) { lastEnd = now }

    /// Returns the time to wait before a write that could start now, or nil if no pause is needed.
    mutating func pause(before now: ContinuousClock.Instant) -> Duration? {
        guard let lastEnd, now - lastEnd < Self.gap, let busySince else {
            busySince = now
            return nil
        }
        guard now - busySince >= Self.period else { return nil }
        let pause = Self.gap - (now - lastEnd)
        self.busySince = now + pause
        return pause
    }
}
