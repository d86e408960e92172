import SwormStore

// Deletions of all objects of a request: by statements, or object by object if the objects have to be inspected.
extension BatchOperations {
    /// Deletes all objects that a request finds, and applies delete rules.
    func delete(_ specification: FetchSpecification) throws -> Int {
        try context.throwReadError()
        let model = try context.requireCoordinator().compiledModel
        let concerned = model.concernedByDeletion(of: specification.entity)
        guard let origin = try batchOrigin(specification), context.pendingEffect(on: specification) == .none,
            !hasChanges(of: concerned), hasPlainClasses(concerned)
        else {
            try context.beginBulkWrite(of: specification.entity)
            let objects = try context.fetchObjects(specification)
            for object in objects { context.deleteObject(object) }
            return objects.count
        }
        let result = try write(BatchDeletion(.found(specification)), to: origin)
        // Other objects may refer to the deleted ones, including by relationships without inverses.
        if result.count > 0 { context.refreshUnchanged { _ in true } }
        return result.count
    }

    func write(_ batch: BatchDeletion, to origin: ObjectOrigin) throws -> BatchResult {
        try context.withTransaction(of: origin) { try write(batch, in: $0) }
    }

    func write(_ batch: BatchDeletion, in transaction: any StoreTransaction) throws -> BatchResult {
        var batch = batch
        (batch.author, batch.contextName) = (context.transactionAuthor, context.name)
        return try transaction.delete(batch)
    }

    private func hasChanges(of entities: Set<Int>) -> Bool {
        context.hasChanges
            && [context.insertedList, context.updatedList, context.deletedList].contains { list in
                list.entities.contains { entities.contains($0) }
            }
    }
}

extension CompiledModel {
    /// Returns the entities whose objects may be deleted or changed when an object of an entity is deleted, or may
    /// refer to such an object.
    func concernedByDeletion(of number: Int) -> Set<Int> {
        var deleted = Set(self[number].family)
        var waiting = Array(deleted)
        while let next = waiting.popLast() {
            for relationship in self[next].relationships where relationship.deleteRule == .cascadeDeleteRule {
                for other in self[relationship.destination].family where deleted.insert(other).inserted {
                    waiting.append(other)
                }
            }
        }
        var concerned = deleted
        for entity in entities {
            for relationship in entity.relationships {
                if deleted.contains(entity.number) { concerned.formUnion(self[relationship.destination].family) }
                // The relationship's destination may be a parent or a sub-entity of a deleted entity.
                if !deleted.isDisjoint(with: self[relationship.destination].family) { concerned.insert(entity.number) }
            }
        }
        return concerned
    }
}
