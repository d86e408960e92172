package import Dispatch
import Foundation
import SwormSQLite

// Calls of containers over one context hold it one after the other.
extension NSManagedObjectContext: WaitTarget {
    var holder: HubState.Holder? { shared.withLock { $0.holder } }

    /// The queue of the context's blocks. Waiting calls follow each other there.
    package final var blockQueue: DispatchQueue { queue }

    /// Runs a block that holds the context alone, on the calling thread, and waits for it. May be nested.
    ///
    /// - Parameters:
    ///   - deadline: When to give up waiting; nil for never.
    ///   - block: What to run.
    /// - Throws: ``CoreDataError`` with the condition `timedOut`, or `wouldDeadlock` where the holder of the context waits for this
    ///   thread; and what the block throws.
    package final func hold<T>(until deadline: ContinuousClock.Instant?, _ block: () throws -> T) throws -> T {
        if !lock.try() { try wait(until: deadline) }
        defer { lock.unlock() }
        return try runHeld(block)
    }

    /// Runs a block that holds the context alone, unless another thread holds it.
    ///
    /// - Returns: Nil where another thread does.
    package final func holdIfFree<T>(_ block: () throws -> T) rethrows -> T? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try runHeld(block)
    }

    private func runHeld<T>(_ block: () throws -> T) rethrows -> T {
        let outer = setHolder(ThreadHoldings.thread)
        defer { setHolder(outer) }
        return try CurrentContext.$value.withValue(self, operation: block)
    }

    @discardableResult
    private func setHolder(_ holder: HubState.Holder?) -> HubState.Holder? {
        shared.withLock { shared in
            defer { shared.holder = holder }
            return shared.holder
        }
    }

    private func wait(until deadline: ContinuousClock.Instant?) throws {
        let thread = ThreadHoldings.thread
        try WaitGraph.shared.begin(thread, for: self)
        defer { WaitGraph.shared.end(thread) }
        guard let deadline else { return lock.lock() }
        // The lock waits by the system's clock, which may be set.
        while !lock.lock(before: Date(timeIntervalSinceNow: min(deadline.secondsLeft, 1e8))) {
            guard deadline.secondsLeft > 0 else { throw CoreDataError.contextIsHeld }
        }
    }
}

extension CoreDataError {
    fileprivate static var contextIsHeld: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "Cannot begin: another call over the same context did not end in time. Keep calls over a shared context short, or give each a context of its own.",
            condition: .timedOut)
    }
}
