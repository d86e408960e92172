package import Dispatch
import Foundation
import SwormSQLite
import SwormRows
import SwormStore
import SwormPredicates

// A context is guarded by a recursive lock. `performAndWait` takes it on the calling thread, so calls nest without blocking
// each other; `perform` takes it on the context's queue, so that no thread of a concurrency pool waits for it.
extension NSManagedObjectContext {
    /// When a block of `perform(schedule:_:)` runs.
    public enum ScheduledTaskType: Sendable {
        /// At once when the caller is on the context's queue already, else behind what is waiting. A call that can be waited
        /// for without blocking never is on it, so here this is the same as `enqueued`.
        case immediate
        /// Always behind what is waiting.
        case enqueued
    }

    /// Runs a block that holds the context alone, on the calling thread, and waits for it. May be nested.
    ///
    /// - Parameter block: What to run.
    public final func performAndWait(_ block: () -> Void) {
        lock.lock()
        defer { lock.unlock() }
        asCurrent(block)
    }

    /// Runs a block that holds the context alone, on the calling thread, and waits for it. May be nested.
    ///
    /// - Parameter block: What to run.
    /// - Returns: What the block returns.
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try asCurrent(block)
    }

    private final func asCurrent<T>(_ block: () throws -> T) rethrows -> T {
        if CurrentContext.value === self { return try block() }
        return try CurrentContext.$value.withValue(self, operation: block)
    }

    /// Runs a block on the context's queue, later.
    ///
    /// - Parameter block: What to run.
    public final func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async { self.performAndWait(block) }
    }

    /// Runs a block on the context's queue and waits for it without blocking a thread.
    ///
    /// - Parameters:
    ///   - schedule: When the block runs.
    ///   - block: What to run.
    /// - Returns: What the block returns.
    /// - Throws: What the block throws; a call whose block throws nothing needs no `try`.
    public final func perform<T: Sendable, Failure: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        let result = await withCheckedContinuation { continuation in
            perform {
                do throws(Failure) {
                    continuation.resume(returning: Result<T, Failure>.success(try block()))
                } catch {
                    continuation.resume(returning: Result<T, Failure>.failure(error))
                }
            }
        }
        return try result.get()
    }
}

// Calls of containers over one context hold it one after the other.
extension NSManagedObjectContext: WaitTarget {
    package var holder: HubState.Holder? { shared.withLock { $0.holder } }

    /// The queue of the context's blocks. Waiting calls follow each other there.
    package final var blockQueue: DispatchQueue { queue }

    /// Runs a block that holds the context alone, on the calling thread, and waits for it. May be nested.
    ///
    /// - Parameters:
    ///   - deadline: When to give up waiting; nil for never.
    ///   - block: The block.
    /// - Throws: ``CoreDataError`` with the condition `timedOut`, or `wouldDeadlock` where the holder of the context waits for this
    ///   thread; and what the block throws.
    package final func hold<T>(
        until deadline: @autoclosure () -> ContinuousClock.Instant?, _ block: () throws -> T
    ) throws -> T {
        if !lock.try() { try wait(until: deadline()) }
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
        return try asCurrent(block)
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
