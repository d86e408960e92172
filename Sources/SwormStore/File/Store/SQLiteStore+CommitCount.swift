import SwormSQLite

/// The number of commits to a file with a write-ahead log, by all processes.
package struct CommitCount: Sendable {
    private let index: LogIndex

    init(_ index: LogIndex) { self.index = index }

    /// The number of commits plus a constant, modulo 2^32; nil while a commit is being made.
    package var value: UInt32? { index.foreignCommits(besides: CommitCounter()) }

    /// Returns the number of commits between two values; nil if it is unknown, because the index was built anew.
    package static func commits(from before: UInt32, to after: UInt32) -> Int? {
        let difference = Int32(bitPattern: after &- before)
        return difference >= 0 ? Int(difference) : nil
    }
}

extension SQLiteStore {
    /// Returns the counter of the commits to the file; nil if the file has no write-ahead log.
    package func commitCount() throws -> CommitCount? {
        let connection = try currentFiles().0.pool.makeIdleReader()
        return LogIndex(connection.base).map { CommitCount($0) }
    }
}
