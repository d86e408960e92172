import SwormStore

// The age of rows that were read and not used yet.
extension NSManagedObjectContext {
    /// The time at which rows are read; nil if no row becomes stale.
    final var timeOfReading: ContinuousClock.Instant? { staleness < 0 ? nil : now() }

    /// Returns whether rows are too old for a fault. Rows that were read while no row became stale have no age, so they
    /// count as stale.
    final func isStale(_ group: RowSet) -> Bool {
        guard staleness >= 0 else { return false }
        guard staleness > 0, let readAt = group.readAt else { return true }
        // Infinity and other large numbers of seconds are no durations.
        return readAt.duration(to: now()) / .seconds(1) >= staleness
    }
}
