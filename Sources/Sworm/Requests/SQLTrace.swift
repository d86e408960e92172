import SwormPredicates

/// A statement that a container has run.
///
/// ```swift
/// let store = try PersistentContainer(for: Book.self, at: .file(url), trace: { print($0) })
/// ```
public struct SQLTrace: Sendable, Hashable, CustomStringConvertible {
    /// The text of the statement, with parameters in the place of values.
    public let sql: String

    /// The text with the values in place; nil unless the container was asked for values.
    public let sqlWithValues: String?

    /// The time from the statement's first step to its last, in seconds.
    ///
    /// It has the time in it that a closure takes which gets the rows one by one.
    public let seconds: Double

    /// How many rows the statement returned.
    public let rows: Int

    /// Whether the store ran the statement for itself: to begin and end transactions, to set a connection up, to keep
    /// numbers, metadata and history.
    public let isUpkeep: Bool

    package init(sql: String, sqlWithValues: String?, seconds: Double, rows: Int, isUpkeep: Bool) {
        self.sql = sql
        self.sqlWithValues = sqlWithValues
        self.seconds = seconds
        self.rows = rows
        self.isUpkeep = isUpkeep
    }

    /// The statement, with its values if they are known, its time and its rows, on one line.
    public var description: String {
        let microseconds = (seconds * 1_000_000).rounded()
        return "\(microseconds / 1000) ms, \(rows) rows: \(sqlWithValues ?? sql)"
    }
}

/// Somebody who looks at what a container runs, for a while.
package final class StatementObservation: Sendable {
    private let stop: @Sendable () -> Void
    private let isEnded = Locked(false)

    init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    /// Ends the observation; nothing happens the second time.
    package func end() {
        let wasEnded = isEnded.withLock { ended in
            defer { ended = true }
            return ended
        }
        if !wasEnded { stop() }
    }

    deinit { end() }
}
