import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

/// A state of a file as far as the commits of other processes are concerned: another value means another such commit, or
/// that it is unknown whether there was one.
enum ForeignState: Sendable, Hashable {
    /// The number of commits to a write-ahead log, plus a constant, since the index with the given number was opened.
    case log(index: Int, commits: UInt32)
    /// SQLite's number for the state of the file, in the connection with the given number.
    case version(connection: Int, number: Int64)

    /// Returns the number of commits since an earlier state, or nil if it is unknown.
    func commits(since earlier: ForeignState) -> Int? {
        guard case .log(let index, let commits) = self, case .log(index, let before) = earlier else {
            return self == earlier ? 0 : nil
        }
        let difference = Int32(bitPattern: commits &- before)
        // The number only decreases if the index was built anew.
        return difference >= 0 ? Int(difference) : nil
    }
}

/// The means by which a pool notices commits of other processes.
enum ForeignStateSource: Sendable {
    case log(LogIndex)
    case reader(StoreConnection)

    private static let lastNumber = Locked(0)

    /// Returns a number that no source of any pool has: a store whose file was changed continues with another pool.
    static func nextNumber() -> Int {
        lastNumber.withLock {
            $0 += 1
            return $0
        }
    }
}

// The commits that were not made by the connections of this process, but by other processes, or by other libraries in this
// process.
extension ConnectionPool {
    /// Returns the current state, or nil if it cannot be determined at the moment, because a commit is being made.
    ///
    /// - Throws: An error if the pool is closed or suspended, or the file was moved.
    func foreignState() throws -> ForeignState? {
        looking.lock()
        defer { looking.unlock() }
        if let reason { throw reason }
        switch kind {
        case .single:
            // A connection in a transaction does not see later commits, and prevents them.
            return try withFreeWriter { connection in
                try connection.integer("PRAGMA data_version").map { .version(connection: 0, number: $0) }
            }
        case .writerAndReaders, .readersOnly:
            let (number, source) = try foreignStateSource()
            switch source {
            case .log(let index):
                // The commits of this process are short, so the next attempt usually succeeds.
                for _ in 0..<20 {
                    if let commits = index.foreignCommits(besides: hub.commitCounter) {
                        return .log(index: number, commits: commits)
                    }
                }
                return nil
            case .reader(let connection):
                return try connection.integer("PRAGMA data_version").map { .version(connection: number, number: $0) }
            }
        }
    }

    /// Closes the connection that was opened to notice the commits of other processes.
    func closeForeignSource() {
        let source = condition.withLock {
            defer { foreignSource = nil }
            return foreignSource?.source
        }
        withExtendedLifetime(source) {}
    }

    private func foreignStateSource() throws -> (number: Int, source: ForeignStateSource) {
        if let known = condition.withLock({ foreignSource }) { return known }
        // Counts as a view, for which a thread that closes the pool waits.
        let view = try condition.withLock {
            if let shutReason { throw shutReason }
            return open.add(isAdmitted: true, nil, now: .now).number
        }
        defer { condition.withLock { open.remove(view) } }
        let connection = try makeIdleReader()
        // The state of a reader also changes with commits of this process, of which a read-only store makes none.
        let index = kind == .writerAndReaders ? LogIndex(connection.base) : nil
        let source: ForeignStateSource = index.map { .log($0) } ?? .reader(connection)
        return try condition.withLock {
            if let shutReason { throw shutReason }
            let numbered = (ForeignStateSource.nextNumber(), source)
            foreignSource = numbered
            return numbered
        }
    }

    /// Opens a connection for reading that has read the file, but holds no snapshot.
    func makeIdleReader() throws -> StoreConnection {
        try checkFile()
        let connection = counted(try makeReader())
        // A connection that has not read anything does not know of the log.
        try connection.pin()
        connection.unpin()
        // The path may now refer to another file.
        try checkFile()
        return connection
    }
}
