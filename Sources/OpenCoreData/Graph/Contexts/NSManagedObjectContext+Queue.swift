package import Dispatch
import Foundation
import SwormSQLite
import SwormRows
import SwormStore
import SwormPredicates

// A context is protected by a recursive lock. `performAndWait` acquires it on the calling thread, so nested calls do
// not block each other; `perform` acquires it on the context's queue, so that no thread of a concurrency pool waits for
// it.
//
// This is also true of a context of the main queue: `performAndWait` runs its block on the calling thread, which need
// not be the main thread, while `perform` runs it on the main queue. Core Data runs both on the main queue. The lock
// excludes code of the main thread in `perform` and `performAndWait`, and not code that uses the context without them.
extension NSManagedObjectContext {
    /// The time at which a block of `perform(schedule:_:)` runs.
    public enum ScheduledTaskType: Sendable {
        /// Immediately if the caller is already on the context's queue, otherwise after all waiting blocks. An
        /// asynchronous call is never on the queue, so here this is the same as `enqueued`.
        case immediate
        /// Always after all waiting blocks.
        case enqueued
    }

    /// Runs a block with exclusive access to the context. See ``performAndWait(_:)``.
    final func run(_ block: () -> Void) {
        lock.lock()
        defer { lock.unlock() }
        asCurrent(block)
    }

    /// Runs a block with exclusive access to the context, on the calling thread, and waits for it. Calls may be nested.
    ///
    /// The block of a context of the main queue runs on the calling thread, too. Call this method on the main thread if
    /// code there uses the context without `perform` and `performAndWait`.
    ///
    /// - Parameter block: The block to run.
    /// - Returns: The result of the block.
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try asCurrent(block)
    }

    private final func asCurrent<T>(_ block: () throws -> T) rethrows -> T {
        if CurrentContext.value === self { return try block() }
        return try CurrentContext.$value.withValue(self) {
            defer { processEvents() }
            return try block()
        }
    }

    /// Runs a block on the context's queue. See ``perform(_:)``.
    final func enqueue(_ block: @escaping @Sendable () -> Void) {
        queue.async { self.run(block) }
    }

    /// Runs a block on the context's queue and waits for it without blocking a thread.
    ///
    /// - Parameters:
    ///   - schedule: The time at which the block runs.
    ///   - block: The block to run.
    /// - Returns: The result of the block.
    /// - Throws: The block's error. A call whose block does not throw needs no `try`.
    public final func perform<T: Sendable, Failure: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        let result = await withCheckedContinuation { continuation in
            queue.async {
                // Observers of the changes are notified before the caller continues.
                let result = self.performAndWait {
                    do throws(Failure) {
                        return Result<T, Failure>.success(try block())
                    } catch {
                        return Result<T, Failure>.failure(error)
                    }
                }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }
}

// Calls of containers that share a context hold it one after the other.
extension NSManagedObjectContext: WaitTarget {
    package var holder: HubState.Holder? { shared.withLock { $0.holder } }

    /// The queue of the context's blocks. Waiting calls are executed there in order.
    package final var blockQueue: DispatchQueue { queue }

    /// Runs a block with exclusive access to the context, on the calling thread, and waits for it. Calls may be nested.
    ///
    /// - Parameters:
    ///   - deadline: The time at which to stop waiting, or nil to wait indefinitely.
    ///   - block: The block.
    /// - Throws: ``CoreDataError`` with the condition `timedOut`, or `wouldDeadlock` if the holder of the context waits
    ///   for this thread; and the block's error.
    package final func hold<T>(
        until deadline: @autoclosure () -> ContinuousClock.Instant?, _ block: () throws -> T
    ) throws -> T {
        if !lock.try() { try wait(until: deadline()) }
        defer { lock.unlock() }
        return try runHeld(block)
    }

    /// Runs a block with exclusive access to the context, unless another thread holds it.
    ///
    /// - Returns: The result of the block, or nil if another thread holds the context.
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
        // The lock waits by the system clock, which can be changed, so check the deadline again.
        while !lock.lock(before: Date(timeIntervalSinceNow: min(deadline.secondsLeft, 1e8))) {
            guard deadline.secondsLeft > 0 else { throw CoreDataError.contextIsHeld }
        }
    }
}

/// The context whose block is running.
enum CurrentContext {
    @TaskLocal static var value: NSManagedObjectContext?
}

extension CoreDataError {
    fileprivate static var contextIsHeld: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "Cannot begin: another call of the same context did not finish in time. Keep calls of a shared context short, or give each a context of its own.",
            condition: .timedOut)
    }
}
