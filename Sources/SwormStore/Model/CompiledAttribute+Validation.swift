import Foundation
package import SwormPredicates

extension CompiledAttribute {
    /// Returns the validation error for a value of the attribute, if any.
    package func violation(_ value: AttributeValue, entity: String) -> CoreDataError? {
        if case .null = value {
            guard !isOptional, derivation == nil else { return nil }
            return CoreDataError(
                NSValidationMissingMandatoryPropertyError, "'\(name)' of \(entity) is required and has no value.",
                entity: entity, key: name, value: value)
        }
        if case .date(let date) = value, date.timeIntervalSinceReferenceDate.isNaN {
            return error(
                NSValidationInvalidDateError, for: value, reason: "is not a date: its number is NaN.", entity: entity)
        }
        if case .double(let number) = value, number.isNaN, !isTransient {
            return error(
                NSManagedObjectValidationError, for: value,
                reason: "is not a number and cannot be stored. Use nil in an optional attribute.", entity: entity)
        }
        for rule in validationRules {
            guard var error = violation(of: rule, value, entity: entity) else { continue }
            error.attachment = rule
            return error
        }
        return nil
    }

    private func violation(of rule: ValidationRule, _ value: AttributeValue, entity: String) -> CoreDataError? {
        switch rule {
        case .minimum(let bound):
            guard compareForSort(value, bound) == .orderedAscending else { return nil }
            return error(
                type == .date ? NSValidationDateTooSoonError : NSValidationNumberTooSmallError, for: value,
                reason: "is less than the minimum value \(bound).", entity: entity)
        case .maximum(let bound):
            guard compareForSort(value, bound) == .orderedDescending else { return nil }
            return error(
                type == .date ? NSValidationDateTooLateError : NSValidationNumberTooLargeError, for: value,
                reason: "is greater than the maximum value \(bound).", entity: entity)
        case .minimumLength(let length):
            guard case .string(let text) = value, text.utf16.count < length else { return nil }
            return error(
                NSValidationStringTooShortError, for: value,
                reason: "has \(text.utf16.count) characters; at least \(length) are required.",
                entity: entity)
        case .maximumLength(let length):
            guard case .string(let text) = value, text.utf16.count > length else { return nil }
            return error(
                NSValidationStringTooLongError, for: value,
                reason: "has \(text.utf16.count) characters; at most \(length) are allowed.",
                entity: entity)
        case .pattern(let pattern):
            guard case .string(let text) = value else { return nil }
            guard let expression = try? RegularExpressionPattern(pattern, options: []) else {
                return error(
                    NSValidationStringPatternMatchingError, for: value,
                    reason: "cannot be validated: the pattern '\(pattern)' of the model is not a regular expression.",
                    entity: entity)
            }
            guard !expression.matches(text) else { return nil }
            return error(
                NSValidationStringPatternMatchingError, for: value, reason: "does not match the pattern '\(pattern)'.",
                entity: entity)
        case .predicate(let tree, let text):
            do {
                guard try PreparedPredicate(tree).evaluate(value: .value(value)) ?? false else {
                    return error(
                        NSManagedObjectValidationError, for: value, reason: "does not satisfy \(text).", entity: entity)
                }
                return nil
            } catch let failure {
                return error(
                    NSManagedObjectValidationError, for: value, reason: "cannot be validated by \(text): \(failure)",
                    entity: entity)
            }
        }
    }

    private func error(_ code: Int, for value: AttributeValue, reason: String, entity: String) -> CoreDataError {
        CoreDataError(
            code, "'\(name)' of \(entity): \(value.summary) \(reason)", entity: entity, key: name, value: value)
    }
}

extension CompiledEntity {
    /// Returns a value in the form in which an attribute holds it.
    ///
    /// - Throws: The validation error that a save would throw.
    @discardableResult
    package func checked(_ value: AttributeValue, slot: Int) throws -> AttributeValue {
        let traits = traits[slot]
        let accepted = traits.holds(value) ? value : try attributes[slot].accept(value, entity: name)
        if !traits.plainlyAllows(accepted), let error = attributes[slot].violation(accepted, entity: name) {
            throw error
        }
        return accepted
    }
}
