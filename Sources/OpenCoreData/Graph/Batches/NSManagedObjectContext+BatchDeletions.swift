import SwormStore

// Deletions of all objects of a request by statements, and by the objects where these have to be looked at.
extension NSManagedObjectContext {
    /// Deletes all objects that a request finds, and what follows by delete rules.
    ///
    /// Unsaved changes count. Where they bear on what is deleted, where several stores answer the request, or a class of its
    /// own wants to see its objects go, the objects are deleted one by one, and the next save writes that.
    ///
    /// - Returns: The number of objects that the request found.
    /// - Throws: The error of a relationship that denies the deletion, or that must not be empty; and the store's error.
    package final func delete(_ specification: FetchSpecification) throws -> Int {
        try throwReadError()
        let model = try requireCoordinator().compiledModel
        let concerned = model.concernedByDeletion(of: specification.entity)
        guard let origin = try batchOrigin(specification), pendingEffect(on: specification) == .none,
            !hasChanges(of: concerned), hasPlainClasses(concerned)
        else {
            try beginBulkWrite(of: specification.entity)
            let objects = try fetchObjects(specification)
            for object in objects { delete(object) }
            return objects.count
        }
        let result = try write(BatchDeletion(.found(specification)), to: origin)
        // Others lead to what is gone, by relationships without inverses too.
        if result.count > 0 { refreshUnchanged { _ in true } }
        return result.count
    }

    final func write(_ batch: BatchDeletion, to origin: ObjectOrigin) throws -> BatchResult {
        var batch = batch
        (batch.author, batch.contextName) = (transactionAuthor, name)
        return try withTransaction(origin) { try $0.delete(batch) }
    }

    private func hasChanges(of entities: Set<Int>) -> Bool {
        hasChanges
            && [insertedList, updatedList, deletedList].contains { list in
                list.entities.contains { entities.contains($0) }
            }
    }
}

extension CompiledModel {
    /// The entities whose objects the deletion of one entity's objects may delete or change, or that may lead to one.
    fileprivate func concernedByDeletion(of number: Int) -> Set<Int> {
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
                // It may be declared to lead to an entity above one that is deleted, or below.
                if !deleted.isDisjoint(with: self[relationship.destination].family) { concerned.insert(entity.number) }
            }
        }
        return concerned
    }
}
