import Foundation
import SwormSQLite

/// Stops the reads of one session.
///
/// @unchecked: the handle is only reached while the lock is held.
final class SessionInterruption: @unchecked Sendable {
    private let lock = NSLock()
    private var handle: InterruptHandle?

    init(_ handle: InterruptHandle) { self.handle = handle }

    /// The read that is running, if any, fails as cancelled.
    func interrupt() {
        // Under the lock, so that the session does not end and its connection is not used by another session.
        lock.withLock { handle?.interrupt() }
    }

    func disarm() { lock.withLock { handle = nil } }
}
