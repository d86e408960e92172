import Foundation
import SwormSQLite

/// Interrupts the reads of one session.
///
/// @unchecked: the handle is accessed only while the lock is held.
final class SessionInterruption: @unchecked Sendable {
    private let lock = NSLock()
    private var handle: InterruptHandle?

    init(_ handle: InterruptHandle) { self.handle = handle }

    /// Interrupts the running read, if any, which then fails as cancelled.
    func interrupt() {
        // The lock is held, so that the session cannot end and pass its connection to another session.
        lock.withLock { handle?.interrupt() }
    }

    func disarm() { lock.withLock { handle = nil } }
}
