import SwormPredicates

extension Engine {
    static func unknownEntity(_ name: String, names: [String]) -> StoreError {
        let nearest = nearestNameHint(to: name, in: names)
        return StoreError(.unknownName, "The model has no entity \"\(name)\".\(nearest)", entity: name)
    }

    static func unknownName(_ kind: String, _ name: String, _ entity: String, _ names: [String]) -> StoreError {
        let nearest = nearestNameHint(to: name, in: names)
        return StoreError(
            .unknownName, "The model's \(entity) has no \(kind) \"\(name)\".\(nearest)", entity: entity, attribute: name
        )
    }

    static func wrongType(_ attribute: AttributePlan, _ entity: String, _ type: AttributeType) -> StoreError {
        StoreError(
            .contractViolation,
            "\(entity).\(attribute.name) is \(attribute.typeName) in the table and \(type.summary) in the model. Make them agree.",
            entity: entity, attribute: attribute.name)
    }
}
