import SwormPredicates

/// A statement that a container has run.
///
/// ```swift
/// let store = try PersistentContainer(for: Book.self, at: .file(url), trace: { print($0) })
/// ```
public struct SQLTrace: Sendable, Hashable, CustomStringConvertible {
    /// The SQL text of the statement, with parameters instead of values.
    public let sql: String

    /// The SQL text with the values inserted, or nil unless the container traces values.
    public let sqlWithValues: String?

    /// The time from the statement's first step to its last, in seconds.
    ///
    /// It includes the time of a closure that is called with each row.
    public let seconds: Double

    /// The number of rows that the statement returned.
    public let rows: Int

    /// Whether the store ran the statement for its own purposes: to start and end transactions, to configure a
    /// connection, or to maintain sequence numbers, metadata and history.
    public let isUpkeep: Bool

    /// The statement, with its values if they are known, its duration and its number of rows, on one line.
    public var description: String {
        let microseconds = (seconds * 1_000_000).rounded()
        return "\(microseconds / 1000) ms, \(rows) rows: \(sqlWithValues ?? sql)"
    }
}

/// An observation of the statements that a container runs, until it is ended.
package final class StatementObservation: Sendable {
    private let stop: @Sendable () -> Void
    private let isEnded = Locked(false)

    init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    /// Ends the observation. Further calls have no effect.
    package func end() {
        let wasEnded = isEnded.withLock { ended in
            defer { ended = true }
            return ended
        }
        if !wasEnded { stop() }
    }

    deinit { end() }
}
