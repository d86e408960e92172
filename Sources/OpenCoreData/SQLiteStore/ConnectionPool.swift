import Foundation
import SwormSQLite

/// The connections of one open store: one for writing and some for reading; or a single one for both.
///
/// Writing is a turn that one thread of the process has at a time; the hub of the file gives it. The thread writes on the
/// connection that is kept for it, or on the one that it has been reading on, whose snapshot it goes on with. A single
/// connection has a hub of its own, and reading takes the turn too. The thread that holds it may read on it again.
///
/// @unchecked: everything that changes is only touched while `condition` is locked, or by the holder of the turn.
final class ConnectionPool: @unchecked Sendable {
    enum Kind { case readersOnly, writerAndReaders, single }

    let kind: Kind
    let hub: FileHub
    /// The file that the connections have open; nil in memory.
    private let file: HubMembership?
    private let timeout: Double
    private let idleLimit: Int
    private let makeReader: @Sendable () throws -> StoreConnection
    private let condition = NSCondition()
    private var idle: [StoreConnection] = []
    private var writer: StoreConnection?
    /// The views that read on the single connection.
    private var views = 0
    /// The writes that are running.
    private var writes = 0
    private var isClosed = false
    /// When it was last checked that the path leads to the file.
    private var lastCheck = ContinuousClock.now

    /// - Parameters:
    ///   - file: The file that the connections have open; nil in memory.
    ///   - writer: The connection for writing, or the only one; nil when there are only readers.
    init(
        kind: Kind, file: HubMembership? = nil, writer: StoreConnection?, firstReader: StoreConnection? = nil,
        options: StoreOptions, makeReader: @escaping @Sendable () throws -> StoreConnection
    ) {
        self.kind = kind
        self.file = file
        // Connections of which each is the only one of its user wait for each other in SQLite, not here.
        hub = kind == .single ? FileHub() : file?.hub ?? FileHub()
        self.writer = writer
        self.makeReader = makeReader
        timeout = options.busyTimeout
        idleLimit = options.idleReaders
        if let firstReader { idle.append(firstReader) }
    }

    private var end: ContinuousClock.Instant { .now + .seconds(timeout) }

    // MARK: The file

    /// Throws where the path no longer leads to the file, so that what is written would be lost. Asked under the write lock,
    /// before each commit.
    func checkFile() throws { try file?.check() }

    /// The same before a read, not more often than a hundred times a second: it takes as long as a small read.
    private func checkFileSometimes() throws {
        guard let file else { return }
        let now = ContinuousClock.now
        condition.lock()
        let isDue = now - lastCheck >= .milliseconds(10)
        if isDue { lastCheck = now }
        condition.unlock()
        if isDue { try file.check() }
    }

    // MARK: Reading

    /// A connection that sees one state of the file until it is given back.
    ///
    /// - Parameter watch: Who is told what it runs.
    func takeReader(_ watch: StatementWatch? = nil) throws -> StoreConnection {
        try checkFileSometimes()
        if kind == .single {
            let connection = try takeSingle()
            connection.base.watch = watch
            do {
                if !connection.base.isInTransaction { try connection.pin() }
            } catch {
                hub.releaseTurn()
                throw error
            }
            // Touched by the holder of the turn alone.
            views += 1
            return connection
        }
        condition.lock()
        guard !isClosed else {
            condition.unlock()
            throw CoreDataError.storeIsClosed
        }
        let reused = idle.popLast()
        condition.unlock()
        if let reused {
            do {
                reused.base.watch = watch
                try reused.pin()
                return reused
            } catch let error as CoreDataError {
                throw error
            } catch {
                // The connection is dropped: what ails it may be its own.
                let fresh = try makeReader()
                fresh.base.watch = watch
                try fresh.pin()
                return fresh
            }
        }
        let connection = try makeReader()
        connection.base.watch = watch
        try connection.pin()
        return connection
    }

    func giveBack(_ connection: StoreConnection) {
        if kind == .single {
            views -= 1
            if views == 0 { connection.unpin() }
            hub.releaseTurn()
            return
        }
        connection.unpin()
        condition.lock()
        defer { condition.unlock() }
        if !isClosed, idle.count < idleLimit { idle.append(connection) }
    }

    /// Says that the single connection is now used by this thread.
    func touch() {
        if kind == .single { hub.assignTurn() }
    }

    /// Runs a body on the connection for writing, which is in no transaction at that time.
    ///
    /// A read transaction that this thread has on a single connection is ended before and begun anew behind.
    ///
    /// - Parameter watch: Who is told what it runs.
    func withWriter<Result>(
        _ watch: StatementWatch? = nil, _ body: (StoreConnection) throws -> Result
    ) throws -> Result {
        let (connection, wasPinned) = try takeWriter(watch)
        defer { giveBackWriter(connection, wasPinned: wasPinned) }
        return try body(connection)
    }

    /// The connection for writing, in no transaction, for somebody who gives it back by ``giveBackWriter(_:wasPinned:)``.
    ///
    /// - Parameter watch: Who is told what it runs.
    /// - Returns: The connection, and whether a read transaction of this thread on a single connection was ended for it.
    func takeWriter(
        _ watch: StatementWatch? = nil
    ) throws -> (connection: StoreConnection, wasPinned: Bool) {
        let connection = try takeSingle()
        do {
            try beginWrite()
        } catch {
            hub.releaseTurn()
            throw error
        }
        connection.base.watch = watch
        let wasPinned = connection.base.isInTransaction
        if wasPinned { connection.unpin() }
        return (connection, wasPinned)
    }

    func giveBackWriter(_ connection: StoreConnection, wasPinned: Bool) {
        if wasPinned, views > 0 { try? connection.pin() }
        endWrite()
        hub.releaseTurn()
    }

    /// Takes the turn for a connection that is being read, and lets it write into the snapshot that it reads.
    ///
    /// - Parameters:
    ///   - watch: Gets the statements that it runs.
    ///   - prepare: Makes the connection fit to write.
    /// - Throws: A conflict where something was committed since the snapshot was taken. The connection goes on reading then.
    func upgrade(
        _ connection: StoreConnection, watch: StatementWatch?, prepare: (StoreConnection) throws -> Void
    ) throws {
        // A single connection is held by its reader.
        if kind != .single { try hub.takeTurn(until: end) }
        do {
            try beginWrite()
        } catch {
            if kind != .single { hub.releaseTurn() }
            throw error
        }
        do {
            connection.base.watch = watch
            if kind != .single { try connection.base.execute("PRAGMA query_only = OFF") }
            try prepare(connection)
            try lock(connection)
        } catch {
            if kind != .single { try? connection.base.execute("PRAGMA query_only = ON") }
            endWrite()
            if kind != .single { hub.releaseTurn() }
            throw error
        }
    }

    /// Ends the turn of a connection that was upgraded, and takes it back.
    func giveBackUpgraded(_ connection: StoreConnection) {
        if kind != .single { try? connection.base.execute("PRAGMA query_only = ON") }
        endWrite()
        if kind != .single { hub.releaseTurn() }
        giveBack(connection)
    }

    private func beginWrite() throws {
        try hub.beginWriting()
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else {
            hub.endWriting()
            throw CoreDataError.storeIsClosed
        }
        writes += 1
    }

    private func endWrite() {
        hub.endWriting()
        condition.lock()
        writes -= 1
        if writes == 0 { condition.broadcast() }
        condition.unlock()
    }

    /// Takes the write lock for a connection that is being read.
    private func lock(_ connection: StoreConnection) throws {
        let end = ContinuousClock.now + .seconds(timeout)
        var pause: UInt32 = 500
        while true {
            do {
                return try connection.lockForWriting()
            } catch let error as SQLiteError where error.extendedCode == SQLiteError.busySnapshot {
                throw CoreDataError.snapshotIsOld(error)
            } catch let error as SQLiteError where error.code == SQLiteError.busy {
                // Without a log whoever has the lock waits for this reader to end, so that one of the two must give way.
                if kind == .single { throw CoreDataError.snapshotIsOld(error) }
                // SQLite does not wait where a snapshot is held, as it would be old after any commit.
                guard ContinuousClock.now < end else { throw error }
            }
            usleep(pause)
            pause = min(2 * pause, 10_000)
        }
    }

    /// Waits for a write that is running, and closes every connection that is not in use; those in use follow when they
    /// are given back.
    func close() {
        condition.lock()
        isClosed = true
        if kind == .writerAndReaders {
            while writes > 0 { condition.wait() }
        }
        idle.removeAll()
        writer = nil
        condition.unlock()
    }

    /// Takes the turn, and with it the writing (or only) connection, waiting for whoever has it.
    private func takeSingle() throws -> StoreConnection {
        try hub.takeTurn(until: end)
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed, let writer else {
            hub.releaseTurn()
            throw CoreDataError.storeIsClosed
        }
        return writer
    }
}

extension CoreDataError {
    static var storeIsClosed: CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError, "The store is closed. Add it to a coordinator again to use it.",
            condition: .storeClosed)
    }

    fileprivate static func snapshotIsOld(_ cause: SQLiteError) -> CoreDataError {
        CoreDataError(
            NSManagedObjectMergeError,
            "Another transaction was committed since the rows were read from which this write follows. Begin again, or write in a transaction that holds the write lock from its beginning.",
            cause: cause, condition: .conflict)
    }
}
