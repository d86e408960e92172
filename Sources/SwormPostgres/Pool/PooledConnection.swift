#if PostgreSQL
import Foundation

/// One of the connections of a pool, which is opened when it is needed.
///
/// @unchecked: ``connection`` is used by the one thread that holds it. The pool hands it over under its lock. The other
/// properties are safe for all threads, or accessed while the pool's lock is held.
package final class PooledConnection: @unchecked Sendable {
    let number: Int
    let worker = PoolWorker()
    /// Nil until a call needs it, and after it was lost or idle for long.
    package var connection: PostgresConnection?
    /// The handle by which other threads stop the statements of the call. Accessed while the pool's lock is held.
    var canceller: StatementCanceller?
    /// The time at which the connection was returned. Accessed while the pool's lock is held.
    var idleSince: ContinuousClock.Instant?

    init(_ number: Int) { self.number = number }

    /// The number of the calling thread, which is unique among all living threads.
    static var thread: PoolState.Thread {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
#endif
