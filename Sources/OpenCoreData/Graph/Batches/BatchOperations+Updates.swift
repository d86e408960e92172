import SwormPredicates
import SwormStore

// Updates of all objects of a request: by one statement, or object by object if the objects have to be inspected.
extension BatchOperations {
    /// Assigns new values to attributes of all objects that a request finds.
    func update(
        _ specification: FetchSpecification, setting values: [(slot: Int, value: AttributeValue)]
    ) throws -> Int {
        try context.throwReadError()
        let model = try context.requireCoordinator().compiledModel
        let values = try acceptedValues(values, of: model[specification.entity])
        guard let origin = try batchOrigin(specification), context.pendingEffect(on: specification) == .none,
            hasPlainClasses(model[specification.entity].family)
        else {
            try context.beginBulkWrite(of: specification.entity)
            let objects = try context.fetchObjects(specification)
            for object in objects { try object.setAttributes(values.map(\.slot), to: values.map(\.value)) }
            return objects.count
        }
        var batch = BatchUpdate(specification, values: values)
        batch.leavesEqualRows = true
        let result = try write(batch, to: origin)
        guard result.count > 0, result.hasChanged else { return result.count }
        let family = model[specification.entity].family
        let isAlone = model.entities.allSatisfy(\.derivedSlots.isEmpty)
        context.refreshUnchanged { !isAlone || family.contains($0) }
        return result.count
    }

    func write(_ batch: BatchUpdate, to origin: ObjectOrigin) throws -> BatchResult {
        var batch = batch
        (batch.author, batch.contextName) = (context.transactionAuthor, context.name)
        return try context.withTransaction(of: origin) { try $0.update(batch) }
    }

    /// Returns the values in the form in which the attributes store them, each attribute once.
    func acceptedValues(
        _ values: [(slot: Int, value: AttributeValue)], of entity: CompiledEntity
    ) throws -> [(slot: Int, value: AttributeValue)] {
        var accepted: [(slot: Int, value: AttributeValue)] = []
        var errors: [CoreDataError] = []
        for (slot, value) in values {
            let attribute = entity.attributes[slot]
            try requireStored(slot, of: entity)
            let value = try attribute.accept(value, entity: entity.name)
            if let error = attribute.violation(value, entity: entity.name) { errors.append(error) }
            accepted.removeAll { $0.slot == slot }
            accepted.append((slot, value))
        }
        try CoreDataError.throwAll(errors)
        return accepted
    }

    /// Throws an error for an attribute that cannot be set because it is not stored, or not set by the application.
    func requireStored(_ slot: Int, of entity: CompiledEntity) throws {
        let attribute = entity.attributes[slot]
        guard attribute.isTransient || attribute.derivation != nil else { return }
        let reason =
            attribute.isTransient ? "it is transient and not stored" : "it is derived from other properties"
        throw CoreDataError(
            NSManagedObjectValidationError,
            "Cannot set '\(attribute.name)' of all objects of \(entity.name): \(reason).", entity: entity.name,
            key: attribute.name)
    }
}
