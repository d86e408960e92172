#if canImport(CoreData)
import CoreData
import Dispatch
import Foundation
#else
import Dispatch
import OpenCoreData
import SwormPredicates
#endif

// The unsaved state of a context, its snapshot, and the transaction that contains both.
extension Engine {
    /// Whether a context has exactly one store, so that it can hold a single write lock for everything that it writes.
    static func hasOneStore(_ context: NSManagedObjectContext) -> Bool {
        context.persistentStoreCoordinator?.persistentStores.count == 1
    }

    #if canImport(CoreData)
    typealias Checkpoint = KeyedCheckpoint

    static func checkpoint(_ context: NSManagedObjectContext) -> Checkpoint { KeyedCheckpoint(context) }

    static func restore(_ checkpoint: Checkpoint, in context: NSManagedObjectContext) { checkpoint.restore(context) }

    /// Pins a context to one state of its store, even if it has read objects before; with false, every read sees the
    /// latest state again.
    ///
    /// A store without query generations, such as one in memory, is read at its latest state; that is not an error.
    static func pin(_ isPinned: Bool, _ context: NSManagedObjectContext) throws {
        try? context.setQueryGenerationFrom(isPinned ? .current : nil)
        guard isPinned else { return }
        for object in context.registeredObjects where !object.hasChanges {
            context.refresh(object, mergeChanges: false)
        }
    }

    /// Core Data writes only when it saves, so that there is nothing else to commit or to undo.
    struct Marks {}

    static func keepTransactions(_ areKept: Bool, _ context: NSManagedObjectContext) {}
    static func commit(_ context: NSManagedObjectContext) throws {}
    static func undo(_ context: NSManagedObjectContext, restoring: () -> Void) { restoring() }
    static func mark(_ context: NSManagedObjectContext) -> Marks { Marks() }
    static func release(_ marks: Marks, _ context: NSManagedObjectContext) throws {}
    static func undo(to marks: Marks, _ context: NSManagedObjectContext, restoring: () -> Void) throws { restoring() }

    /// Checks that the context can write. Core Data has no write lock that could be acquired before a save; only the
    /// container's ``WriteTurn`` serializes writes.
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

    /// Whether a context holds the write lock of its store. Always false, because Core Data holds it only during a
    /// save.
    static func isWriting(_ context: NSManagedObjectContext) -> Bool { false }

    /// A permission without effect: Core Data does not limit its readers, and no call waits here.
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
            // A separate serial queue for each call. A concurrent queue would share its few threads with the
            // concurrency pool, and closures that block would keep other tasks from running.
            DispatchQueue(label: "Sworm call").async(execute: job)
        }
        func cancel() {}
        func admission() throws -> Admission { Admission() }
    }
    static func callEnds() {}
    static func queue(of context: NSManagedObjectContext) -> DispatchQueue { DispatchQueue(label: "Sworm call") }

    /// A lock that serializes the writes of one container.
    final class WriteTurn: Sendable {
        private let lock = NSRecursiveLock()
        func withTurn<R>(_ body: () throws -> R) rethrows -> R {
            lock.lock()
            defer { lock.unlock() }
            return try body()
        }
    }

    /// Does nothing: a read of Core Data cannot be interrupted from outside.
    static func interrupt(_ context: NSManagedObjectContext) {}

    /// Does nothing, because nothing is interrupted.
    static func resume(_ context: NSManagedObjectContext) {}

    /// Does nothing: Core Data has no deadlines. Calls check theirs before they start and before they save.
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

    /// Pins a context to one state of its store, even if it has read objects before; with false, every read sees the
    /// latest state again.
    static func pin(_ isPinned: Bool, _ context: NSManagedObjectContext) throws {
        try context.setQueryGenerationFrom(isPinned ? .current : nil)
        if isPinned { context.refreshUnchanged() }
    }

    typealias Marks = TransactionMarks

    /// Keeps the rows that a context writes without objects in a transaction until `commit`; with false, they are no
    /// longer kept.
    static func keepTransactions(_ areKept: Bool, _ context: NSManagedObjectContext) {
        context.keepTransactions(areKept)
    }

    static func commit(_ context: NSManagedObjectContext) throws { try context.commitTransactions() }

    /// Undoes the writes of the transaction. The engine calls the closure, which reverts the unsaved changes of
    /// objects, at the appropriate moment.
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

    /// Blocks the calling thread until a call may use the stores of a context.
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

        /// - Throws: The error of a write that is not possible.
        init(_ context: NSManagedObjectContext, isWriting: Bool, until deadline: ContinuousClock.Instant?) throws {
            if isWriting { try context.checkWriting() }
            request = StoreRequest(
                context.persistentStoreCoordinator?.persistentStores ?? [], isWriting: isWriting, deadline: deadline)
        }

        /// Runs the call's job on a thread that may block, as soon as there is an answer. No thread waits for the
        /// answer.
        func begin(_ job: @escaping @Sendable () -> Void) {
            let isWriting = request.isWriting
            request.begin { isAdmitted in
                // A call that is not admitted throws immediately.
                CallThreads.shared.enqueue(isAdmitted ? isWriting ? .write : .read : .brief, job)
            }
        }

        /// Stops waiting for an answer.
        func cancel() { request.cancel() }

        /// Returns the answer, for use by the job.
        func admission() throws -> Admission { try request.admission() }
    }

    /// Announces that the asynchronous call of the calling thread is about to release what it holds.
    static func callEnds() { CallThreads.callEnds() }

    /// Runs a closure with exclusive access to a context, on the calling thread.
    ///
    /// - Parameter deadline: The time at which to stop waiting for another thread that holds the context.
    static func hold<R>(
        _ context: NSManagedObjectContext, until deadline: @autoclosure () -> ContinuousClock.Instant?,
        _ body: () throws -> R
    ) throws -> R { try context.hold(until: deadline(), body) }

    /// Runs a closure with exclusive access to a context. Returns nil if another thread holds the context.
    static func holdIfFree<R>(_ context: NSManagedObjectContext, _ body: () throws -> R) rethrows -> R? {
        try context.holdIfFree(body)
    }

    /// Returns the queue of the calls that share a context, so that one thread waits instead of one thread per call.
    static func queue(of context: NSManagedObjectContext) -> DispatchQueue { context.blockQueue }

    /// A turn without effect: the store itself serializes the writes of all containers.
    struct WriteTurn: Sendable {
        func withTurn<R>(_ body: () throws -> R) rethrows -> R { try body() }
    }

    /// Interrupts the statement that the context is running. May be called from any thread.
    static func interrupt(_ context: NSManagedObjectContext) { context.interruptReading() }

    /// Allows an interrupted context to read again.
    static func resume(_ context: NSManagedObjectContext) { context.resumeReading() }

    /// Sets the time at which the work of a context is stopped; nil for no deadline.
    static func setDeadline(_ deadline: ContinuousClock.Instant?, _ context: NSManagedObjectContext) {
        context.deadline = deadline
    }

    /// Returns the time at which the work of a context is stopped; nil for no deadline.
    static func deadline(of context: NSManagedObjectContext) -> ContinuousClock.Instant? { context.deadline }

    /// Runs a closure during which long-running functions of the engine also check whether to stop.
    static func stoppable<R>(_ isStoppable: Bool, _ context: NSManagedObjectContext, _ body: () throws -> R) rethrows
        -> R
    {
        // The enclosing call may belong to another container, whose deadline does not apply here.
        guard isStoppable || LongWork.check != nil else { return try body() }
        return try LongWork.$check.withValue(isStoppable ? .init(context.stopsWork) : nil, operation: body)
    }
    #endif
}
