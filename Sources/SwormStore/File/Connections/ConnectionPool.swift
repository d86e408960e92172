import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

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
    let file: HubMembership?
    let timeout: Double
    let idleLimit: Int
    let makeReader: @Sendable () throws -> StoreConnection
    let makeWriter: (@Sendable () throws -> StoreConnection)?
    let condition = NSLock()
    var idle: [StoreConnection] = []
    var writer: StoreConnection?
    /// Stops the write that is running; nil while nobody writes.
    var write: InterruptToken?
    /// The views that are open, on connections of their own.
    var open = OpenViews()
    /// Called with what a user of the store should know and no call throws.
    let warnings = StoreWarnings()
    /// The last view that was named as the reason for a long log.
    var lastLongView = 0
    /// Called on the thread that has the turn when the log can begin anew, while nobody in this process reads.
    var logRestarted: (@Sendable () -> Void)?
    /// The connection that moves pages of the log beside the calls.
    var mover: StoreConnection?
    /// Moves pages of the log, and begins it anew, beside the calls.
    let upkeep = DispatchQueue(label: "Sworm log")
    /// Why no connection is given out; nil while the pool is open.
    var shutReason: CoreDataError?
    /// The holds of views and transactions.
    let leases = LeaseList()
    /// The users of the store whose work was stopped for it to be suspended.
    var stopped: [InterruptToken] = []
    /// How often the writing (or only) connection is in use, or about to be.
    var held = 0
    /// The connections that are open, whoever refers to them.
    let alive = Locked(0)
    /// One thread at a time closes the connections, or opens them again.
    let turning = NSLock()
    /// When it was last checked that the path leads to the file.
    var lastCheck = Moment.now

    /// - Parameters:
    ///   - file: The file that the connections have open; nil in memory.
    ///   - writer: The connection for writing, or the only one; nil when there are only readers.
    ///   - timeout: The longest wait for a turn, in seconds.
    ///   - idleReaders: How many idle connections are kept for reading.
    ///   - makeWriter: Opens that one anew; nil where it cannot be.
    init(
        kind: Kind, file: HubMembership? = nil, writer: StoreConnection?, firstReader: StoreConnection? = nil,
        timeout: Double, idleReaders: Int, makeWriter: (@Sendable () throws -> StoreConnection)? = nil,
        makeReader: @escaping @Sendable () throws -> StoreConnection
    ) {
        self.kind = kind
        self.file = file
        // Connections of which each is the only one of its user wait for each other in SQLite, not here.
        hub = kind == .single ? FileHub() : file?.hub ?? FileHub()
        if kind == .single { file?.noteLocks() }
        self.makeReader = makeReader
        self.makeWriter = makeWriter
        self.timeout = timeout
        idleLimit = idleReaders
        self.writer = writer.map(counted)
        if let firstReader { idle.append(counted(firstReader)) }
    }

    /// A connection that is counted until it is closed.
    func counted(_ connection: StoreConnection) -> StoreConnection {
        alive.withLock { $0 += 1 }
        connection.base.onClose = { [alive] in alive.withLock { $0 -= 1 } }
        return connection
    }

    /// When somebody who begins to wait now gives up.
    func end(_ token: InterruptToken?) -> ContinuousClock.Instant {
        let end = ContinuousClock.now + .seconds(timeout)
        return token?.deadline.map { min($0, end) } ?? end
    }

    // MARK: The file

    /// Throws where the path no longer leads to the file, so that what is written would be lost. Asked under the write lock,
    /// before each commit.
    func checkFile() throws { try file?.check() }

    /// Whether the file is to be looked at before a read, with the condition locked: not more often than a hundred times a
    /// second, as it takes as long as a small read.
    func isFileCheckDue(_ now: Moment) -> Bool {
        guard file != nil, now - lastCheck >= .milliseconds(10) else { return false }
        lastCheck = now
        return true
    }
}

extension CoreDataError {
    package static var storeIsClosed: CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError, "The store is closed. Add it to a coordinator again to use it.",
            condition: .storeClosed)
    }

    static func snapshotIsOld(_ cause: SQLiteError) -> CoreDataError {
        CoreDataError(
            NSManagedObjectMergeError,
            "Another transaction was committed since the rows were read from which this write follows. Begin again, or write in a transaction that holds the write lock from its beginning.",
            cause: cause, condition: .conflict)
    }
}
