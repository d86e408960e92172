#if PostgreSQL
import SwormPredicates

/// The sizes of earlier results, by the SQL of their statements.
///
/// A result without a limit is read by a cursor, in portions, unless an earlier one was small: a small result is read faster
/// by a prepared statement.
final class ResultSizes: Sendable {
    /// The number of rows that are read at once.
    static let portion = 1000
    /// The number of rows up to which a result is received as a whole.
    static let wholeLimit = 5000

    private static let statementLimit = 1000
    private let small = Locked<Set<String>>([])

    /// Returns whether the last result of a statement was small.
    func isSmall(_ sql: String) -> Bool { small.withLock { $0.contains(sql) } }

    /// Notes the number of rows of a result.
    func note(_ count: Int, of sql: String) {
        small.withLock { small in
            if count > Self.wholeLimit {
                small.remove(sql)
            } else if count < Self.portion {
                if small.count >= Self.statementLimit { small = [] }
                small.insert(sql)
            }
        }
    }
}
#endif
