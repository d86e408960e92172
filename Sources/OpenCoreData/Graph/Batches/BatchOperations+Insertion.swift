import Foundation
import SwormPredicates
import SwormStore

// The insertions of Core Data's batch requests.
extension BatchOperations {
    /// Executes a batch insertion. The merge policy decides about rows that have the unique values of its objects.
    func execute(_ request: NSBatchInsertRequest) throws -> NSBatchInsertResult {
        let coordinator = try context.requireCoordinator()
        let model = coordinator.compiledModel
        guard let entity = model.entity(named: request.entityName),
            let description = coordinator.managedObjectModel.entitiesByName[request.entityName]
        else { throw CoreDataError.unknownEntity(request.entityName, in: model) }
        let objectClass = context.objectClass(of: entity)
        let slots = entity.attributes.indices.filter { entity.attributes[$0].derivation == nil }
        let plan = WritePlan<BatchObject>(
            entity: entity.number, fields: slots.map { WritePlan<BatchObject>.Field(slot: $0) }
        ) { [slots] row, field in
            if field == 0 || row.object.mayBeRefused { try row.object.checkBatchValues() }
            return row.object.attribute(slots[field])
        }
        let objects = request.objects { objectClass.init(entity: description, insertInto: nil) }
        var batch = RowBatch(objects, plan: plan)
        batch.takenValues = takenValues
        let inserted = try insert(batch, in: request.affectedStores)
        let result: Any =
            switch request.resultType {
            case .statusOnly: true
            case .objectIDs: inserted.ids
            case .count: inserted.writtenCount
            }
        return NSBatchInsertResult(result, resultType: request.resultType)
    }

    /// The handling of unique values that other rows have, by the merge policy.
    private var takenValues: TakenValues {
        switch context.mergeType {
        case .errorMergePolicyType: .reject
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: .keepRow
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            .updatingRow { (row: BatchObject) in row.given }
        }
    }
}

/// An object of a batch insertion.
private struct BatchObject {
    let object: NSManagedObject
    /// The attributes that the request gives.
    let given: SlotSet
}

extension NSBatchInsertRequest {
    /// Returns an iterator over the objects that the request describes. Each is created on demand.
    fileprivate final func objects(_ make: @escaping () -> NSManagedObject) -> AnyIterator<BatchObject> {
        if let handler = managedObjectHandler {
            return AnyIterator {
                let object = make()
                // A default value or nil that the handler sets is given, too: it replaces the value of an existing row.
                object.status.insert(.notesAssignments)
                let isAtEnd = handler(object)
                object.status.remove(.notesAssignments)
                return isAtEnd ? nil : BatchObject(object: object, given: object.changedAttributes)
            }
        }
        if let handler = dictionaryHandler {
            return AnyIterator {
                let values = NSMutableDictionary()
                if handler(values) { return nil }
                return BatchObject(make(), values.lazy.map { ("\($0.key)", $0.value) })
            }
        }
        var dictionaries = (objectsToInsert ?? []).makeIterator()
        return AnyIterator {
            dictionaries.next().map { BatchObject(make(), $0.lazy.map { ($0.key, $0.value) }) }
        }
    }
}

extension BatchObject {
    /// Sets the values of a dictionary.
    init(_ object: NSManagedObject, _ values: some Sequence<(String, Any)>) {
        var given = SlotSet()
        for (key, value) in values {
            object.setValue(value is NSNull ? nil : value, forKey: key)
            if case .attribute(let slot)? = object.compiledEntity.slot(named: key) {
                given.insert(slot)
            } else {
                for slot in object.compiledEntity.composites[key] ?? [] { given.insert(slot) }
            }
        }
        self.init(object: object, given: given)
    }
}

extension NSManagedObject {
    /// Whether a value was rejected, or a relationship may have been set.
    fileprivate final var mayBeRefused: Bool { !refusals.isEmpty || !changedRelationships.isEmpty }

    /// Throws an error for values that could not be assigned, and for values that cannot be stored in the object's own
    /// row.
    fileprivate final func checkBatchValues() throws {
        try CoreDataError.throwAll(refusals)
        for (slot, relationship) in compiledEntity.relationships.enumerated() where relationshipDiffers(slot) {
            throw CoreDataError(
                NSValidationMissingMandatoryPropertyError,
                "'\(relationship.name)' of \(compiledEntity.name) cannot be set by a batch insertion: it is a relationship. Insert a managed object into a context instead.",
                entity: compiledEntity.name, key: relationship.name)
        }
    }
}
