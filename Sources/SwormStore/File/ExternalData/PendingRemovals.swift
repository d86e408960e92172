import Foundation
import SwormPredicates

/// Files of external data to which no row has referred since a commit, but that a view of an older state may still
/// need.
final class PendingRemovals: Sendable {
    private struct Content: Sendable {
        /// By file, the number of the last view of this store that may see a row which refers to it.
        var files: [UUID: Int] = [:]
        /// The lowest of these numbers.
        var lowest = Int.max
        var nextAttempt: ContinuousClock.Instant?
    }

    private let content = Locked(Content())

    var isEmpty: Bool { content.withLock { $0.files.isEmpty } }

    /// Adds files that a commit has replaced.
    ///
    /// - Parameter view: The number of the last view that may have started before the commit.
    func add(_ files: Set<UUID>, seenUntil view: Int) {
        content.withLock { content in
            for file in files { content.files[file] = view }
            if !files.isEmpty { content.lowest = min(content.lowest, view) }
        }
    }

    func remove(_ files: Set<UUID>) {
        content.withLock { content in
            for file in files { content.files[file] = nil }
            content.lowest = content.files.values.min() ?? .max
        }
    }

    /// Returns the files that are still to be removed.
    func among(_ files: Set<UUID>) -> Set<UUID> {
        content.withLock { content in files.filter { content.files[$0] != nil } }
    }

    /// Returns the files that no view of this store can need.
    ///
    /// - Parameter oldest: The number of the oldest open view.
    func files(before oldest: Int) -> Set<UUID> {
        content.withLock { content in Set(content.files.lazy.filter { $0.value < oldest }.map(\.key)) }
    }

    /// Returns whether it is time for an attempt, and notes the attempt if so.
    ///
    /// - Parameter oldest: The number of the oldest open view.
    func beginsAttempt(_ limits: ExternalDataLimits, before oldest: Int, every interval: Duration) -> Bool {
        content.withLock { content in
            guard content.lowest < oldest else { return false }
            let now = limits.instant()
            if let next = content.nextAttempt, now < next { return false }
            content.nextAttempt = now + interval
            return true
        }
    }
}
