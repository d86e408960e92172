import SwormPredicates

/// An object made of dictionaries. Its relationships are filled in once all objects are there.
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
        guard let value = values[key] else { throw PredicateError.unknownKey(key, of: entity) }
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

/// A random source that gives the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
