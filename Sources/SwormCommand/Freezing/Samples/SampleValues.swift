import Foundation
import SwormPredicates
import SwormStore

/// The values of the attributes of made-up objects. They depend on nothing but the model and the objects' numbers.
struct SampleValues {
    private let entity: CompiledEntity
    /// The names of the attributes in uniqueness constraints of the entity or its ancestors.
    private let unique: Set<String>

    init(_ entity: CompiledEntity, in model: CompiledModel) {
        self.entity = entity
        var names: Set<String> = []
        var next: CompiledEntity? = entity
        while let current = next {
            names.formUnion(current.uniquenessConstraints.joined())
            next = current.superentity.map { model[$0] }
        }
        unique = names
    }

    /// Returns the values of an object by slot.
    ///
    /// - Parameters:
    ///   - number: The number of the object in its hierarchy.
    ///   - isBare: Whether the object has the values of a new object, and only what is required in addition.
    /// - Throws: The validation error of a required attribute for which no value was found.
    func values(number: Int, isBare: Bool) throws -> [AttributeValue] {
        try entity.attributes.indices.map { slot in
            let attribute = entity.attributes[slot]
            guard attribute.derivation == nil, !attribute.isTransient else { return .null }
            let initial = attribute.defaultValue
            if isBare, !unique.contains(attribute.name), let value = try? entity.checked(initial, slot: slot) {
                return value
            }
            var failure: (any Error)?
            for candidate in SampleCandidates(attribute, of: entity, number: number).all {
                do {
                    let value = try entity.checked(candidate, slot: slot)
                    if value != .null { return value }
                } catch let error {
                    failure = failure ?? error
                }
            }
            guard !attribute.isOptional else { return .null }
            throw failure
                ?? CoreDataError(
                    NSValidationMissingMandatoryPropertyError,
                    "'\(attribute.name)' of \(entity.name) has a type without values.", entity: entity.name,
                    key: attribute.name)
        }
    }
}
