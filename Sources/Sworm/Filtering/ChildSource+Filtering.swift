import SwormPredicates

extension WholeChild {
    var subject: ChildSubject { ChildSubject(mapping: Child.mapping, plan: plan) }

    func subject(of value: Child) -> any EvaluationSubject { ValueSubject(value, mapping: Child.mapping) }
}

extension AttributeChild {
    var subject: ChildSubject { ChildSubject(mapping: Object.mapping, attribute: attributePaths.first?.first) }

    func subject(of value: Value) throws -> any EvaluationSubject {
        AttributeSubject(
            mapping: Object.mapping, name: attributePaths.first?.first ?? "",
            value: try value.encoded().attributeValue.asStored)
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
