package import SwormPredicates
import SwormStore

// Updates of all objects of a request by one statement, and by the objects where these have to be looked at.
extension NSManagedObjectContext {
    /// Gives attributes of all objects that a request finds other values.
    ///
    /// Unsaved changes count. Where they bear on the request, where several stores answer it, or a class of its own wants to
    /// see its objects change, the objects are changed one by one, and are saved with the others.
    ///
    /// - Parameter values: By attribute slot; of two values for one slot the later one counts.
    /// - Returns: The number of objects.
    /// - Throws: The errors of values that a save would refuse, whatever the request finds; and the store's error.
    package final func update(
        _ specification: FetchSpecification, _ values: [(slot: Int, value: AttributeValue)]
    ) throws -> Int {
        try throwReadError()
        let model = try requireCoordinator().compiledModel
        let values = try acceptedValues(values, of: model[specification.entity])
        guard let origin = try batchOrigin(specification), pendingEffect(on: specification) == .none,
            hasPlainClasses(model[specification.entity].family)
        else {
            try beginBulkWrite(of: specification.entity)
            let objects = try fetchObjects(specification)
            for object in objects { try object.setAttributes(values.map(\.slot), values.map(\.value)) }
            return objects.count
        }
        var batch = BatchUpdate(specification, values)
        batch.leavesEqualRows = true
        let result = try write(batch, to: origin)
        guard result.count > 0, result.hasChanged else { return result.count }
        let family = model[specification.entity].family
        let isAlone = model.entities.allSatisfy(\.derivedSlots.isEmpty)
        refreshUnchanged { !isAlone || family.contains($0) }
        return result.count
    }

    final func write(_ batch: BatchUpdate, to origin: ObjectOrigin) throws -> BatchResult {
        var batch = batch
        (batch.author, batch.contextName) = (transactionAuthor, name)
        return try withTransaction(origin) { try $0.update(batch) }
    }

    /// The only store that answers a request, if statements may write in it.
    final func batchOrigin(_ specification: FetchSpecification) throws -> ObjectOrigin? {
        let origins = try origins(of: specification, in: nil)
        guard origins.count == 1, origins[0].store?.objectStore.batchRefusal == nil else { return nil }
        return origins[0]
    }

    /// Whether no class of entities sees more of its objects than this library does.
    final func hasPlainClasses(_ entities: some Sequence<Int>) -> Bool {
        guard let model = compiledModel else { return true }
        return entities.allSatisfy { objectClass(of: model[$0]) == NSManagedObject.self }
    }

    /// The values in the form in which the attributes hold them, each attribute once.
    final func acceptedValues(
        _ values: [(slot: Int, value: AttributeValue)], of entity: CompiledEntity
    ) throws -> [(slot: Int, value: AttributeValue)] {
        var accepted: [(slot: Int, value: AttributeValue)] = []
        var errors: [CoreDataError] = []
        for (slot, value) in values {
            let attribute = entity.attributes[slot]
            if attribute.isTransient || attribute.derivation != nil {
                let reason =
                    attribute.isTransient
                    ? "it is transient, and no row keeps it" : "it is derived, and follows from others"
                throw CoreDataError(
                    NSManagedObjectValidationError,
                    "Cannot set '\(attribute.name)' of all objects of \(entity.name): \(reason).", entity: entity.name,
                    key: attribute.name)
            }
            let value = try attribute.accept(value, entity: entity.name)
            if let error = attribute.violation(value, entity: entity.name) { errors.append(error) }
            accepted.removeAll { $0.slot == slot }
            accepted.append((slot, value))
        }
        try CoreDataError.throwAll(errors)
        return accepted
    }
}
