import Foundation

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
        CurrentContext.$value.withValue(self, operation: block)
    }

    /// Runs a block that holds the context alone, on the calling thread, and waits for it. May be nested.
    ///
    /// - Parameter block: What to run.
    /// - Returns: What the block returns.
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
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
