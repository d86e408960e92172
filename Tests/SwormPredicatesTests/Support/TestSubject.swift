import SwormPredicates

/// An object made of dictionaries. Its relationships are set once all objects exist.
final class TestSubject: EvaluationSubject {
    let id: String
    let entity: String
    let reference: ObjectReference?
    var values: [String: EvaluationValue]

    init(id: String = "x", entity: String = "Thing", key: Int64 = 1, _ values: [String: EvaluationValue] = [:]) {
        self.id = id
        self.entity = entity
        self.values = values
        reference = ObjectReference(storeIdentifier: "test", entityName: entity, key: key)
    }

    convenience init(_ values: [String: AttributeValue]) {
        self.init(values.mapValues { EvaluationValue.value($0) })
    }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        guard let value = values[key] else { throw QueryError.unknownKey(key, of: entity, names: values.keys) }
        return value
    }
}

func evaluate(
    _ format: String, _ arguments: [PredicateArgument] = [], on subject: TestSubject = TestSubject(),
    logic: NilLogic = .sql
) throws -> Bool? {
    try PreparedPredicate(parsePredicate(format, arguments: arguments), logic: logic).evaluate(subject)
}

func value(_ format: String, on subject: TestSubject = TestSubject()) throws -> AttributeValue? {
    guard case .value(let value) = try PreparedExpression(parseExpression(format)).evaluate(subject) else { return nil }
    return value
}
