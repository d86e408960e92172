import CSwormSQLite

/// The index of a file's write-ahead log, in the memory that all connections to the file share.
///
/// Its header has a number that each commit increments, regardless of the process. Reading it takes a few nanoseconds and
/// no lock.
///
/// @unchecked: the memory is written by other processes, and read with the checks that they expect. The connection is
/// only retained.
package final class LogIndex: @unchecked Sendable {
    private let index: UnsafeRawPointer
    /// The connection that keeps the memory mapped.
    private let connection: Connection

    /// Returns nil if the file has no write-ahead log.
    ///
    /// - Parameter connection: A connection that has read the file before, and that nobody uses at the moment.
    package init?(_ connection: Connection) {
        guard let index = sworm_log_index(connection.pointer) else { return nil }
        self.index = UnsafeRawPointer(index)
        self.connection = connection
    }

    /// Returns the number of commits that this process has not made, plus a constant, modulo 2^32; nil if a commit is
    /// just being made.
    ///
    /// The number also changes if the index is built anew, after a process was terminated while it changed the header.
    ///
    /// - Parameter own: The counter of this process's commits into the same log.
    package func foreignCommits(besides own: CommitCounter) -> UInt32? {
        let before = own.count
        var commits: UInt32 = 0
        // A commit of this process may be in the header without having been counted.
        guard before.running == 0, sworm_log_commits(index, &commits) != 0, own.count == before else { return nil }
        return commits &- before.ended
    }
}
