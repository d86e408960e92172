import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

/// The hold of a view on its connection.
///
/// The view's thread uses the connection again and again. Between two uses any other thread may take it away, as a store does
/// that is suspended or closed; a use that is running ends first.
///
/// @unchecked: everything is touched while the lock is held.
final class ConnectionLease: @unchecked Sendable {
    /// Stops what the view does, and its wait for a turn.
    let token: InterruptToken
    /// Whether it is a write, which closing waits for, and not a view, which it ends.
    let isWriting: Bool
    /// Whether it belongs to a call of a container, and not to a context of the user's own.
    let isAdmitted = ThreadHoldings.isHolding
    private let shared: ConnectionUses
    private var lock: NSLock { shared.lock }
    private var connection: StoreConnection?
    private var uses = 0
    /// The thread that began the latest use.
    private var thread: HubState.Holder?
    private var endsAfterUse = false
    private var revocation: CoreDataError?
    /// Called once with the connection, on the thread that ends the hold, unless it is handed over.
    private let giveBack: @Sendable (StoreConnection) -> Void

    /// - Parameters:
    ///   - connection: The connection.
    ///   - token: Stops what the view does.
    ///   - isWriting: Whether it is a write.
    ///   - giveBack: Gets the connection back.
    init(
        _ connection: StoreConnection, _ token: InterruptToken, isWriting: Bool,
        giveBack: @escaping @Sendable (StoreConnection) -> Void
    ) {
        self.connection = connection
        self.token = token
        self.isWriting = isWriting
        shared = connection.uses
        self.giveBack = giveBack
    }

    // MARK: Uses

    /// Begins a use. ``endUse()`` follows.
    ///
    /// - Parameter isAlone: Whether no other use may be running.
    /// - Throws: The reason why the connection was taken away; an error where the view has ended.
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

    /// The thread of the use that is running.
    var usingThread: HubState.Holder? { lock.withLock { uses > 0 ? thread : nil } }

    // MARK: Ends

    /// Ends the hold, after the use that is running.
    func end() {
        let ended = lock.withLock {
            endsAfterUse = true
            return takeFree()
        }
        if let ended { finish(ended) }
    }

    /// Ends the hold during its only use, without giving the connection back: somebody else holds it now.
    func handOver() {
        lock.withLock {
            shared.count -= uses
            (connection, uses, endsAfterUse) = (nil, 0, true)
        }
    }

    /// Lets later uses throw a reason, and ends the hold after the use that is running, or by ``endIfFree()``.
    func revoke(_ reason: CoreDataError) { lock.withLock { revocation = revocation ?? reason } }

    /// Ends a hold that was revoked, on the calling thread, unless its connection is in use.
    func endIfFree() {
        let ended = lock.withLock { revocation != nil && shared.count == 0 ? takeFree() : nil }
        if let ended { finish(ended) }
    }

    /// Throws the reason why the connection is to be taken away.
    func check() throws {
        if let reason = lock.withLock({ revocation }) { throw reason }
    }

    /// Stops the statement that is running.
    func interrupt() { lock.withLock { connection?.base.interruptHandle.interrupt() } }

    private func takeFree() -> StoreConnection? {
        guard uses == 0, let ended = connection else { return nil }
        connection = nil
        // To give it back is a use too.
        shared.count += 1
        return ended
    }

    private func finish(_ ended: StoreConnection) {
        giveBack(ended)
        shared.end()
    }
}

/// The uses of a connection that are running: those of holds on it, and those without a hold. A thread that has revoked the holds
/// may use the connection when no use is running.
///
/// @unchecked: the count is touched while the lock is held.
final class ConnectionUses: @unchecked Sendable {
    let lock = NSLock()
    var count = 0

    func begin() { lock.withLock { count += 1 } }
    func end() { lock.withLock { count -= 1 } }
}

/// The holds on the connections of a pool.
final class LeaseList: Sendable {
    // There are few of them.
    private let leases = Locked<[(number: Int, lease: ConnectionLease)]>([])

    var all: [ConnectionLease] { leases.withLock { $0.map(\.lease) } }
    var isEmpty: Bool { leases.withLock { $0.isEmpty } }

    func add(_ lease: ConnectionLease, _ number: Int) { leases.withLock { $0.append((number, lease)) } }

    func remove(_ number: Int) {
        leases.withLock { leases in
            guard let index = leases.firstIndex(where: { $0.number == number }) else { return }
            leases.remove(at: index)
        }
    }
}

extension CoreDataError {
    fileprivate static var viewHasEnded: CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError, "This view of the store has ended. Begin another to read from it.")
    }
}
