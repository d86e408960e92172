import Foundation
import SwormPredicates
import SwormStore

// The insertions of Core Data's batch requests.
extension BatchOperations {
    /// Executes a batch insertion.
    func execute(_ request: NSBatchInsertRequest) throws -> NSBatchInsertResult {
        let coordinator = try context.requireCoordinator()
        let model = coordinator.compiledModel
        guard let entity = model.entity(named: request.entityName),
            let description = coordinator.managedObjectModel.entitiesByName[request.entityName]
        else { throw CoreDataError.unknownEntity(request.entityName, in: model) }
        let objectClass = context.objectClass(of: entity)
        let slots = entity.attributes.indices.filter { entity.attributes[$0].derivation == nil }
        let plan = WritePlan<NSManagedObject>(
            entity: entity.number, fields: slots.map { WritePlan<NSManagedObject>.Field(slot: $0) }
        ) { [slots] object, field in
            if field == 0 || !object.refusals.isEmpty { try object.checkBatchValues() }
            return object.attribute(slots[field])
        }
        let objects = request.objects { objectClass.init(entity: description, insertInto: nil) }
        let inserted = try insert(RowBatch(objects, plan: plan), in: request.affectedStores)
        let result: Any =
            switch request.resultType {
            case .statusOnly: true
            case .objectIDs: inserted.ids
            case .count: inserted.count
            }
        return NSBatchInsertResult(result, resultType: request.resultType)
    }
}

extension NSBatchInsertRequest {
    /// Returns an iterator over the objects that the request describes. Each is created on demand.
    fileprivate final func objects(_ make: @escaping () -> NSManagedObject) -> AnyIterator<NSManagedObject> {
        if let handler = managedObjectHandler {
            return AnyIterator {
                let object = make()
                return handler(object) ? nil : object
            }
        }
        if let handler = dictionaryHandler {
            return AnyIterator {
                let values = NSMutableDictionary()
                if handler(values) { return nil }
                let object = make()
                for (key, value) in values { object.setBatchValue(value, forKey: "\(key)") }
                return object
            }
        }
        var dictionaries = (objectsToInsert ?? []).makeIterator()
        return AnyIterator {
            guard let values = dictionaries.next() else { return nil }
            let object = make()
            for (key, value) in values { object.setBatchValue(value, forKey: key) }
            return object
        }
    }
}

extension NSManagedObject {
    fileprivate final func setBatchValue(_ value: Any, forKey key: String) {
        setValue(value is NSNull ? nil : value, forKey: key)
    }

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
