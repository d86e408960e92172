import SwormPredicates

// Errors of statements that write many rows, which are the same for all stores.
extension CoreDataError {
    // MARK: Insertions

    /// Returns the reason why no row of an entity can be inserted by its attributes alone, or nil if rows can be inserted.
    ///
    /// - Parameter defaults: The slots of the attributes that have their default value in every row.
    static func refusal(ofRowsOf entity: CompiledEntity, defaults: some Sequence<Int>) -> CoreDataError? {
        if entity.isAbstract {
            return CoreDataError(
                NSManagedObjectValidationError,
                "Cannot save an object of \(entity.name): the entity is abstract. Insert an object of one of its sub-entities.",
                entity: entity.name)
        }
        for relationship in entity.relationships where !relationship.isTransient && relationship.hasCountRules {
            guard var error = relationship.violation(count: 0, entity: entity.name) else { continue }
            error.message += " If a relationship is required, use 'insert' for each object and set the relationship."
            return error
        }
        for slot in defaults {
            let value = entity.defaultValues[slot]
            if entity.traits[slot].plainlyAllows(value) { continue }
            if let error = entity.attributes[slot].violation(value, entity: entity.name) { return error }
        }
        return nil
    }

    /// Returns the error for a row of a batch whose unique values another row has.
    ///
    /// - Parameters:
    ///   - entity: The entity of the row.
    ///   - properties: The properties of the constraint.
    ///   - values: Their values.
    ///   - other: The other row.
    ///   - holder: The entity of the other row.
    ///   - isOwn: Whether the batch itself has inserted the other row.
    static func takenValue(
        of entity: CompiledEntity, _ properties: [String], values: [AttributeValue], by other: RowID,
        of holder: CompiledEntity?, isOwn: Bool
    ) -> CoreDataError {
        let name = entity.name
        let text = zip(properties, values).map { "\($0) = \("\($1)".prefix(80))" }.joined(separator: ", ")
        let message =
            isOwn
            ? "\(name): two of the given objects have the same unique values: \(text)."
            : "\(name): another object (\(holder?.name ?? name), key \(other.key)) already has the unique values: \(text)."
        return CoreDataError(
            NSManagedObjectConstraintMergeError, message + " This call wrote nothing.", entity: name,
            key: properties.joined(separator: ", "), value: values.first)
    }

    // MARK: Updates

    /// Returns the error for unique values of an update that another row holds, or that several rows would hold.
    ///
    /// - Parameter properties: The properties of the constraint; nil if it is unknown.
    static func takenValues(
        of batch: BatchUpdate, _ properties: [String]?, entity: CompiledEntity, cause: (any Error)?
    ) -> CoreDataError {
        let names = properties?.joined(separator: ", ") ?? ""
        let values = batch.values.filter { value in
            properties?.contains(entity.attributes[value.slot].name) ?? true
        }
        let computed = batch.computed.map { (slot: $0.slot, text: $0.expression.format) }
        let text = (values.map { (slot: $0.slot, text: "\($0.value)") } + computed)
            .map { "\(entity.attributes[$0.slot].name) = \($0.text)" }.joined(separator: ", ")
        return CoreDataError(
            NSManagedObjectConstraintMergeError,
            "Cannot set \(text) for the requested rows of \(entity.name): '\(names)' must be unique, and another object already has the value, or several objects would get it. Narrow the request to one object, or choose another value.",
            entity: entity.name, key: names, value: values.first?.value, cause: cause)
    }

    /// Returns the error for a value that an update computes for a row and that a save would reject.
    static func computedValue(
        ofRow key: Int64, of entity: CompiledEntity, _ attribute: CompiledAttribute, cause: CoreDataError
    ) -> CoreDataError {
        CoreDataError(
            cause.errorCode,
            "The value that an update computes for the row \(key) of \(entity.name) is not valid: \(cause.message) Nothing was changed.",
            entity: entity.name, key: attribute.name, cause: cause)
    }

    /// Returns the error for a computed value that is not of an attribute's type.
    ///
    /// - Parameter shown: The value in words.
    static func unfitValue(_ shown: String, for attribute: CompiledAttribute) -> CoreDataError {
        CoreDataError(
            NSManagedObjectValidationError, "'\(attribute.name)' holds \(attribute.type.summary), not \(shown).",
            key: attribute.name)
    }

    // MARK: Deletions

    /// Returns the error for members that keep the objects of a deletion from being deleted.
    ///
    /// - Parameters:
    ///   - relationship: The relationship whose delete rule denies the deletion.
    ///   - entity: The entity of the objects.
    ///   - destination: The entity of the members.
    ///   - count: The number of members.
    ///   - key: The key of one of them.
    static func denial(
        by relationship: CompiledRelationship, of entity: CompiledEntity, to destination: CompiledEntity, count: Int,
        key: Int64
    ) -> CoreDataError {
        CoreDataError(
            NSValidationRelationshipDeniedDeleteError,
            "Cannot delete the requested objects of \(entity.name): the delete rule of the relationship '\(relationship.name)' denies it, because it still relates to \(count) \(count == 1 ? "object" : "objects") of \(destination.name), such as p\(key). Delete or unlink them first.",
            entity: entity.name, key: relationship.name)
    }

    /// Returns the error for remaining objects whose required relationship would lead to a deleted object.
    ///
    /// - Parameters:
    ///   - entity: The entity of the deleted objects.
    ///   - relationship: The required relationship.
    ///   - owner: The entity of the remaining objects.
    ///   - count: The number of remaining objects.
    ///   - key: The key of one of them.
    static func requiredLink(
        to entity: CompiledEntity, by relationship: CompiledRelationship, of owner: CompiledEntity, count: Int,
        key: Int64
    ) -> CoreDataError {
        CoreDataError(
            NSValidationMissingMandatoryPropertyError,
            "Cannot delete the requested objects of \(entity.name): '\(relationship.name)' of \(owner.name) is required, and would have no value in \(count) \(count == 1 ? "object" : "objects"), such as p\(key). Delete these too, or relate them to another \(entity.name) first.",
            entity: owner.name, key: relationship.name)
    }

    /// Returns the error for a remaining object that would have too few members, if it would.
    ///
    /// - Parameters:
    ///   - count: The number of remaining members.
    ///   - relationship: The relationship of the remaining object.
    ///   - owner: The key of the object.
    ///   - entity: The entity of the object.
    static func lostMembers(
        leaving count: Int, in relationship: CompiledRelationship, of owner: Int64, _ entity: CompiledEntity
    ) -> CoreDataError? {
        guard var error = relationship.violation(count: count, entity: entity.name) else { return nil }
        error.message = "Cannot delete all requested objects: p\(owner) would not be valid. \(error.message)"
        return error
    }
}
