import SwormPredicates

extension WholeChild {
    var subject: ChildSubject { ChildSubject(mapping: Child.mapping, plan: plan) }

    func subjects(of values: [Child]) -> [any EvaluationSubject] {
        let mapping = Child.mapping
        return values.map { ValueSubject($0, mapping: mapping) }
    }
}

extension AttributeChild {
    var subject: ChildSubject { ChildSubject(mapping: Object.mapping, attribute: attributePaths.first?.first) }

    func subjects(of values: [Value]) throws -> [any EvaluationSubject] {
        let mapping = Object.mapping
        let name = try mapping.attribute(attribute).name
        return try values.map {
            AttributeSubject(mapping: mapping, name: name, value: try $0.encoded().attributeValue.asStored)
        }
    }
}

/// A child of which a tree has one attribute.
private struct AttributeSubject: EvaluationSubject {
    let mapping: any AnyEntityMapping
    let name: String
    let value: AttributeValue

    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        guard key == name else { throw QueryError.unknownKey(key, of: mapping.entityName, names: [name]) }
        return .value(value)
    }
}
