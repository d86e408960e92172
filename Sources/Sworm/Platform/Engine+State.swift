#if canImport(CoreData)
import CoreData
import Dispatch
import Foundation
#else
import Dispatch
import OpenCoreData
import SwormPredicates
#endif

// What a context has not saved yet, what it reads meanwhile, and the transaction that both stand in.
extension Engine {
    /// Whether a context can hold the write lock of all that it writes: of one store.
    static func hasOneStore(_ context: NSManagedObjectContext) -> Bool {
        context.persistentStoreCoordinator?.persistentStores.count == 1
    }

    #if canImport(CoreData)
    typealias Checkpoint = KeyedCheckpoint

    static func checkpoint(_ context: NSManagedObjectContext) -> Checkpoint { KeyedCheckpoint(context) }

    static func restore(_ checkpoint: Checkpoint, in context: NSManagedObjectContext) { checkpoint.restore(context) }

    /// Lets a context read one state of its store from now on, also where it has read objects before; with false, the newest
    /// at each read again.
    ///
    /// A store without generations, such as one in memory, is read at its newest state; that is no error.
    static func pin(_ isPinned: Bool, _ context: NSManagedObjectContext) throws {
        try? context.setQueryGenerationFrom(isPinned ? .current : nil)
        guard isPinned else { return }
        for object in context.registeredObjects where !object.hasChanges {
            context.refresh(object, mergeChanges: false)
        }
    }

    /// Core Data writes with a save alone, so that there is nothing to commit or to undo beside it.
    struct Marks {}

    static func keepTransactions(_ areKept: Bool, _ context: NSManagedObjectContext) {}
    static func commit(_ context: NSManagedObjectContext) throws {}
    static func undo(_ context: NSManagedObjectContext, restoring: () -> Void) { restoring() }
    static func mark(_ context: NSManagedObjectContext) -> Marks { Marks() }
    static func release(_ marks: Marks, _ context: NSManagedObjectContext) throws {}
    static func undo(to marks: Marks, _ context: NSManagedObjectContext, restoring: () -> Void) throws { restoring() }

    /// Takes the write lock. Core Data has none to take before a save, so there is nothing to do here beside the container's
    /// own ``WriteTurn``.
    static func beginWriting(_ context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator, coordinator.persistentStores.count == 1 else {
            throw StoreError(
                .unsupported,
                "A write needs a context with exactly one store. Write to each store by a context of its own.")
        }
        if coordinator.persistentStores[0].isReadOnly {
            throw StoreError(.readOnly, "Cannot write: the store was opened read-only.")
        }
    }

    /// Whether a context holds the write lock of its store. Core Data takes it for the time of a save.
    static func isWriting(_ context: NSManagedObjectContext) -> Bool { false }

    /// Core Data has no bound for its readers, and nobody waits here.
    struct Admission {
        func adopt() {}
        func leave() {}
        func abandon() {}
    }

    static func enter(
        _ context: NSManagedObjectContext, isWriting: Bool, until deadline: @autoclosure () -> ContinuousClock.Instant?
    ) throws -> Admission { Admission() }

    static func hold<R>(
        _ context: NSManagedObjectContext, until deadline: @autoclosure () -> ContinuousClock.Instant?,
        _ body: () throws -> R
    ) throws -> R { try context.performAndWait(body) }
    static func holdIfFree<R>(_ context: NSManagedObjectContext, _ body: () throws -> R) rethrows -> R? {
        try context.performAndWait(body)
    }

    /// A call that needs no permission.
    struct CallRequest: Sendable {
        init(_ context: NSManagedObjectContext, isWriting: Bool, until deadline: ContinuousClock.Instant?) throws {}

        func begin(_ job: @escaping @Sendable () -> Void) {
            // A concurrent queue would share its few threads with the concurrency pool, and closures that wait would keep other
            // tasks from running.
            DispatchQueue(label: "Sworm call").async(execute: job)
        }
        func cancel() {}
        func admission() throws -> Admission { Admission() }
    }
    static func callEnds() {}
    static func queue(of context: NSManagedObjectContext) -> DispatchQueue { DispatchQueue(label: "Sworm call") }

    /// Lets the writes of one container follow each other.
    final class WriteTurn: Sendable {
        private let lock = NSRecursiveLock()
        func withTurn<R>(_ body: () throws -> R) rethrows -> R {
            lock.lock()
            defer { lock.unlock() }
            return try body()
        }
    }

    /// Core Data cannot stop a read from outside.
    static func interrupt(_ context: NSManagedObjectContext) {}

    /// Nothing to do, as nothing is interrupted.
    static func resume(_ context: NSManagedObjectContext) {}

    /// Core Data has no deadlines: calls look at theirs before they begin and before they save.
    static func setDeadline(_ deadline: ContinuousClock.Instant?, _ context: NSManagedObjectContext) {}
    static func deadline(of context: NSManagedObjectContext) -> ContinuousClock.Instant? { nil }
    static func stoppable<R>(_ isStoppable: Bool, _ context: NSManagedObjectContext, _ body: () throws -> R) rethrows
        -> R
    {
        try body()
    }
    #else
    typealias Checkpoint = ContextCheckpoint

    static func checkpoint(_ context: NSManagedObjectContext) -> Checkpoint { context.checkpoint() }

    static func restore(_ checkpoint: Checkpoint, in context: NSManagedObjectContext) { context.restore(checkpoint) }

    /// Lets a context read one state of its store from now on, also where it has read objects before; with false, the newest
    /// at each read again.
    static func pin(_ isPinned: Bool, _ context: NSManagedObjectContext) throws {
        try context.setQueryGenerationFrom(isPinned ? .current : nil)
        if isPinned { context.refreshUnchanged() }
    }

    typealias Marks = TransactionMarks

    /// Lets what a context writes past its objects wait in a transaction for `commit`; with false, nothing waits any more.
    static func keepTransactions(_ areKept: Bool, _ context: NSManagedObjectContext) {
        context.keepTransactions(areKept)
    }

    static func commit(_ context: NSManagedObjectContext) throws { try context.commitTransactions() }

    /// Undoes what was written. The closure takes back the unsaved changes of objects, at the moment that is right for it.
    static func undo(_ context: NSManagedObjectContext, restoring: () -> Void) {
        context.undoTransactions(restoring: restoring)
    }

    static func mark(_ context: NSManagedObjectContext) -> Marks { context.markTransactions() }

    static func release(_ marks: Marks, _ context: NSManagedObjectContext) throws { try context.release(marks) }

    static func undo(to marks: Marks, _ context: NSManagedObjectContext, restoring: () -> Void) throws {
        try context.undoTransactions(to: marks, restoring: restoring)
    }

    /// Begins a transaction that holds the write lock until `commit` or `undo`.
    static func beginWriting(_ context: NSManagedObjectContext) throws { try context.beginWriting() }

    /// Whether a context holds the write lock of its store.
    static func isWriting(_ context: NSManagedObjectContext) -> Bool { context.isWriting }

    typealias Admission = StoreAdmission

    /// Waits on the calling thread until a call may use the stores of a context.
    static func enter(
        _ context: NSManagedObjectContext, isWriting: Bool, until deadline: @autoclosure () -> ContinuousClock.Instant?
    ) throws -> Admission {
        if isWriting { try context.checkWriting() }
        return try StoreAdmission.enter(
            context.persistentStoreCoordinator?.persistentStores ?? [], isWriting: isWriting, deadline: deadline())
    }

    /// The request of an asynchronous call to use the stores of a context.
    struct CallRequest: Sendable {
        private let request: StoreRequest

        /// - Throws: The error of a write that cannot be done.
        init(_ context: NSManagedObjectContext, isWriting: Bool, until deadline: ContinuousClock.Instant?) throws {
            if isWriting { try context.checkWriting() }
            request = StoreRequest(
                context.persistentStoreCoordinator?.persistentStores ?? [], isWriting: isWriting, deadline: deadline)
        }

        /// Runs the call's job on a thread that may wait, when there is an answer. No thread waits for that.
        func begin(_ job: @escaping @Sendable () -> Void) {
            let isWriting = request.isWriting
            request.begin { isAdmitted in
                // One that is not admitted throws at once.
                CallThreads.shared.enqueue(isAdmitted ? isWriting ? .write : .read : .brief, job)
            }
        }

        /// Ends the waiting.
        func cancel() { request.cancel() }

        /// The answer, for the job.
        func admission() throws -> Admission { try request.admission() }
    }

    /// Says that the asynchronous call of the calling thread is about to give back what it holds.
    static func callEnds() { CallThreads.callEnds() }

    /// Runs a closure that holds a context alone, on the calling thread.
    ///
    /// - Parameter deadline: When to give up waiting for another thread that holds it.
    static func hold<R>(
        _ context: NSManagedObjectContext, until deadline: @autoclosure () -> ContinuousClock.Instant?,
        _ body: () throws -> R
    ) throws -> R { try context.hold(until: deadline(), body) }

    /// Runs a closure that holds a context alone; returns nil where another thread holds it.
    static func holdIfFree<R>(_ context: NSManagedObjectContext, _ body: () throws -> R) rethrows -> R? {
        try context.holdIfFree(body)
    }

    /// The queue of the calls that share a context: one thread waits, and not one for each.
    static func queue(of context: NSManagedObjectContext) -> DispatchQueue { context.blockQueue }

    /// Lets the writes of one container follow each other. Here the store itself does, for all containers.
    struct WriteTurn: Sendable {
        func withTurn<R>(_ body: () throws -> R) rethrows -> R { try body() }
    }

    /// Stops what the context is reading. May be called from any thread.
    static func interrupt(_ context: NSManagedObjectContext) { context.interruptReading() }

    /// Lets a context read again that was interrupted.
    static func resume(_ context: NSManagedObjectContext) { context.resumeReading() }

    /// Lets a context work until a moment; with nil, as long as it takes.
    static func setDeadline(_ deadline: ContinuousClock.Instant?, _ context: NSManagedObjectContext) {
        context.deadline = deadline
    }

    /// When the work of a context is stopped; nil for never.
    static func deadline(of context: NSManagedObjectContext) -> ContinuousClock.Instant? { context.deadline }

    /// Runs a closure in which also the long functions of the engine look at whether they are to stop.
    static func stoppable<R>(_ isStoppable: Bool, _ context: NSManagedObjectContext, _ body: () throws -> R) rethrows
        -> R
    {
        // The call around this one may be another container's, with a deadline that is not this one's.
        guard isStoppable || LongWork.check != nil else { return try body() }
        return try LongWork.$check.withValue(isStoppable ? .init(context.stopsWork) : nil, operation: body)
    }
    #endif
}
