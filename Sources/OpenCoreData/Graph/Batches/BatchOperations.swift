import SwormPredicates
import SwormStore

/// The operations of a context that write many rows at once: by statements, without the context's objects, in the
/// context's transaction.
///
/// Statements do not see unsaved changes and call no method of an object. If either matters, an operation uses
/// objects instead, or leaves that to its caller.
struct BatchOperations {
    let context: NSManagedObjectContext

    /// Inserts a row for each value; all of them, or none.
    func insert(_ batch: RowBatch, in stores: [NSPersistentStore]? = nil) throws -> InsertedRows {
        try context.throwReadError()
        let origins = try context.requireCoordinator().origins(of: batch.entity).filter { origin in
            stores?.contains { $0.origin === origin } ?? true
        }
        guard let origin = origins.first(where: { !($0.store?.isReadOnly ?? true) }) ?? origins.first else {
            throw CoreDataError(
                NSPersistentStoreOperationError, "None of the affected stores belongs to the context's coordinator.")
        }
        let batch = announced(batch)
        let counts = try context.withTransaction(of: origin) { try $0.insert(batch) }
        context.forgetReadAhead()
        return InsertedRows(origin: origin, entity: batch.entity, counts: counts)
    }

    /// Inserts a row for each value, or updates the row that has its unique values; all of them, or none.
    ///
    /// - Returns: Nil if the operation requires objects. In this case, nothing was done.
    func upsert(_ batch: RowBatch, by rules: [UpsertRule]) throws -> BatchCounts? {
        try context.throwReadError()
        let origins = try context.requireCoordinator().origins(of: batch.entity)
        let root = try context.requireCoordinator().compiledModel[batch.entity].root
        guard let origin = origins.first, origins.count == 1, !context.hasChanges(ofHierarchy: root) else {
            try context.beginBulkWrite(of: batch.entity)
            return nil
        }
        let model = origin.compiled
        let batch = announced(batch)
        guard let counts = try context.withTransaction(of: origin, { try $0.upsert(batch, by: rules) }) else {
            return nil
        }
        // Triggers may have computed new values of derived attributes that depend on the rows.
        if counts.updated > 0 { context.refreshUnchanged { model[$0].root == root || !model[$0].derivedSlots.isEmpty } }
        context.forgetReadAhead()
        return counts
    }

    /// Returns the batch with the context's name and author. It stops when the context is interrupted.
    private func announced(_ batch: RowBatch) -> RowBatch {
        var batch = batch
        batch.author = context.transactionAuthor
        batch.contextName = context.name
        batch.beforeEachPart { [interruption = context.interruption] in try interruption.check() }
        return batch
    }

    // MARK: Choices

    /// Returns the origin of the only store that serves a request, or nil if there are several or statements must not
    /// write to it.
    func batchOrigin(_ specification: FetchSpecification) throws -> ObjectOrigin? {
        let origins = try context.origins(of: specification, in: nil)
        guard origins.count == 1, origins[0].store?.objectStore.batchRefusal == nil else { return nil }
        return origins[0]
    }

    /// Returns whether no entity has a custom class, which may observe changes of its objects.
    func hasPlainClasses(_ entities: some Sequence<Int>) -> Bool {
        guard let model = context.compiledModel else { return true }
        return entities.allSatisfy { context.objectClass(of: model[$0]) == NSManagedObject.self }
    }
}

/// The rows that a batch has inserted, and those that it has updated instead.
package struct InsertedRows {
    let origin: ObjectOrigin
    let entity: Int
    let counts: BatchCounts

    package var count: Int { counts.inserted }

    /// The number of the inserted and the updated rows.
    var writtenCount: Int { counts.written?.count ?? counts.inserted }

    /// The ids of the inserted and the updated rows, in the order of the values.
    var ids: [NSManagedObjectID] {
        (counts.written ?? counts.keys.flatMap { Array($0) }).map {
            NSManagedObjectID(entity: origin.compiled[entity], key: $0, origin: origin)
        }
    }
}
