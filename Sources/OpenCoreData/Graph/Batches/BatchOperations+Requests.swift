import Foundation
import SwormPredicates
import SwormStore

// Core Data's batch requests, which change stores without using the context's objects.
extension BatchOperations {
    func execute(_ request: NSBatchUpdateRequest) throws -> NSBatchUpdateResult {
        let model = try context.requireCoordinator().compiledModel
        guard let entity = model.entity(named: request.entityName) else {
            throw CoreDataError.unknownEntity(request.entityName, in: model)
        }
        var specification = FetchSpecification(entity: entity.number)
        specification.includesSubentities = request.includesSubentities
        specification.predicate = try request.predicate?.tree()
        let assignments = try assignments(request.propertiesToUpdate ?? [:], of: entity)
        var batch = BatchUpdate(specification, values: try acceptedValues(assignments.values, of: entity))
        batch.computed = assignments.computed
        batch.namesRows = request.resultType == .updatedObjectIDsResultType
        let parts = try batchOrigins(of: specification, in: request.affectedStores).map { ($0, batch) }
        let changed = try total(of: parts) { try write($1, to: $0) }
        let result: Any =
            switch request.resultType {
            case .statusOnlyResultType: true
            case .updatedObjectIDsResultType: changed.ids
            case .updatedObjectsCountResultType: changed.count
            }
        return NSBatchUpdateResult(result, resultType: request.resultType)
    }

    func execute(_ request: NSBatchDeleteRequest) throws -> NSBatchDeleteResult {
        let model = try context.requireCoordinator().compiledModel
        let deleted = try total(of: choices(of: request, in: model)) { origin, choice in
            var batch = BatchDeletion(choice)
            batch.namesRows = request.resultType == .resultTypeObjectIDs
            return try write(batch, to: origin)
        }
        let result: Any =
            switch request.resultType {
            case .resultTypeStatusOnly: true
            case .resultTypeObjectIDs: deleted.ids
            case .resultTypeCount: deleted.count
            }
        return NSBatchDeleteResult(result, resultType: request.resultType)
    }

    /// Writes a part of a request to each of several stores, and adds up the results.
    private func total<Part>(
        of parts: [(ObjectOrigin, Part)], _ write: (ObjectOrigin, Part) throws -> BatchResult
    ) throws -> (count: Int, ids: [NSManagedObjectID]) {
        var (count, ids): (Int, [NSManagedObjectID]) = (0, [])
        for (origin, part) in parts {
            let result = try write(origin, part)
            count += result.count
            ids += result.rows.compactMap { origin.savedID(of: $0) }
        }
        context.forgetReadAhead()
        return (count, ids)
    }

    private func choices(
        of request: NSBatchDeleteRequest, in model: CompiledModel
    ) throws -> [(ObjectOrigin, BatchDeletion.Choice)] {
        switch request.choice {
        case .found(let make):
            let specification = try make(model)
            return try batchOrigins(of: specification, in: request.affectedStores).map { ($0, .found(specification)) }
        case .listed(let ids):
            var groups: [(ObjectOrigin, [RowID])] = []
            for id in ids {
                guard !id.isTemporaryID, let (row, origin) = context.locate(id) else {
                    throw CoreDataError(
                        NSManagedObjectReferentialIntegrityError,
                        "Cannot delete \(id): it does not identify a saved object in the stores of this context.",
                        entity: id.compiledEntity.name, objects: [id.reference])
                }
                if let index = groups.firstIndex(where: { $0.0 === origin }) {
                    groups[index].1.append(row)
                } else {
                    groups.append((origin, [row]))
                }
            }
            for (origin, _) in groups { try checkBatches(origin) }
            return groups.map { ($0.0, .listed($0.1)) }
        }
    }

    /// Returns the stores that a request changes. If one of them cannot be changed, an error is thrown and none is
    /// changed.
    private func batchOrigins(
        of specification: FetchSpecification, in stores: [NSPersistentStore]?
    ) throws -> [ObjectOrigin] {
        let origins = try context.origins(of: specification, in: stores)
        for origin in origins { try checkBatches(origin) }
        return origins
    }

    private func checkBatches(_ origin: ObjectOrigin) throws {
        guard let store = origin.store?.objectStore, let refusal = store.readOnlyReason ?? store.batchRefusal else {
            return
        }
        throw CoreDataError(
            NSPersistentStoreOperationError, "Cannot change all objects at once: \(refusal).",
            condition: store.isReadOnly ? .readOnly : nil)
    }

    /// The new values of a request's properties, by slot.
    private struct Assignments {
        var values: [(slot: Int, value: AttributeValue)] = []
        /// The values that each object computes for itself.
        var computed: [(slot: Int, expression: ExpressionTree)] = []
    }

    private func assignments(_ properties: [AnyHashable: Any], of entity: CompiledEntity) throws -> Assignments {
        var result = Assignments()
        for (key, value) in properties {
            guard let name = key.base as? String ?? (key.base as? NSPropertyDescription)?.name else {
                throw CoreDataError(
                    NSCoreDataError,
                    "propertiesToUpdate of \(entity.name) has the key '\(key)'. Use names or descriptions of attributes.",
                    entity: entity.name)
            }
            if case .attribute(let slot)? = entity.slot(named: name) {
                guard let expression = value as? NSExpression else {
                    result.values.append((slot, try entity.attributeValue(value, slot: slot)))
                    continue
                }
                if case .constant(let constant) = expression.content.form {
                    result.values.append((slot, try entity.attributeValue(constant, slot: slot)))
                } else {
                    try requireStored(slot, of: entity)
                    result.computed.append((slot, try expression.tree()))
                }
            } else if entity.composites[name] != nil {
                result.values += try entity.elements(of: name, in: value)
            } else {
                let names = entity.attributes.map(\.name)
                throw CoreDataError(
                    NSCoreDataError,
                    "\(entity.name) has no updatable attribute named '\(name)'.\(nearestNameHint(to: name, in: names)) Change relationships through managed objects.",
                    entity: entity.name, key: name)
            }
        }
        guard !result.values.isEmpty || !result.computed.isEmpty else {
            throw CoreDataError(
                NSCoreDataError,
                "propertiesToUpdate of an update of \(entity.name) is empty. Add the attributes to change.",
                entity: entity.name)
        }
        return result
    }
}

extension ObjectOrigin {
    /// Returns the id of a row, or nil if the row's entity is not in the model.
    fileprivate func savedID(of row: RowID) -> NSManagedObjectID? {
        guard let entity = compiled.entity(numbered: Int64(row.entity)) else { return nil }
        return NSManagedObjectID(entity: entity, key: row.key, origin: self)
    }
}
