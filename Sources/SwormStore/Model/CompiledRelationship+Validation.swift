extension CompiledRelationship {
    /// Whether there are numbers of objects that are not valid. A required to-many relationship without a minimum count may
    /// be empty, as in Core Data.
    package var hasCountRules: Bool { isToMany ? minCount > 0 || maxCount > 0 : !isOptional }

    /// Returns the validation error for the number of objects of the relationship, if any.
    package func violation(count: Int, entity: String) -> CoreDataError? {
        if count == 0 {
            guard !isOptional, !isToMany || minCount > 0 else { return nil }
            return isToMany
                ? CoreDataError(
                    NSValidationRelationshipLacksMinimumCountError,
                    "'\(name)' of \(entity) is required, and points to no object.", entity: entity, key: name)
                : CoreDataError(
                    NSValidationMissingMandatoryPropertyError, "'\(name)' of \(entity) is required and has no value.",
                    entity: entity, key: name)
        }
        if isToMany, count < minCount {
            return CoreDataError(
                NSValidationRelationshipLacksMinimumCountError,
                "'\(name)' of \(entity) points to \(count) objects; at least \(minCount) are required.", entity: entity,
                key: name)
        }
        if isToMany, maxCount > 1, count > maxCount {
            return CoreDataError(
                NSValidationRelationshipExceedsMaximumCountError,
                "'\(name)' of \(entity) points to \(count) objects; at most \(maxCount) are allowed.", entity: entity,
                key: name)
        }
        return nil
    }
}
