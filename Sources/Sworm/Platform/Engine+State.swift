#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

// What a context has not saved yet, what it reads meanwhile, and the transaction that both stand in.
extension Engine {
    #if canImport(CoreData)
    typealias Checkpoint = KeyedCheckpoint

    static func checkpoint(_ context: NSManagedObjectContext) -> Checkpoint { KeyedCheckpoint(context) }

    static func restore(_ checkpoint: Checkpoint, in context: NSManagedObjectContext) { checkpoint.restore(context) }

    /// Lets a context read one state of its store from now on; with false, the newest at each read again.
    ///
    /// A store without generations, such as one in memory, is read at its newest state; that is no error.
    static func pin(_ isPinned: Bool, _ context: NSManagedObjectContext) throws {
        try? context.setQueryGenerationFrom(isPinned ? .current : nil)
    }

    /// Core Data writes with a save alone, so that there is nothing to commit or to undo beside it.
    struct Marks {}

    static func keepTransactions(_ areKept: Bool, _ context: NSManagedObjectContext) {}
    static func commit(_ context: NSManagedObjectContext) throws {}
    static func undo(_ context: NSManagedObjectContext) {}
    static func mark(_ context: NSManagedObjectContext) throws -> Marks { Marks() }
    static func release(_ marks: Marks, _ context: NSManagedObjectContext) throws {}
    static func undo(to marks: Marks, _ context: NSManagedObjectContext) throws {}

    /// Core Data cannot stop a read from outside.
    static func interrupt(_ context: NSManagedObjectContext) {}

    /// Nothing to do, as nothing is interrupted.
    static func resume(_ context: NSManagedObjectContext) {}
    #else
    typealias Checkpoint = ContextCheckpoint

    static func checkpoint(_ context: NSManagedObjectContext) -> Checkpoint { context.checkpoint() }

    static func restore(_ checkpoint: Checkpoint, in context: NSManagedObjectContext) { context.restore(checkpoint) }

    /// Lets a context read one state of its store from now on; with false, the newest at each read again.
    static func pin(_ isPinned: Bool, _ context: NSManagedObjectContext) throws {
        try context.setQueryGenerationFrom(isPinned ? .current : nil)
    }

    typealias Marks = TransactionMarks

    /// Lets what a context writes past its objects wait in a transaction for `commit`; with false, nothing waits any more.
    static func keepTransactions(_ areKept: Bool, _ context: NSManagedObjectContext) {
        context.keepTransactions(areKept)
    }

    static func commit(_ context: NSManagedObjectContext) throws { try context.commitTransactions() }

    static func undo(_ context: NSManagedObjectContext) { context.undoTransactions() }

    static func mark(_ context: NSManagedObjectContext) throws -> Marks { try context.markTransactions() }

    static func release(_ marks: Marks, _ context: NSManagedObjectContext) throws { try context.release(marks) }

    static func undo(to marks: Marks, _ context: NSManagedObjectContext) throws {
        try context.undoTransactions(to: marks)
    }

    /// Stops what the context is reading. May be called from any thread.
    static func interrupt(_ context: NSManagedObjectContext) { context.interruptReading() }

    /// Lets a context read again that was interrupted.
    static func resume(_ context: NSManagedObjectContext) { context.resumeReading() }
    #endif
}
