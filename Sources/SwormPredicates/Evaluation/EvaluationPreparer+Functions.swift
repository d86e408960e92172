import Foundation

extension EvaluationPreparer {
    func prepareFunction(_ name: String, with operands: [ExpressionTree], in tree: ExpressionTree) throws
        -> PreparedOperand
    {
        guard let function = PredicateFunction(rawValue: name) else {
            throw QueryError(.unsupported, "the function '\(name)' is not supported: `\(tree.format)`")
        }
        guard function.arity.contains(operands.count) else {
            throw QueryError(
                .syntax, "the function '\(name)' does not take \(operands.count) arguments: `\(tree.format)`")
        }
        let now = now
        return try fold(operands) { values in
            switch function {
            case .now: .value(.date(now))
            case .noindex: values[0]
            case .uppercase: try mapText(values[0], in: tree) { .string($0.uppercased()) }
            case .lowercase: try mapText(values[0], in: tree) { .string($0.lowercased()) }
            case .canonical: try mapText(values[0], in: tree) { .string(folded($0, options: .canonical)) }
            case .length: try mapText(values[0], in: tree) { .int(Int64(textLength($0))) }
            case .modulus: try modulus(of: values[0], by: values[1], in: tree)
            case .leftShift: try shifted(values[0], by: values[1], left: true, in: tree)
            case .rightShift: try shifted(values[0], by: values[1], left: false, in: tree)
            case .onesComplement: try integer(values[0], in: tree).map { .value(.int(~$0)) } ?? .null
            case _ where function.isAggregate: try aggregate(function, of: values, in: tree)
            default: try computed(function, of: values[0], in: tree)
            }
        }
    }
}

private func mapText(
    _ value: EvaluationValue, in tree: ExpressionTree, _ body: (String) -> AttributeValue
) throws -> EvaluationValue {
    guard let single = value.single else { throw mismatch(expected: "a string", found: value, in: tree) }
    switch SQLValue(single) {
    case .null: return .null
    case .text(let text): return .value(body(text))
    default: throw mismatch(expected: "a string", found: value, in: tree)
    }
}

/// Returns the result of a function of one number.
private func computed(
    _ function: PredicateFunction, of value: EvaluationValue, in tree: ExpressionTree
) throws -> EvaluationValue {
    let given = try number(value, in: tree)
    if case .integer(let integer) = given {
        switch function {
        case .abs where integer != .min: return .value(.int(abs(integer)))
        case _ where function.keepsIntegers: return .value(.int(integer))
        default: break
        }
    }
    guard let double = given.double else { return .null }
    guard let compute = function.ofReal else {
        throw QueryError(.unsupported, "the function '\(function.rawValue)' is not supported")
    }
    return real(compute(double))
}

extension PredicateFunction {
    /// The function for a real, if it is a function of a single number. Its result is not-a-number for nil.
    package var ofReal: (@Sendable (Double) -> Double)? {
        switch self {
        case .sqrt: { $0.squareRoot() }
        // SQL does not define the logarithm of zero; Foundation returns an infinity.
        case .log: { $0 > 0 ? log10($0) : .nan }
        case .ln: { $0 > 0 ? Foundation.log($0) : .nan }
        case .exp: { Foundation.exp($0) }
        case .floor: { $0.rounded(.down) }
        case .ceiling: { $0.rounded(.up) }
        case .trunc: { $0.rounded(.towardZero) }
        case .abs: { $0.magnitude }
        case .float: { Double(Float($0)) }
        default: nil
        }
    }

    /// Whether the function returns an integer unchanged.
    package var keepsIntegers: Bool { self == .floor || self == .ceiling || self == .trunc }
}

/// Returns the result of a function of one collection, or of its arguments as a collection. Nil is ignored, as in SQL.
private func aggregate(
    _ function: PredicateFunction, of arguments: [EvaluationValue], in tree: ExpressionTree
) throws -> EvaluationValue {
    var values = arguments
    if arguments.count == 1 {
        switch arguments[0] {
        case .objects, .list: values = arguments[0].elements ?? []
        case .value, .object, .missing: break
        }
    }
    let present = values.filter { !$0.isNull }
    switch function {
    case .count: return .value(.int(Int64(present.count)))
    case .sum: return try sum(of: present, in: tree)
    case .average: return try average(of: present, count: present.count, in: tree) ?? .null
    case .min: return try extreme(of: present, .orderedAscending, in: tree)
    case .max: return try extreme(of: present, .orderedDescending, in: tree)
    case .median:
        let numbers = try present.compactMap { try number($0, in: tree).double }.sorted()
        guard !numbers.isEmpty else { return .null }
        let middle = numbers.count / 2
        return real(numbers.count % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2)
    case .stddev:
        let numbers = try present.compactMap { try number($0, in: tree).double }
        guard !numbers.isEmpty else { return .null }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return real((squares / Double(numbers.count)).squareRoot())
    default: throw QueryError(.unsupported, "the function '\(function.rawValue)' is not supported")
    }
}
