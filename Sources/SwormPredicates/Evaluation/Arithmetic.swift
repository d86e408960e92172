import Foundation

/// A number, or nil, as SQL uses it in arithmetic.
enum SQLNumber {
    case null
    case integer(Int64)
    case real(Double)

    var double: Double? {
        switch self {
        case .null: nil
        case .integer(let value): Double(value)
        case .real(let value): value
        }
    }
}

func mismatch(expected: String, found value: EvaluationValue, in tree: ExpressionTree) -> QueryError {
    QueryError(.typeMismatch, "expected \(expected), not \(value.kind): `\(tree.format)`")
}

/// Returns a real value, or null for not-a-number, as in a store.
func real(_ value: Double) -> EvaluationValue { value.isNaN ? .null : .value(.double(value)) }

func number(_ value: EvaluationValue, in tree: ExpressionTree) throws -> SQLNumber {
    guard let single = value.single else { throw mismatch(expected: "a number", found: value, in: tree) }
    // A decimal is used as a real, even if it is whole: otherwise the result of 7 / 2 would depend on the origin of
    // the 7.
    if case .decimal(let decimal) = single { return decimal.isNaN ? .null : .real(decimal.nearestDouble) }
    switch SQLValue(single) {
    case .null: return .null
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    default: throw mismatch(expected: "a number", found: value, in: tree)
    }
}

/// Returns a number truncated to an integer, as SQL's bitwise operators do.
func integer(_ value: EvaluationValue, in tree: ExpressionTree) throws -> Int64? {
    switch try number(value, in: tree) {
    case .null: nil
    case .integer(let value): value
    case .real(let value): value >= 0x1p63 ? .max : (value < -0x1p63 ? .min : Int64(value))
    }
}

/// Returns a number without a fraction, or nil for any other number.
func wholeNumber(_ value: EvaluationValue, in tree: ExpressionTree) throws -> Int? {
    switch try number(value, in: tree) {
    case .null: nil
    case .integer(let value): Int(exactly: value)
    case .real(let value): Int(exactly: value)
    }
}

/// Performs arithmetic as SQLite does: nil and a division by zero result in nil, integers divide to integers, and
/// results that do not fit an integer become reals.
func arithmetic(
    _ operation: BinaryOperator, of left: EvaluationValue, and right: EvaluationValue, in tree: ExpressionTree
) throws -> EvaluationValue {
    switch operation {
    case .bitAnd, .bitOr, .bitXor:
        guard let left = try integer(left, in: tree), let right = try integer(right, in: tree) else { return .null }
        switch operation {
        case .bitAnd: return .value(.int(left & right))
        case .bitOr: return .value(.int(left | right))
        default: return .value(.int(left ^ right))
        }
    default: break
    }
    let (left, right) = (try number(left, in: tree), try number(right, in: tree))
    if case .integer(let left) = left, case .integer(let right) = right,
        let result = wholeArithmetic(operation, of: left, and: right)
    {
        return result
    }
    guard let left = left.double, let right = right.double else { return .null }
    switch operation {
    case .add: return real(left + right)
    case .subtract: return real(left - right)
    case .multiply: return real(left * right)
    case .divide: return right == 0 ? .null : real(left / right)
    default: return real(pow(left, right))
    }
}

/// Returns the result of integer arithmetic, or nil if it is not an integer.
private func wholeArithmetic(_ operation: BinaryOperator, of left: Int64, and right: Int64) -> EvaluationValue? {
    let result: (partialValue: Int64, overflow: Bool)
    switch operation {
    case .add: result = left.addingReportingOverflow(right)
    case .subtract: result = left.subtractingReportingOverflow(right)
    case .multiply: result = left.multipliedReportingOverflow(by: right)
    case .divide:
        if right == 0 { return .null }
        result = left.dividedReportingOverflow(by: right)
    default: return nil
    }
    return result.overflow ? nil : .value(.int(result.partialValue))
}

/// Returns the negative of a number. That of zero is a positive zero, as it is in SQLite, which subtracts from zero: powers
/// distinguish the two.
func negated(_ value: EvaluationValue, in tree: ExpressionTree) throws -> EvaluationValue {
    switch try number(value, in: tree) {
    case .null: .null
    case .integer(let value): value == .min ? real(-Double(value)) : .value(.int(-value))
    case .real(let value): real(0 - value)
    }
}

func modulus(of left: EvaluationValue, by right: EvaluationValue, in tree: ExpressionTree) throws -> EvaluationValue {
    guard let left = try integer(left, in: tree), let right = try integer(right, in: tree), right != 0 else {
        return .null
    }
    return .value(.int(left.remainderReportingOverflow(dividingBy: right).partialValue))
}

func shifted(
    _ value: EvaluationValue, by distance: EvaluationValue, left: Bool, in tree: ExpressionTree
) throws -> EvaluationValue {
    guard let value = try integer(value, in: tree), let distance = try integer(distance, in: tree) else { return .null }
    return .value(.int(left ? value << distance : value >> distance))
}

// MARK: Collections

/// Returns the sum of the numbers, in which nil counts as zero.
///
/// Integers are added in halves, which cannot overflow, so that only the total determines whether it becomes a real.
///
/// - Parameter exactly: Whether decimals are added with all their digits.
func sum(of values: [EvaluationValue], in tree: ExpressionTree, exactly: Bool = false) throws -> EvaluationValue {
    if exactly, let decimal = decimalSum(of: values) { return decimal }
    var (high, low): (Int64, Int64) = (0, 0)
    var fraction: Double?
    for value in values {
        switch try number(value, in: tree) {
        case .null: continue
        case .integer(let integer):
            high += integer >> 32
            low += integer & 0xFFFF_FFFF
        case .real(let double): fraction = (fraction ?? 0) + double
        }
    }
    let upper = try arithmetic(.multiply, of: .value(.int(high)), and: .value(.int(0x1_0000_0000)), in: tree)
    let whole = try arithmetic(.add, of: upper, and: .value(.int(low)), in: tree)
    guard let fraction else { return whole }
    return try arithmetic(.add, of: whole, and: real(fraction), in: tree)
}

/// Returns the exact sum of decimals and integers, or nil if there are other values or no decimal.
private func decimalSum(of values: [EvaluationValue]) -> EvaluationValue? {
    var total = Decimal.zero
    var hasDecimals = false
    for value in values {
        switch value.single {
        case .null?: continue
        case .decimal(let decimal)?:
            total += decimal
            hasDecimals = true
        case .int(let integer)?: total += Decimal(integer)
        default: return nil
        }
    }
    return hasDecimals && !total.isNaN ? .value(.decimal(total)) : nil
}

/// Returns the smallest or largest decimal, compared by all digits, or nil if there are other values.
private func extremeDecimal(of values: [EvaluationValue], _ order: ComparisonResult) -> EvaluationValue? {
    var best: Decimal?
    for value in values {
        switch value.single {
        case .null?: continue
        case .decimal(let decimal)? where !decimal.isNaN:
            guard let current = best else {
                best = decimal
                continue
            }
            if order == .orderedAscending ? decimal < current : decimal > current { best = decimal }
        default: return nil
        }
    }
    return best.map { .value(.decimal($0)) }
}

/// Returns the sum divided by a count, or nil if there are no values.
func average(of values: [EvaluationValue], count: Int, in tree: ExpressionTree) throws -> EvaluationValue? {
    guard count > 0 else { return nil }
    return try number(try sum(of: values, in: tree), in: tree).double.map { real($0 / Double(count)) } ?? .null
}

/// Returns the smallest or largest value, or nil if there are no values. Nil among the values is ignored.
///
/// - Parameter exactly: Whether decimals are compared by all their digits.
func extreme(
    of values: [EvaluationValue], _ order: ComparisonResult, in tree: ExpressionTree, exactly: Bool = false
) throws -> EvaluationValue {
    if exactly, let decimal = extremeDecimal(of: values, order) { return decimal }
    var best: (value: AttributeValue, key: SQLValue)?
    for value in values {
        guard let single = value.single else { throw mismatch(expected: "a value", found: value, in: tree) }
        let key = SQLValue(single)
        if case .null = key { continue }
        guard let current = best else {
            best = (single, key)
            continue
        }
        guard key.isComparable(to: current.key) else {
            throw mismatch(expected: current.key.kind, found: value, in: tree)
        }
        if key.order(current.key) == order { best = (single, key) }
    }
    return best.map { .value($0.value) } ?? .null
}

/// Returns the result of UNION, INTERSECT or MINUS, which contains every element once.
func combined(
    _ operation: SetOperator, of left: EvaluationValue, and right: EvaluationValue, in tree: ExpressionTree
) throws -> EvaluationValue {
    let left = try collection(left, in: tree)
    let right = try collection(right, in: tree)
    let others = Set(try right.map { try comparable($0, in: tree) })
    var seen: Set<SQLValue> = []
    let candidates = operation == .union ? left + right : left
    return .list(
        try candidates.filter { element in
            let key = try comparable(element, in: tree)
            switch operation {
            case .union: break
            case .intersect: guard others.contains(key) else { return false }
            case .minus: guard !others.contains(key) else { return false }
            }
            return seen.insert(key).inserted
        })
}

/// Returns the value that is used for comparisons: an object's identity, or the value itself.
func comparable(_ value: EvaluationValue, in tree: ExpressionTree) throws -> SQLValue {
    switch value {
    case .value(let value): return SQLValue(value)
    case .missing: return .null
    case .object(let subject):
        guard let reference = subject.reference else {
            throw QueryError(.typeMismatch, "an object without an identity cannot be compared: `\(tree.format)`")
        }
        return .object(reference)
    case .objects, .list: throw mismatch(expected: "a single value", found: value, in: tree)
    }
}
