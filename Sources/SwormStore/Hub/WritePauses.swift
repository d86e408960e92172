/// The pauses that a process with many writes makes for those of other processes.
///
/// SQLite's lock knows no order: whoever asks at the right moment has it. A process that writes again as soon as it has committed
/// leaves no such moment to others, so now and then it waits for longer than others wait between two attempts.
/// A value without threads and clocks.
struct WritePauses: Sendable {
    /// How long writes may follow each other closely.
    static let period = Duration.milliseconds(250)
    /// Longer than the time between two attempts to take the lock.
    static let gap = Duration.milliseconds(2)

    private var lastEnd: ContinuousClock.Instant?
    private var busySince: ContinuousClock.Instant?

    /// Notes the end of a write.
    mutating func ended(at now: ContinuousClock.Instant) { lastEnd = now }

    /// How long to wait before a write that could begin now; nil for not at all.
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
