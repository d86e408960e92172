import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

/// A lease that a view has on its connection.
///
/// The view's thread uses the connection repeatedly. Between two uses, any other thread may revoke the lease, for
/// example when the store is suspended or closed. A use that is running ends first.
///
/// @unchecked: all state is accessed only while the lock is held.
final class ConnectionLease: @unchecked Sendable {
    /// The token that stops the view's statements, and its wait for a turn.
    let token: InterruptToken
    /// Whether the lease belongs to a write, for which closing waits, and not to a view, which closing ends.
    let isWriting: Bool
    /// Whether the lease belongs to a call of a container, and not to a context that the user created.
    let isAdmitted = ThreadHoldings.isHolding
    private let shared: ConnectionUses
    private var lock: NSLock { shared.lock }
    private var connection: StoreConnection?
    private var uses = 0
    /// The thread that started the latest use.
    private var thread: HubState.Holder?
    private var endsAfterUse = false
    private var revocation: CoreDataError?
    /// Called once with the connection, on the thread that ends the lease, unless the connection is handed over.
    private let giveBack: @Sendable (StoreConnection) -> Void

    /// - Parameters:
    ///   - connection: The connection.
    ///   - token: Stops the view's statements.
    ///   - isWriting: Whether the lease belongs to a write.
    ///   - giveBack: Called with the connection when the lease ends.
    init(
        _ connection: StoreConnection, token: InterruptToken, isWriting: Bool,
        giveBack: @escaping @Sendable (StoreConnection) -> Void
    ) {
        self.connection = connection
        self.token = token
        self.isWriting = isWriting
        shared = connection.uses
        self.giveBack = giveBack
    }

    // MARK: Uses

    /// Starts a use. The caller must end it with ``endUse()``.
    ///
    /// - Parameter isAlone: Whether no other use may be running.
    /// - Throws: The reason why the lease was revoked, or an error if the view has ended.
    func beginUse(isAlone: Bool = false) throws -> StoreConnection {
        try lock.withLock {
            if let revocation { throw revocation }
            guard let connection, !endsAfterUse else { throw CoreDataError.viewHasEnded }
            if isAlone, uses > 0 { throw CoreDataError.rowsAreBeingRead }
            uses += 1
            shared.count += 1
            thread = ThreadHoldings.thread
            return connection
        }
    }

    func endUse() {
        let ended = lock.withLock {
            uses -= 1
            shared.count -= 1
            return endsAfterUse || revocation != nil ? takeFree() : nil
        }
        if let ended { finish(ended) }
    }

    /// Whether a use is running.
    var isUsed: Bool { lock.withLock { uses > 0 } }

    /// The thread of the running use.
    var usingThread: HubState.Holder? { lock.withLock { uses > 0 ? thread : nil } }

    // MARK: Ends

    /// Ends the lease after the running use.
    func end() {
        let ended = lock.withLock {
            endsAfterUse = true
            return takeFree()
        }
        if let ended { finish(ended) }
    }

    /// Ends the lease during its only use without returning the connection, because another owner holds it now.
    func handOver() {
        lock.withLock {
            shared.count -= uses
            (connection, uses, endsAfterUse) = (nil, 0, true)
        }
    }

    /// Makes later uses throw the given reason. The lease ends after the running use, or with ``endIfFree()``.
    func revoke(_ reason: CoreDataError) { lock.withLock { revocation = revocation ?? reason } }

    /// Ends a revoked lease on the calling thread, unless its connection is in use.
    func endIfFree() {
        let ended = lock.withLock { revocation != nil && shared.count == 0 ? takeFree() : nil }
        if let ended { finish(ended) }
    }

    /// Throws the reason for which the lease was revoked.
    func check() throws {
        if let reason = lock.withLock({ revocation }) { throw reason }
    }

    /// Interrupts the running statement.
    func interrupt() { lock.withLock { connection?.base.interruptHandle.interrupt() } }

    private func takeFree() -> StoreConnection? {
        guard uses == 0, let ended = connection else { return nil }
        connection = nil
        // Returning the connection is a use too.
        shared.count += 1
        return ended
    }

    private func finish(_ ended: StoreConnection) {
        giveBack(ended)
        shared.end()
    }
}

/// The running uses of a connection, both with and without a lease. A thread that has revoked the leases may use the
/// connection when no use is running.
///
/// @unchecked: the count is accessed only while the lock is held.
final class ConnectionUses: @unchecked Sendable {
    let lock = NSLock()
    var count = 0

    func begin() { lock.withLock { count += 1 } }
    func end() { lock.withLock { count -= 1 } }
}

/// The leases of the connections of a pool.
final class LeaseList: Sendable {
    // An array is enough, because there are few leases.
    private let leases = Locked<[(number: Int, lease: ConnectionLease)]>([])

    var all: [ConnectionLease] { leases.withLock { $0.map(\.lease) } }
    var isEmpty: Bool { leases.withLock { $0.isEmpty } }

    func add(_ lease: ConnectionLease, number: Int) { leases.withLock { $0.append((number, lease)) } }

    /// Ends the views with some numbers. Their next uses throw the given reason.
    func end(_ numbers: Range<Int>, _ reason: CoreDataError) {
        for (number, lease) in leases.withLock({ $0 }) where numbers.contains(number) && !lease.isWriting {
            lease.revoke(reason)
            lease.endIfFree()
        }
    }

    func remove(_ number: Int) {
        leases.withLock { leases in
            guard let index = leases.firstIndex(where: { $0.number == number }) else { return }
            leases.remove(at: index)
        }
    }
}

extension CoreDataError {
    static var viewHasEnded: CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError, "This snapshot of the store has ended. Begin another one to read.")
    }
}
