import SwormStore

// Writes of rows that a caller has compared with its own values.
extension BatchOperations {
    /// Deletes rows by their delete rules, and writes a request; all of it, or nothing.
    func write(_ request: SaveRequest, deleting rows: [RowID], of entity: Int) throws -> Bool {
        try context.throwReadError()
        let coordinator = try context.requireCoordinator()
        let model = coordinator.compiledModel
        var concerned: Set<Int> = []
        for number in Set(rows.map(\.entity)) { concerned.formUnion(model.concernedByDeletion(of: number)) }
        let written = Set(request.insertions.map(\.row.entity)).union(request.updates.map(\.row.entity))
        let linked = Set(
            (request.addedLinks + request.removedLinks).flatMap { [$0.owner.entity, $0.destination.entity] })
        concerned.formUnion(written.union(linked))
        let origins = try coordinator.origins(of: entity)
        guard !context.hasChanges, origins.count == 1, let origin = origins.first,
            origin.store?.objectStore.batchRefusal == nil, hasPlainClasses(concerned)
        else { return false }
        var request = request
        (request.author, request.contextName) = (context.transactionAuthor, context.name)
        try context.interruption.check()
        do {
            try write(request, deleting: rows, to: origin)
        } catch let error where error is UniquenessConflicts || error is SaveConflicts || error is LinkConflicts {
            // The policies that settle them need objects.
            return false
        }
        context.refreshUnchanged { _ in true }
        return true
    }

    private func write(_ request: SaveRequest, deleting rows: [RowID], to origin: ObjectOrigin) throws {
        if rows.isEmpty {
            _ = try context.withTransaction(of: origin) { try $0.save(request) }
        } else if request.isEmpty {
            _ = try write(BatchDeletion(.listed(rows)), to: origin)
        } else {
            try context.withTransaction(of: origin) { transaction in
                let mark = transaction.mark()
                do {
                    // Deleted rows release their unique values first.
                    _ = try write(BatchDeletion(.listed(rows)), in: transaction)
                    _ = try transaction.save(request)
                } catch {
                    try transaction.undo(to: mark)
                    throw error
                }
                try transaction.release(mark)
            }
        }
    }
}
