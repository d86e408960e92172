import Foundation

/// The limits that determine when unused files of external data are removed, and how much work this may cause at once.
struct ExternalDataLimits: Sendable {
    /// The time in seconds since its last modification after which an unused file is considered abandoned.
    ///
    /// Before that, a transaction may be about to refer to it. This library writes files only under the write lock, but
    /// Core Data may write them before it acquires the lock, and a tool may copy the files of a store before its rows.
    var minimumAge = 24.0 * 60 * 60
    /// The pause in seconds after a complete search, if that search took more than a tenth of the work permitted when a
    /// store is opened. Newer files do not become old enough any sooner.
    var searchInterval = 24.0 * 60 * 60
    /// The shortest time between two attempts to remove replaced files while the store is open.
    var attemptInterval = Duration.seconds(1)
    /// The number of files that are inspected when a store is opened. The next opening continues after them.
    var filesPerOpening = 2_000
    /// The number of rows that are inspected when a store is opened. The next opening continues after them.
    var rowsPerOpening = 20_000
    /// A closure that returns the current time of the clock for files.
    var date: @Sendable () -> Date = { Date() }
    /// A closure that returns the current time of the clock for attempts.
    var instant: @Sendable () -> ContinuousClock.Instant = { .now }

    init() {}
}
