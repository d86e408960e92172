import Foundation
import SwormSQLite

/// The connections of one open store: one for writing and some for reading; or a single one for both.
///
/// With a single connection readers and writers take turns on it. The thread that holds it may take it again.
///
/// @unchecked: everything that changes is only touched while `condition` is locked.
final class ConnectionPool: @unchecked Sendable {
    enum Kind { case readersOnly, writerAndReaders, single }

    let kind: Kind
    private let timeout: Double
    private let idleLimit: Int
    private let makeReader: @Sendable () throws -> StoreConnection
    private let condition = NSCondition()
    private var idle: [StoreConnection] = []
    private var writer: StoreConnection?
    private var holds = 0
    private var holder: ObjectIdentifier?
    private var isClosed = false

    /// - Parameter writer: The connection for writing, or the only one; nil when there are only readers.
    init(
        kind: Kind, writer: StoreConnection?, firstReader: StoreConnection? = nil, options: StoreOptions,
        makeReader: @escaping @Sendable () throws -> StoreConnection
    ) {
        self.kind = kind
        self.writer = writer
        self.makeReader = makeReader
        timeout = options.busyTimeout
        idleLimit = options.idleReaders
        if let firstReader { idle.append(firstReader) }
    }

    /// A connection that sees one state of the file until it is given back.
    ///
    /// - Parameter watch: Who is told what it runs.
    func takeReader(_ watch: StatementWatch? = nil) throws -> StoreConnection {
        condition.lock()
        guard !isClosed else {
            condition.unlock()
            throw CoreDataError.storeIsClosed
        }
        if kind == .single {
            defer { condition.unlock() }
            let connection = try holdSingle()
            connection.base.watch = watch
            do {
                if !connection.base.isInTransaction { try connection.pin() }
            } catch {
                release()
                throw error
            }
            return connection
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
        if kind != .single { connection.unpin() }
        condition.lock()
        defer { condition.unlock() }
        if kind == .single {
            if holds == 1 { connection.unpin() }
            release()
        } else if !isClosed, idle.count < idleLimit {
            idle.append(connection)
        }
    }

    /// Says that the single connection is now used by this thread.
    func touch() {
        guard kind == .single else { return }
        condition.lock()
        if holds > 0 { holder = Self.thread }
        condition.unlock()
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
        condition.lock()
        guard !isClosed else {
            condition.unlock()
            throw CoreDataError.storeIsClosed
        }
        let connection: StoreConnection
        do {
            connection = try holdSingle()
        } catch {
            condition.unlock()
            throw error
        }
        connection.base.watch = watch
        let wasPinned = connection.base.isInTransaction
        condition.unlock()
        if wasPinned { connection.unpin() }
        return (connection, wasPinned)
    }

    func giveBackWriter(_ connection: StoreConnection, wasPinned: Bool) {
        condition.lock()
        if wasPinned { try? connection.pin() }
        release()
        condition.unlock()
    }

    /// Waits for a write that is running, and closes every connection that is not in use; those in use follow when they
    /// are given back.
    func close() {
        condition.lock()
        isClosed = true
        if kind == .writerAndReaders {
            while holds > 0 { condition.wait() }
        }
        idle.removeAll()
        writer = nil
        condition.unlock()
    }

    /// With the condition locked: takes the writing (or only) connection, waiting for others.
    private func holdSingle() throws -> StoreConnection {
        let this = Self.thread
        let end = Date().addingTimeInterval(timeout)
        while holds > 0, kind == .writerAndReaders || holder != this {
            guard condition.wait(until: end) else {
                throw CoreDataError(
                    NSPersistentStoreTimeoutError,
                    "The store is in use by another thread of this process and did not become free within \(timeout) seconds."
                )
            }
        }
        guard !isClosed, let writer else { throw CoreDataError.storeIsClosed }
        holds += 1
        holder = this
        return writer
    }

    private func release() {
        holds -= 1
        if holds == 0 {
            holder = nil
            condition.broadcast()
        }
    }

    private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}

extension CoreDataError {
    static var storeIsClosed: CoreDataError {
        CoreDataError(NSPersistentStoreOperationError, "The store is closed. Add it to a coordinator again to use it.")
    }
}
