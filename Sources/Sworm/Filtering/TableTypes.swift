import SwormPredicates

/// The types of an entity's attributes and relations, as its tables have them: for conditions that no store checks.
struct TableTypes: TypedEntity {
    let plan: any AnyEntityPlan
    /// Plain values have attributes only. Objects have relations too, and what else a model file says of them.
    let isPlain: Bool

    var entityName: String { plan.entityName }

    func property(named key: String) throws -> TypedProperty {
        if let attribute = plan.attributes.first(where: { $0.name == key }) {
            return .attribute(attribute.traits.storageType.valueKind)
        }
        if isPlain { throw PredicateError.notInPlainValue(key, plan) }
        guard let relation = plan.relations.first(where: { $0.name == key }) else { return .unknown }
        let destination = TableTypes(plan: relation.destination.anyPlan, isPlain: false)
        return relation.kind == .toOne ? .toOne(destination) : .toMany(destination)
    }
}

extension PredicateError {
    /// The error for a key that a plain value does not have.
    static func notInPlainValue(_ key: String, _ plan: any AnyEntityPlan) -> PredicateError {
        let entity = plan.entityName
        if plan.relations.contains(where: { $0.name == key }) || key == "objectID" {
            return PredicateError(
                .unknownKey, "a plain \(entity) has no `\(key)`; filter managed objects, or fetch with the condition")
        }
        return unknownKey(key, of: entity, names: plan.attributes.map(\.name))
    }
}
