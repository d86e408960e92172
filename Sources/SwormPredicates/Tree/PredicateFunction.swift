/// The functions that an expression may call. The raw value is the name that `ExpressionTree.function` carries.
package enum PredicateFunction: String, Sendable, Hashable, CaseIterable {
    case sum, count, min, max, average, median, stddev
    case sqrt, log, ln, exp, floor, ceiling, abs, trunc
    case now
    case uppercase, lowercase, length
    /// A string without differences of letter case and diacritical marks.
    case canonical
    case noindex
    case modulus = "modulus:by:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement
    /// The nearest number that a `Float` represents. This package adds the function for Swift's predicates; Core Data
    /// does not have it.
    case float

    /// The number of arguments of the function.
    package var arity: ClosedRange<Int> {
        switch self {
        case .now: 0...0
        case .sum, .count, .min, .max, .average, .median, .stddev: 1...Int.max
        case .modulus, .leftShift, .rightShift: 2...2
        default: 1...1
        }
    }

    /// Whether the function accepts one collection, or its arguments as the collection.
    var isAggregate: Bool { arity.upperBound == Int.max }
}
