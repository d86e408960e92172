extension EditingContext {
    /// When an editing context saves by itself.
    public enum Autosave: Sendable, Hashable {
        /// Only ``EditingContext/save()`` saves.
        case never
        /// A pause after the last change, but at most a limit after the first unsaved one; and when the context is
        /// released.
        case after(Duration, atMost: Duration = .seconds(10))
    }
}

/// A clock, as closures: the time since it was made, and a sleep.
struct EditingClock: Sendable {
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void

    init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
    }
}
