import Foundation

/// A value behind a lock.
///
/// The standard library's mutex needs newer systems than this package does.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked: `value` is touched only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
