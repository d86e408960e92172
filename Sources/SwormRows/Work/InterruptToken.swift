package import CSwormSystem
import Foundation

/// The wish to stop the work of one user of a store, which each of its connections looks at while it works.
///
/// `sqlite3_interrupt` stops what is running, and SQLite forgets the call where nothing runs yet. A token stays set until it is
/// cleared, so that a wish between two statements is not lost.
///
/// @unchecked: the memory is read and written by atomic operations only, and the content while the lock is held.
package final class InterruptToken: @unchecked Sendable {
    /// Why work is to stop.
    package enum Reason: Int32, Sendable, Hashable {
        /// Its user wants no result any more.
        case cancelled = 1
        /// The store is being suspended or closed.
        case suspended = 2
    }

    private struct Content: Sendable {
        package var deadline: ContinuousClock.Instant?
        var listeners: [Int: @Sendable (Reason) -> Void] = [:]
        var lastListener = 0
        package var name: String?
    }

    /// Read by what works for the user, atomically and without a lock.
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

    // MARK: Interrupting

    /// Why the work is to stop; nil while it may go on.
    package var reason: Reason? { Reason(rawValue: sworm_interruption_reason(memory)) }

    /// Whether the work is to stop, for any reason or because of its deadline.
    package var stopsWork: Bool { sworm_interruption_stops(memory) != 0 }

    /// Stops the work, and keeps it stopped. May be called from any thread.
    ///
    /// - Returns: False where it was stopped before, for the reason that stays.
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

    /// Lets work begin again.
    ///
    /// - Parameter reason: The reason that must be the present one; nil for any.
    package func clear(_ reason: Reason? = nil) {
        withContent { _ in
            if reason == nil || reason == self.reason { sworm_interruption_set(memory, 0) }
        }
    }

    /// Calls a closure when the work is interrupted, on the thread that does it; at once where it is already.
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

    /// When the work is to stop by itself; nil for never.
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

    /// A moment on the clock that connections look at.
    private static func nanoseconds(of instant: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = (instant - .now).components
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooFar else { return seconds < 0 ? 1 : .max }
        let (moment, overflows) = sworm_nanoseconds().addingReportingOverflow(whole + attoseconds / 1_000_000_000)
        return overflows ? .max : max(1, moment)
    }
}
