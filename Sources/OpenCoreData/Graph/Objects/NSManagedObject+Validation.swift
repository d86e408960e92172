import Foundation
import SwormPredicates
import SwormStore

extension NSManagedObject {
    /// Validates an untyped value for a property.
    final func validate(_ value: Any?, forKey key: String) throws {
        switch compiledEntity.slot(named: key) {
        case .attribute(let slot):
            let given = try compiledEntity.attributeValue(value, slot: slot)
            let accepted = try compiledEntity.attributes[slot].accept(given, entity: compiledEntity.name)
            if let error = compiledEntity.attributes[slot].violation(accepted, entity: compiledEntity.name) {
                throw error
            }
        case .relationship(let slot):
            let count: Int =
                switch value {
                case nil: 0
                case let set as Set<NSManagedObject>: set.count
                case let set as NSSet: set.count
                case let ordered as NSOrderedSet: ordered.count
                default: 1
                }
            if let error = compiledEntity.relationships[slot].violation(count: count, entity: compiledEntity.name) {
                throw error
            }
        case nil:
            guard compiledEntity.composites[key] != nil else { throw unknownKey(key) }
        }
    }

    /// Validates every property that may have changed.
    final func validateProperties() throws {
        var errors = refusals
        let isInserted = status.contains(.inserted) || context?.validation == .everything
        // Only subclasses can add their own rules.
        let hasOwnRules = type(of: self) != NSManagedObject.self
        func check(_ slot: Int) {
            if hasOwnRules { return checkByMethod(slot) }
            if let error = compiledEntity.attributes[slot].violation(attribute(slot), entity: compiledEntity.name) {
                errors.append(error)
            }
        }
        func checkByMethod(_ slot: Int) {
            let key = compiledEntity.attributes[slot].name
            do {
                let value = keyedAttribute(slot)
                var checked = value
                try validateValue(&checked, forKey: key)
                let accepted = try compiledEntity.attributeValue(checked, slot: slot)
                if accepted != (try compiledEntity.attributeValue(value, slot: slot)) {
                    try setAttribute(slot, to: accepted)
                }
            } catch {
                errors.append(
                    error.asCoreData
                        ?? .ofApplication(
                            error, "'\(key)' of \(compiledEntity.name) is not valid: \(error)",
                            entity: compiledEntity.name, key: key))
            }
        }
        if isInserted {
            let (traits, values) = (compiledEntity.traits, edits.all ?? [])
            for slot in traits.indices
            where hasOwnRules || values.count <= slot || !traits[slot].plainlyAllows(values[slot]) {
                check(slot)
            }
        } else {
            changedAttributes.forEach(check)
        }
        for slot in compiledEntity.relationships.indices where isInserted || changedRelationships.contains(slot) {
            guard !compiledEntity.relationships[slot].isTransient, compiledEntity.relationships[slot].hasCountRules
            else { continue }
            let relationship = compiledEntity.relationships[slot]
            let count = relationship.isToMany ? memberCount(slot) : (hasLivingDestination(slot) ? 1 : 0)
            guard var error = relationship.violation(count: count, entity: compiledEntity.name) else { continue }
            error.attachment = InvalidRelationship(of: self, named: relationship.name)
            errors.append(error)
        }
        if errors.isEmpty { return }
        for index in errors.indices where errors[index].objects.isEmpty { errors[index].objects = [objectID.reference] }
        try CoreDataError.throwAll(errors)
    }

    /// Returns whether the destination of a to-one relationship will be in the store.
    private func hasLivingDestination(_ slot: Int) -> Bool {
        destination(slot).map { $0.status.isDisjoint(with: [.deleted, .gone]) } ?? false
    }

    /// Throws an error if a relationship with the deny rule refers to an object that is not deleted.
    final func validateDeleteRules() throws {
        var errors = refusals.filter { $0.errorCode == NSPersistentStoreOperationError }
        for (slot, relationship) in compiledEntity.relationships.enumerated()
        where relationship.deleteRule == .denyDeleteRule {
            let others = relationship.isToMany ? memberObjects(slot) : destination(slot).map { [$0] } ?? []
            let staying = others.filter { !$0.status.contains(.deleted) && $0 !== self }
            guard let first = staying.first else { continue }
            errors.append(
                CoreDataError(
                    NSValidationRelationshipDeniedDeleteError,
                    "Cannot delete \(compiledEntity.name) \(objectID): the delete rule of its relationship '\(relationship.name)' denies it, because it still relates to \(staying.count) \(staying.count == 1 ? "object" : "objects"), such as \(first.objectID). Delete or unlink them first.",
                    entity: compiledEntity.name, key: relationship.name, objects: [objectID.reference],
                    attachment: InvalidRelationship(of: self, named: relationship.name)))
        }
        try CoreDataError.throwAll(errors)
    }
}

/// A relationship that is not valid. The user information of the error has its objects.
private struct InvalidRelationship: ErrorAttachment {
    private let object: ObjectReference
    private let name: String

    init(of object: NSManagedObject, named name: String) {
        self.object = object.objectID.reference
        self.name = name
    }

    func userInfo(findingObjectsIn finder: (any ErrorObjectFinder)?) -> [String: Any] {
        guard let object = finder?.object(of: object) as? NSManagedObject else { return [:] }
        return [NSValidationValueErrorKey: object.property(forKey: name) ?? NSNull()]
    }
}
