package import SwormPredicates

/// The missing destination of a to-one relationship for a predicate: every key of the entity is nil.
package struct MissingObject: EvaluationSubject {
    private let entity: CompiledEntity
    private let model: CompiledModel

    package init(entity: CompiledEntity, model: CompiledModel) {
        self.entity = entity
        self.model = model
    }

    package var reference: ObjectReference? { nil }

    package func predicateValue(forKey key: String) throws -> EvaluationValue {
        switch entity.slot(named: key) {
        case .attribute: return .null
        case .relationship(let slot):
            let relationship = entity.relationships[slot]
            if relationship.isToMany { return .objects([]) }
            return .missing(MissingObject(entity: model[relationship.destination], model: model))
        case nil:
            if key == "objectID" { return .missing(self) }
            if let cast = entity.cast(key, in: model) {
                return .missing(MissingObject(entity: cast.target, model: model))
            }
            guard entity.composites[key] != nil else {
                throw QueryError.unknownKey(key, of: entity.name, names: entity.propertyNames)
            }
            return .null
        }
    }
}

// Steps of a path that continue only with objects of an entity.
extension CompiledEntity {
    /// Returns the entity of a step, and whether objects of this entity belong to it; nil if the step names no entity of the
    /// hierarchy.
    package func cast(_ key: String, in model: CompiledModel) -> (target: CompiledEntity, matches: Bool)? {
        guard let cast = EntityCast(key), let target = model.entity(named: cast.entity), target.root == root else {
            return nil
        }
        return (target, cast.isExact ? number == target.number : target.family.contains(number))
    }
}
