package import CSwormSystem
import Foundation

/// A request to stop the work of one user of a store, which each of the user's connections checks while it works.
///
/// `sqlite3_interrupt` stops a running statement, but SQLite ignores the call if none is running. A token stays set
/// until it is cleared, so that a request between two statements is not lost.
///
/// @unchecked: the memory is accessed only by atomic operations, and the content only while the lock is held.
package final class InterruptToken: @unchecked Sendable {
    /// The reason to stop work.
    package enum Reason: Int32, Sendable, Hashable {
        /// The user no longer needs a result.
        case cancelled = 1
        /// The store is being suspended or closed.
        case suspended = 2
    }

    private struct Content: Sendable {
        var deadline: ContinuousClock.Instant?
        var listeners: [Int: @Sendable (Reason) -> Void] = [:]
        var lastListener = 0
        var name: String?
        var properties = TransactionProperties()
    }

    /// The state that the user's work reads atomically and without a lock.
    package let memory: UnsafeMutablePointer<sworm_interruption>
    private let lock = NSLock()
    private var content = Content()

    package init() {
        memory = .allocate(capacity: 1)
        memory.initialize(to: sworm_interruption())
    }

    deinit { memory.deallocate() }

    private func withContent<R>(_ body: (inout Content) -> R) -> R { lock.withLock { body(&content) } }

    /// The name of the user, for messages.
    package var name: String? {
        get { withContent { $0.name } }
        set { withContent { $0.name = newValue } }
    }

    /// The properties of the transactions in which the work runs.
    package var properties: TransactionProperties {
        get { withContent { $0.properties } }
        set { withContent { $0.properties = newValue } }
    }

    // MARK: Interrupting

    /// The reason to stop the work; nil while it may continue.
    package var reason: Reason? { Reason(rawValue: sworm_interruption_reason(memory)) }

    /// Whether the work has to stop, for any reason or because of its deadline.
    package var stopsWork: Bool { sworm_interruption_stops(memory) != 0 }

    /// Stops the work until the token is cleared. This method may be called from any thread.
    ///
    /// - Returns: False if the work was already stopped; the earlier reason remains.
    @discardableResult
    package func interrupt(_ reason: Reason) -> Bool {
        let listeners = withContent { content -> [@Sendable (Reason) -> Void]? in
            guard self.reason == nil else { return nil }
            sworm_interruption_set(memory, reason.rawValue)
            return Array(content.listeners.values)
        }
        for listener in listeners ?? [] { listener(reason) }
        return listeners != nil
    }

    /// Allows work to start again.
    ///
    /// - Parameter reason: The reason that must be the current one; nil for any.
    package func clear(_ reason: Reason? = nil) {
        withContent { _ in
            if reason == nil || reason == self.reason { sworm_interruption_set(memory, 0) }
        }
    }

    /// Calls a closure when the work is interrupted, on the thread that interrupts it, or immediately if it already
    /// is.
    ///
    /// - Returns: The number for ``removeListener(_:)``.
    package func addListener(_ listener: @escaping @Sendable (Reason) -> Void) -> Int {
        let (number, reason) = withContent { content in
            content.lastListener += 1
            content.listeners[content.lastListener] = listener
            return (content.lastListener, self.reason)
        }
        if let reason { listener(reason) }
        return number
    }

    package func removeListener(_ number: Int) { withContent { $0.listeners[number] = nil } }

    // MARK: Deadlines

    /// The time at which the work stops automatically; nil for never.
    package var deadline: ContinuousClock.Instant? {
        get { withContent { $0.deadline } }
        set {
            withContent { content in
                content.deadline = newValue
                sworm_interruption_set_deadline(memory, newValue.map(Self.nanoseconds) ?? 0)
            }
        }
    }

    /// Whether the deadline has passed.
    package var isLate: Bool { sworm_interruption_is_late(memory) != 0 }

    /// Returns an instant on the clock that connections use.
    private static func nanoseconds(of instant: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = (instant - .now).components
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooFar else { return seconds < 0 ? 1 : .max }
        let (moment, overflows) = sworm_nanoseconds().addingReportingOverflow(whole + attoseconds / 1_000_000_000)
        return overflows ? .max : max(1, moment)
    }
}
