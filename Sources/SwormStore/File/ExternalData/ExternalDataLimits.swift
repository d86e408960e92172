package import Foundation

/// When files of external data are removed that no row names, and how much work that may be at once.
package struct ExternalDataLimits: Sendable {
    /// The age in seconds, by its last modification, from which on a file that no row names is taken for left behind.
    ///
    /// Until then some transaction may be about to name it: our own write files under the write lock alone, but Core Data's
    /// may do so before they take it, and a tool may copy the files of a store before its rows.
    package var minimumAge = 24.0 * 60 * 60
    /// The pause in seconds after a search that has seen every file, where that was more than a tenth of the work that an
    /// opening may do. Younger files are not old enough any sooner.
    package var searchInterval = 24.0 * 60 * 60
    /// The shortest time between two attempts to remove what was replaced, while the store is open.
    package var attemptInterval = Duration.seconds(1)
    /// The number of files that are looked at when a store is opened. The next opening goes on behind them.
    package var filesPerOpening = 2_000
    /// The number of rows that are looked at when a store is opened. The next opening goes on behind them.
    package var rowsPerOpening = 20_000
    /// The time of the files' clock.
    package var date: @Sendable () -> Date = { Date() }
    /// The time of the clock for attempts.
    package var instant: @Sendable () -> ContinuousClock.Instant = { .now }

    package init() {}
}
