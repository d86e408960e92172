import CSwormSQLite
import Foundation

/// Stops the statements that a connection is running.
///
/// `@unchecked Sendable`: the pointer is read and cleared under the lock only, and `sqlite3_interrupt` may be called from
/// any thread while the connection is open. The lock is held during the call, so a close waits for it.
package final class InterruptHandle: @unchecked Sendable {
    private let lock = NSLock()
    private var pointer: OpaquePointer?

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// The running statements fail with `SQLITE_INTERRUPT`; a write among them is undone. Nothing happens when none runs,
    /// or when the connection is closed. A statement that starts later is not affected.
    package func interrupt() {
        lock.withLock {
            if let pointer { sqlite3_interrupt(pointer) }
        }
    }

    func invalidate() {
        lock.withLock { pointer = nil }
    }
}
