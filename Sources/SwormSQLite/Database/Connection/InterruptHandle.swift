import CSwormSQLite
import Foundation

/// A handle that stops the statements that a connection is running.
///
/// `@unchecked Sendable`: the pointer is read and cleared only under the lock, and `sqlite3_interrupt` may be called
/// from any thread while the connection is open. The lock is held during the call, so closing the connection waits for
/// it.
package final class InterruptHandle: @unchecked Sendable {
    private let lock = NSLock()
    private var pointer: OpaquePointer?

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Stops the running statements, which fail with `SQLITE_INTERRUPT`; a write among them is rolled back.
    ///
    /// Does nothing if no statement is running, or if the connection is closed. A statement that starts later is not
    /// affected.
    package func interrupt() {
        lock.withLock {
            if let pointer { sqlite3_interrupt(pointer) }
        }
    }

    func invalidate() {
        lock.withLock { pointer = nil }
    }
}
