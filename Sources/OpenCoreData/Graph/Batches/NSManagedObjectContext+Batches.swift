import SwormPredicates
import SwormStore

// Values that go into rows past the objects of the context, in its transaction.
extension NSManagedObjectContext {
    /// Inserts a row for each value; all of them, or none.
    ///
    /// Unsaved changes stay as they are, and are not looked at.
    ///
    /// - Throws: What saving such objects would throw.
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
        let counts = try withTransaction(origin) { try $0.insert(batch) }
        forgetReadAhead()
        return InsertedRows(origin: origin, entity: batch.layout.entity, counts: counts)
    }

    /// Inserts a row for each value, or updates the row that has its unique values; all of it, or nothing.
    ///
    /// Objects without unsaved changes show the new values when they are next used.
    ///
    /// - Returns: Nil, with nothing done and the values not asked for, where it must be done with objects: unsaved changes
    ///   or several stores have a part in it, files would be left behind, or no index of the file enforces the constraint.
    package final func upsertRows(_ batch: RowBatch, _ rule: UpsertRule) throws -> BatchCounts? {
        try throwReadError()
        let origins = try requireCoordinator().origins(of: batch.layout.entity)
        let root = try requireCoordinator().compiledModel[batch.layout.entity].root
        guard let origin = origins.first, origins.count == 1, !hasChanges(ofHierarchy: root) else {
            try beginBulkWrite(of: batch.layout.entity)
            return nil
        }
        let model = origin.compiled
        let batch = announced(batch)
        guard let counts = try withTransaction(origin, { try $0.upsert(batch, rule) }) else { return nil }
        // Triggers may have worked out anew what hangs on the rows.
        if counts.updated > 0 { refreshUnchanged { model[$0].root == root || !model[$0].derivedSlots.isEmpty } }
        forgetReadAhead()
        return counts
    }

    /// Whether there are unsaved changes of objects of a hierarchy, by the number of its root.
    package final func hasChanges(ofHierarchy root: Int) -> Bool {
        guard hasChanges else { return false }
        return [insertedList, updatedList, deletedList].contains { list in
            list.objects.contains { $0.plan.root == root }
        }
    }

    /// The batch with the names of who writes it; it stops when the context is interrupted.
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
