#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormStore

/// The unsaved state of a context.
typealias Checkpoint = ContextCheckpoint

extension ContextCheckpoint {
    init(of context: NSManagedObjectContext) { self = context.checkpoint() }
}

extension TransactionMarks {
    init(of context: NSManagedObjectContext) { self = context.markTransactions() }
}

extension NSManagedObjectContext {
    /// Pins the context to one state of its store, even if it has read objects before; with false, every read sees the
    /// latest state again.
    func pin(_ isPinned: Bool) throws {
        try setQueryGenerationFrom(isPinned ? .current : nil)
        if isPinned { refreshUnchanged() }
    }

    /// Runs a closure during which long-running functions of the engine also check whether to stop.
    func stoppable<R>(_ isStoppable: Bool, _ body: () throws -> R) rethrows -> R {
        // The enclosing call may belong to another container, whose deadline does not apply here.
        guard isStoppable || LongWork.check != nil else { return try body() }
        return try LongWork.$check.withValue(isStoppable ? .init(stopsWork) : nil, operation: body)
    }

    // MARK: Transactions

    /// Uses properties for the transactions that begin from now on.
    func use(_ choice: TransactionChoice) {
        transactionProperties = TransactionProperties(
            isSerializable: choice.isolation == .serializable, settings: choice.settings)
    }

    /// Starts a transaction in which the rows that a request finds are locked.
    func beginWriting(locking request: RequestContent, of entity: ModelEntity) throws {
        try beginWriting(locking: request.specification(of: entity))
    }

    /// Locks the rows that a request finds, in the open transaction.
    func lock(_ request: RequestContent, of entity: ModelEntity) throws {
        try lock(request.specification(of: entity))
    }

    // MARK: Objects

    /// Returns the object with an identity, after reading its row.
    func existingObject(for reference: ObjectReference) throws -> NSManagedObject? {
        guard let id = managedObjectID(for: reference) else { return nil }
        return try existingObject(with: id)
    }
}

extension NSManagedObject {
    /// The object as a subject of predicates.
    var predicateSubject: any EvaluationSubject { self }
}

extension NSError {
    /// The rows that the error refers to.
    var affectedRows: [ObjectReference] { userInfo[NSAffectedObjectsErrorKey] as? [ObjectReference] ?? [] }
}
#endif
