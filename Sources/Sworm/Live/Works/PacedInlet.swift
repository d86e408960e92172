/// An inlet whose values are at least an interval apart. A value that is replaced by a newer one during the interval is
/// skipped.
final class PacedInlet<Element: Sendable, Pace: Clock>: LiveInlet, @unchecked Sendable where Pace.Duration == Duration {
    private let source: any LiveInlet<Element>
    private let interval: Duration
    private let clock: Pace
    // Unchecked: only the one task that takes values uses it.
    private var last: Pace.Instant?

    init(from source: any LiveInlet<Element>, interval: Duration, clock: Pace) {
        self.source = source
        self.interval = interval
        self.clock = clock
    }

    func next(isolation: isolated (any Actor)?) async throws -> Element? {
        // During the pause, the source keeps the newest value. If the task is cancelled, the source ends.
        if let last { try? await clock.sleep(until: last.advanced(by: interval), tolerance: nil) }
        let value = try await source.next(isolation: isolation)
        last = clock.now
        return value
    }

    func end() { source.end() }
}
