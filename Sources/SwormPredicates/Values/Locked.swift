public import Foundation

/// A value behind a lock.
///
/// The standard library's mutex needs newer systems than this package does. Inlinable, because an unspecialized generic
/// closure would cost more than the lock.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked: `value` is accessed only while `lock` is held.
    @usableFromInline let lock = NSLock()
    @usableFromInline var value: Value

    @inlinable
    package init(_ value: sending Value) {
        self.value = value
    }

    @inlinable
    package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
