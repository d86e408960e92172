import SwormPredicates
import SwormStore

// Values that are written to rows without using the context's objects, in the context's transaction.
extension NSManagedObjectContext {
    /// Inserts a row for each value; all of them, or none.
    ///
    /// Unsaved changes are preserved and ignored.
    ///
    /// - Throws: The errors that saving such objects would throw.
    package final func insertRows(_ batch: RowBatch, in stores: [NSPersistentStore]? = nil) throws -> InsertedRows {
        try throwReadError()
        let origins = try requireCoordinator().origins(of: batch.layout.entity).filter { origin in
            stores?.contains { $0.origin === origin } ?? true
        }
        guard let origin = origins.first(where: { !($0.store?.isReadOnly ?? true) }) ?? origins.first else {
            throw CoreDataError(
                NSPersistentStoreOperationError, "None of the stores that were named is one of the context's.")
        }
        let batch = announced(batch)
        let counts = try withTransaction(of: origin) { try $0.insert(batch) }
        forgetReadAhead()
        return InsertedRows(origin: origin, entity: batch.layout.entity, counts: counts)
    }

    /// Inserts a row for each value, or updates the row that has its unique values; all of them, or none.
    ///
    /// Objects without unsaved changes have the new values when they are next used.
    ///
    /// - Returns: Nil if the operation requires objects, because unsaved changes or several stores are involved, files
    ///   would be left over, or no index of the database enforces the constraint. In this case, nothing was done and
    ///   the values were not requested.
    package final func upsertRows(_ batch: RowBatch, by rule: UpsertRule) throws -> BatchCounts? {
        try throwReadError()
        let origins = try requireCoordinator().origins(of: batch.layout.entity)
        let root = try requireCoordinator().compiledModel[batch.layout.entity].root
        guard let origin = origins.first, origins.count == 1, !hasChanges(ofHierarchy: root) else {
            try beginBulkWrite(of: batch.layout.entity)
            return nil
        }
        let model = origin.compiled
        let batch = announced(batch)
        guard let counts = try withTransaction(of: origin, { try $0.upsert(batch, by: rule) }) else { return nil }
        // Triggers may have computed new values of derived attributes that depend on the rows.
        if counts.updated > 0 { refreshUnchanged { model[$0].root == root || !model[$0].derivedSlots.isEmpty } }
        forgetReadAhead()
        return counts
    }

    /// Returns whether there are unsaved changes of objects of a hierarchy, which is identified by the number of its
    /// root entity.
    package final func hasChanges(ofHierarchy root: Int) -> Bool {
        guard hasChanges else { return false }
        return [insertedList, updatedList, deletedList].contains { list in
            list.objects.contains { $0.compiledEntity.root == root }
        }
    }

    /// Returns the batch with the context's name and author. It stops when the context is interrupted.
    private func announced(_ batch: RowBatch) -> RowBatch {
        var batch = batch
        batch.author = transactionAuthor
        batch.contextName = name
        batch.beforeEachPart { [interruption] in try interruption.check() }
        return batch
    }
}

/// The rows that a batch has inserted.
package struct InsertedRows {
    let origin: ObjectOrigin
    let entity: Int
    let counts: BatchCounts

    package var count: Int { counts.inserted }

    /// The ids of the rows, in the order of the values.
    var ids: [NSManagedObjectID] {
        counts.keys.flatMap { keys in
            keys.map { NSManagedObjectID(entity: origin.compiled[entity], key: $0, origin: origin) }
        }
    }
}
