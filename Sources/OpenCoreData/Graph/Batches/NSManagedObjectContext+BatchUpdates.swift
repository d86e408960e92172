package import SwormPredicates
import SwormStore

// Updates of all objects of a request: by one statement, or object by object if the objects have to be inspected.
extension NSManagedObjectContext {
    /// Assigns new values to attributes of all objects that a request finds.
    ///
    /// Unsaved changes are included. If they affect the request, if several stores serve it, or if a custom class
    /// observes changes of its objects, the objects are changed one by one, and are written by the next save.
    ///
    /// - Parameter values: The values by attribute slot. If a slot occurs twice, the later value is used.
    /// - Returns: The number of objects.
    /// - Throws: The errors of values that a save would reject, regardless of what the request finds; and the store's
    ///   error.
    package final func update(
        _ specification: FetchSpecification, setting values: [(slot: Int, value: AttributeValue)]
    ) throws -> Int {
        try throwReadError()
        let model = try requireCoordinator().compiledModel
        let values = try acceptedValues(values, of: model[specification.entity])
        guard let origin = try batchOrigin(specification), pendingEffect(on: specification) == .none,
            hasPlainClasses(model[specification.entity].family)
        else {
            try beginBulkWrite(of: specification.entity)
            let objects = try fetchObjects(specification)
            for object in objects { try object.setAttributes(values.map(\.slot), to: values.map(\.value)) }
            return objects.count
        }
        var batch = BatchUpdate(specification, values: values)
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
        return try withTransaction(of: origin) { try $0.update(batch) }
    }

    /// Returns the origin of the only store that serves a request, or nil if there are several or statements must not
    /// write to it.
    final func batchOrigin(_ specification: FetchSpecification) throws -> ObjectOrigin? {
        let origins = try origins(of: specification, in: nil)
        guard origins.count == 1, origins[0].store?.objectStore.batchRefusal == nil else { return nil }
        return origins[0]
    }

    /// Returns whether no entity has a custom class, which may observe changes of its objects.
    final func hasPlainClasses(_ entities: some Sequence<Int>) -> Bool {
        guard let model = compiledModel else { return true }
        return entities.allSatisfy { objectClass(of: model[$0]) == NSManagedObject.self }
    }

    /// Returns the values in the form in which the attributes store them, each attribute once.
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
