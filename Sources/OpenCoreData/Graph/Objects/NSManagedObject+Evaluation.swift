package import SwormPredicates
import SwormStore

extension NSManagedObject: EvaluationSubject {
    /// The object's identity, by which predicates compare objects.
    package final var reference: ObjectReference? { objectID.reference }

    /// What a predicate finds under a key: unsaved changes included.
    package final func predicateValue(forKey key: String) throws -> EvaluationValue {
        switch plan.slot(named: key) {
        case .attribute(let slot):
            return .value(attribute(slot).asStored)
        case .relationship(let slot):
            if plan.relationships[slot].isToMany {
                return .objects(memberObjects(slot).filter(\.isThere))
            }
            let model = objectID.origin.compiled
            let missing = MissingObject(entity: model[plan.relationships[slot].destination], model: model)
            switch end(ofToOne: slot) {
            case .object(let destination): return .object(destination)
            case .leftBehind(let id): return .object(LeftBehind(id: id, missing: missing))
            case .nothing: return .missing(missing)
            }
        case nil:
            if key == "objectID" || key == "self" || key == "SELF" { return .object(self) }
            if let leaves = plan.composites[key] { return .object(CompositeSubject(self, key, leaves)) }
            throw PredicateError.unknownKey(key, of: plan.name, names: plan.propertyNames)
        }
    }
}

/// What a to-one relationship leads to, for predicates and for orders.
enum ToOneEnd {
    case object(NSManagedObject)
    /// Only the id of an object that was deleted.
    case leftBehind(NSManagedObjectID)
    case nothing
}

extension NSManagedObject {
    /// Whether the object was not deleted, be that saved or not.
    final var isThere: Bool { status.isDisjoint(with: [.deleted, .gone]) }

    /// What a to-one relationship leads to, as it will stand in the store once the context is saved.
    final func end(ofToOne slot: Int) -> ToOneEnd {
        guard let destination = destination(slot) else { return .nothing }
        if destination.isThere { return .object(destination) }
        // Where an inverse leads back, the deletion takes the key out of the row. Without one nobody knows who leads to
        // the object: a row that holds its key keeps it, unless the relationship is written anyway.
        guard plan.relationships[slot].inverse == nil, !status.contains(.inserted), !changedRelationships.contains(slot)
        else { return .nothing }
        return .leftBehind(destination.objectID)
    }
}

/// An object that was deleted but whose key is still in a row: it has an identity, and nothing else.
private struct LeftBehind: EvaluationSubject {
    let id: NSManagedObjectID
    let missing: MissingObject

    var reference: ObjectReference? { id.reference }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        key == "objectID" ? .object(self) : try missing.predicateValue(forKey: key)
    }
}

/// What a predicate finds where a to-one relationship leads to no object: nothing under every key of the entity.
private struct MissingObject: EvaluationSubject {
    let entity: CompiledEntity
    let model: CompiledModel

    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        switch entity.slot(named: key) {
        case .attribute: return .null
        case .relationship(let slot):
            let relationship = entity.relationships[slot]
            if relationship.isToMany { return .objects([]) }
            return .missing(MissingObject(entity: model[relationship.destination], model: model))
        case nil:
            if key == "objectID" { return .missing(self) }
            guard entity.composites[key] != nil else {
                throw PredicateError.unknownKey(key, of: entity.name, names: entity.propertyNames)
            }
            return .null
        }
    }
}

/// The elements of a composite attribute as a predicate sees them.
private struct CompositeSubject: EvaluationSubject {
    private let object: NSManagedObject
    private let prefix: String
    private let leaves: [Int]

    init(_ object: NSManagedObject, _ name: String, _ leaves: [Int]) {
        self.object = object
        prefix = name + "."
        self.leaves = leaves
    }

    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        for slot in leaves where object.plan.attributes[slot].name == prefix + key {
            return .value(object.attribute(slot).asStored)
        }
        let inner = leaves.filter { object.plan.attributes[$0].name.hasPrefix(prefix + key + ".") }
        if !inner.isEmpty { return .object(CompositeSubject(object, prefix + key, inner)) }
        let names = leaves.map { String(object.plan.attributes[$0].name.dropFirst(prefix.count)) }
        throw PredicateError.unknownKey(key, of: prefix + "of " + object.plan.name, names: names)
    }
}
