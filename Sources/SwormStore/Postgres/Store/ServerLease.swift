#if PostgreSQL
import Foundation
import SwormPostgres
import SwormRows

/// A lease that a view of a store has on its connection, with the connection's transaction.
///
/// The view's thread uses the connection repeatedly. Between two uses, any other thread may revoke the lease, when the
/// store is closed. A use that is running ends first.
///
/// @unchecked: all state is accessed only while the lock is held.
final class ServerLease: @unchecked Sendable {
    private let lock = NSLock()
    private var pooled: PooledConnection?
    private var uses = 0
    private var endsAfterUse = false
    private var revocation: CoreDataError?
    private let canceller: StatementCanceller?
    /// Whether the lease belongs to a write, for which closing waits.
    let isWriting: Bool
    /// Called once with the connection, on the thread that ends the lease.
    private let giveBack: @Sendable (PooledConnection) -> Void

    init(
        _ pooled: PooledConnection, isWriting: Bool, giveBack: @escaping @Sendable (PooledConnection) -> Void
    ) {
        self.pooled = pooled
        self.isWriting = isWriting
        self.giveBack = giveBack
        canceller = pooled.connection?.canceller
    }

    /// Starts a use, which ``endUse()`` must end.
    ///
    /// - Throws: The reason why the lease was revoked, or an error if the view has ended.
    func beginUse() throws -> PostgresConnection {
        try lock.withLock {
            if let revocation { throw revocation }
            guard let connection = pooled?.connection, !endsAfterUse else { throw CoreDataError.viewHasEnded }
            uses += 1
            return connection
        }
    }

    func endUse() { change { uses -= 1 } }

    /// Ends the lease after the running use.
    func end() { change { endsAfterUse = true } }

    /// Ends the lease during its only use without returning the connection, which gets another owner; nil if there are other
    /// uses.
    func handOver() -> PooledConnection? {
        lock.withLock {
            guard uses == 1 else { return nil }
            defer { (pooled, uses, endsAfterUse) = (nil, 0, true) }
            return pooled
        }
    }

    /// Whether a use can begin.
    var isAvailable: Bool { lock.withLock { revocation == nil && !endsAfterUse && pooled?.connection != nil } }

    /// Makes later uses throw the given reason, and ends the lease unless the connection is in use.
    func revoke(_ reason: CoreDataError) {
        change { revocation = revocation ?? reason }
    }

    /// Stops the running statement, from any thread.
    func interrupt() { canceller?.stop() }

    /// Stops the running statement and all later ones, from any thread.
    func stop() { canceller?.stopAll() }

    /// Whether the connection is in use.
    var isUsed: Bool { lock.withLock { uses > 0 } }

    /// Changes the state, and ends the lease if it is over and the connection is not in use.
    private func change(_ body: () -> Void) {
        let (ended, isRevoked) = lock.withLock {
            body()
            let isOver = endsAfterUse || revocation != nil
            return (isOver && uses == 0 ? pooled.take() : nil, revocation != nil)
        }
        guard let ended else { return }
        // A store that is closed does not wait for an answer: the server rolls back when the connection is closed.
        if isRevoked { ended.connection = nil }
        giveBack(ended)
    }
}
#endif
