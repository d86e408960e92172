import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

/// The connections of an open store: one for writing and some for reading, or a single one for both.
///
/// Writing requires the turn, which the hub of the file grants to one thread of the process at a time. The thread
/// writes on the connection for writing, or on the connection on which it was reading, so that it continues with the
/// same snapshot. A single connection has its own hub, and reading requires the turn too. The thread that holds the
/// turn may read on that connection again.
///
/// @unchecked: all mutable state is accessed only while `condition` is locked, or by the holder of the turn.
final class ConnectionPool: @unchecked Sendable {
    enum Kind { case readersOnly, writerAndReaders, single }

    let kind: Kind
    let hub: FileHub
    /// The file that the connections have open, or nil for a store in memory.
    let file: HubMembership?
    let timeout: Double
    let idleLimit: Int
    let makeReader: @Sendable () throws -> StoreConnection
    let makeWriter: (@Sendable () throws -> StoreConnection)?
    let condition = NSLock()
    var idle: [StoreConnection] = []
    var writer: StoreConnection?
    /// The token that stops the running write, or nil while no thread writes.
    var write: InterruptToken?
    /// The open views, each on its own connection.
    var open = OpenViews()
    /// The listeners for warnings that users of the store should see and that no call throws.
    let warnings = StoreWarnings()
    /// The number of the last view that was reported as the reason for a long log.
    var lastLongView = 0
    /// Called on the thread that holds the turn when the log can restart, while no thread in this process reads.
    var logRestarted: (@Sendable () -> Void)?
    /// The connection that moves pages of the log while calls read and write.
    var mover: StoreConnection?
    /// The source of the states that other processes commit, once there was a listener; nil while the pool is shut.
    var foreignSource: (number: Int, source: ForeignStateSource)?
    /// A lock that lets one thread at a time determine the state of the file.
    let looking = NSLock()
    /// The queue that moves pages of the log, and restarts the log, while calls read and write.
    let upkeep = DispatchQueue(label: "Sworm log")
    /// The reason why no connections are provided, or nil while the pool is open.
    var shutReason: CoreDataError?
    /// The last such reason. Work that it has stopped may report so after the pool was resumed.
    var lastShutReason: CoreDataError?
    /// The leases of views and transactions.
    let leases = LeaseList()
    /// The users of the store whose work was stopped when the store was suspended.
    var stopped: [InterruptToken] = []
    /// The number of uses of the connection for writing (or the only connection), including those about to start.
    var held = 0
    /// The number of open connections, regardless of their owners.
    let alive = Locked(0)
    /// A lock that lets one thread at a time close or reopen the connections.
    let turning = NSLock()
    /// The time of the last check that the path still refers to the file.
    var lastCheck = Moment.now

    /// - Parameters:
    ///   - file: The file that the connections have open, or nil for a store in memory.
    ///   - writer: The connection for writing, or the only connection; nil if all connections are for reading.
    ///   - timeout: The longest wait for a turn, in seconds.
    ///   - idleReaders: The number of idle connections that are retained for reading.
    ///   - makeWriter: Opens the writer again, or nil if that is impossible.
    init(
        kind: Kind, file: HubMembership? = nil, writer: StoreConnection?, firstReader: StoreConnection? = nil,
        timeout: Double, idleReaders: Int, makeWriter: (@Sendable () throws -> StoreConnection)? = nil,
        makeReader: @escaping @Sendable () throws -> StoreConnection
    ) {
        self.kind = kind
        self.file = file
        // If each user has a single connection, the connections wait for each other in SQLite, not here.
        hub = kind == .single ? FileHub() : file?.hub ?? FileHub()
        if kind == .single { file?.noteLocks() }
        self.makeReader = makeReader
        self.makeWriter = makeWriter
        self.timeout = timeout
        idleLimit = idleReaders
        self.writer = writer.map(counted)
        if let firstReader { idle.append(counted(firstReader)) }
    }

    /// Returns the connection, which is counted until it is closed.
    func counted(_ connection: StoreConnection) -> StoreConnection {
        alive.withLock { $0 += 1 }
        if kind == .writerAndReaders { connection.base.commitCounter = hub.commitCounter }
        connection.base.onClose = { [alive] in alive.withLock { $0 -= 1 } }
        return connection
    }

    /// Returns the time at which a wait that starts now gives up.
    func end(_ token: InterruptToken?) -> ContinuousClock.Instant {
        let end = ContinuousClock.now + .seconds(timeout)
        return token?.deadline.map { min($0, end) } ?? end
    }

    // MARK: The file

    /// Throws an error if the path no longer refers to the file, because writes would be lost. Called under the write
    /// lock, before each commit.
    func checkFile() throws { try file?.check() }

    /// Returns whether the file must be checked before a read. Called with the condition locked. The file is checked at
    /// most a hundred times per second, because a check takes as long as a small read.
    func isFileCheckDue(_ now: Moment) -> Bool {
        guard file != nil, now - lastCheck >= .milliseconds(10) else { return false }
        lastCheck = now
        return true
    }
}

extension CoreDataError {
    package static var storeIsClosed: CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError, "The store is closed. Add it to a coordinator again before using it.",
            condition: .storeClosed)
    }

    static func snapshotIsOld(_ cause: SQLiteError) -> CoreDataError {
        CoreDataError(
            NSManagedObjectMergeError,
            "Another transaction was committed after this transaction had read its rows, so it cannot write. Start it again, or use a transaction that holds the write lock from its beginning.",
            cause: cause, condition: .conflict)
    }
}
