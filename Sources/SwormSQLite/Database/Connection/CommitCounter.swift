import CSwormSQLite

/// A counter of the commits of this process into the write-ahead log of one file.
///
/// @unchecked: the memory is accessed only atomically.
package final class CommitCounter: @unchecked Sendable {
    /// The number of commits at one moment.
    struct Count: Hashable {
        /// The number of commits that are running.
        var running: UInt32
        /// The number of commits that have written to the log, modulo 2^32.
        var ended: UInt32
    }

    let memory: UnsafeMutablePointer<sworm_commits>

    package init() {
        memory = .allocate(capacity: 1)
        memory.initialize(to: sworm_commits())
    }

    deinit { memory.deallocate() }

    var count: Count {
        let now = sworm_commits_now(memory)
        return Count(running: now.running, ended: now.ended)
    }

    func begin() { sworm_commits_change(memory, 1, 0) }

    func end() { sworm_commits_change(memory, -1, 0) }
}
