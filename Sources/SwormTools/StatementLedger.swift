import Foundation
import Sworm

/// A list of the statements that were run for requests and saves, in the order of execution.
///
/// @unchecked: mutable state is only accessed while the lock is held.
final class StatementLedger: @unchecked Sendable {
    private let lock = NSLock()
    /// The statements, with the number of consecutive executions of each.
    private var runs: [(sql: String, count: Int)] = []
    private var count = 0

    /// Adds a statement, unless it belongs to internal maintenance.
    func note(_ statement: SQLTrace) {
        guard !statement.isUpkeep else { return }
        lock.withLock {
            count += 1
            if runs.last?.sql == statement.sql {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((statement.sql, 1))
            }
        }
    }

    /// Checks that the number of statements is in a range.
    ///
    /// - Throws: A ``StoreError`` that lists the statements, if their number is outside the range.
    func check(_ range: ClosedRange<Int>) throws {
        let (count, runs) = lock.withLock { (self.count, self.runs) }
        guard !range.contains(count) else { return }
        let expected =
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        var lines = runs.prefix(Self.shown).map { $0.count > 1 ? "\($0.count) times: \($0.sql)" : $0.sql }
        if runs.count > Self.shown {
            lines.append("and \(runs.dropFirst(Self.shown).reduce(0) { $0 + $1.count }) more")
        }
        throw StoreError(
            .statementCount,
            "\(count) statements were run, but \(expected) were expected\(lines.isEmpty ? "." : ":")"
                + lines.map { "\n- \($0)" }.joined())
    }

    /// The greatest number of lines in an error message.
    private static let shown = 40
}
