package import SwormPredicates
import SwormStore

extension NSManagedObject: EvaluationSubject {
    /// The object's identity, which predicates use to compare objects.
    package final var reference: ObjectReference? { objectID.reference }

    /// Returns the value that a predicate reads for a key, including unsaved changes.
    package final func predicateValue(forKey key: String) throws -> EvaluationValue {
        switch compiledEntity.slot(named: key) {
        case .attribute(let slot):
            return .value(attribute(slot).asStored)
        case .relationship(let slot):
            if compiledEntity.relationships[slot].isToMany {
                return .objects(memberObjects(slot).filter(\.exists))
            }
            let model = objectID.origin.compiled
            let missing = MissingObject(entity: model[compiledEntity.relationships[slot].destination], model: model)
            switch end(ofToOne: slot) {
            case .object(let destination): return .object(destination)
            case .leftBehind(let id): return .object(LeftBehind(id: id, missing: missing))
            case .nothing: return .missing(missing)
            }
        case nil:
            if key == "objectID" || key == "self" || key == "SELF" { return .object(self) }
            if let leaves = compiledEntity.composites[key] {
                return .object(
                    CompositeSubject(of: compiledEntity, name: key, leaves: leaves) { self.attribute($0) })
            }
            if let step = castStep(key) {
                if step.matches { return .object(self) }
                return .missing(MissingObject(entity: step.target, model: objectID.origin.compiled))
            }
            throw QueryError.unknownKey(key, of: compiledEntity.name, names: compiledEntity.propertyNames)
        }
    }
}

// Steps of a path that continue only with objects of an entity.
extension NSManagedObject {
    private final func castStep(_ key: String) -> (target: CompiledEntity, matches: Bool)? {
        compiledEntity.cast(key, in: objectID.origin.compiled)
    }

    final func isCast(by key: String) -> Bool { castStep(key) != nil }

    /// Returns the object if it belongs to the entity of a step.
    final func cast(by key: String) -> NSManagedObject? { castStep(key)?.matches == true ? self : nil }
}

/// The destination of a to-one relationship, for predicates and sort orders.
enum ToOneReference {
    case object(NSManagedObject)
    /// The id of an object that was deleted.
    case leftBehind(NSManagedObjectID)
    case nothing
}

extension NSManagedObject {
    /// Returns the destination of a to-one relationship that will be in the store once the context is saved.
    final func end(ofToOne slot: Int) -> ToOneReference {
        guard let destination = destination(slot) else { return .nothing }
        if destination.exists { return .object(destination) }
        // If there is an inverse, the deletion clears the key in the row. Without an inverse, the objects that refer to
        // the deleted object are unknown: a row with its key keeps it, unless the relationship is written anyway.
        guard compiledEntity.relationships[slot].inverse == nil, !status.contains(.inserted),
            !changedRelationships.contains(slot)
        else { return .nothing }
        return .leftBehind(destination.objectID)
    }
}

/// A deleted object whose key is still in a row: it has an identity, but no properties.
private struct LeftBehind: EvaluationSubject {
    let id: NSManagedObjectID
    let missing: MissingObject

    var reference: ObjectReference? { id.reference }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        key == "objectID" ? .object(self) : try missing.predicateValue(forKey: key)
    }
}
