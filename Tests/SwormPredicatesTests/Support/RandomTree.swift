import TestSupport
import Foundation
import SwormPredicates

/// Makes trees of every kind of node, in the form that the parser gives them.
struct RandomTree {
    private var generator: SeededRandom

    init(seed: UInt64) { generator = SeededRandom(seed: seed) }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    private mutating func pick<Element>(from elements: [Element]) -> Element { elements[pick(elements.count)] }

    mutating func predicate(depth: Int) -> PredicateTree {
        switch depth > 0 ? pick(7) : 4 + pick(3) {
        case 0: return .and((0..<(2 + pick(3))).map { _ in predicate(depth: depth - 1) })
        case 1: return .or((0..<(2 + pick(3))).map { _ in predicate(depth: depth - 1) })
        case 2: return .not(predicate(depth: depth - 1))
        case 3: return .constant(pick(2) == 0)
        default: return .comparison(comparison(depth: depth))
        }
    }

    private mutating func comparison(depth: Int) -> Comparison {
        let comparator = pick(from: [
            Comparator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in, .contains,
            .beginsWith, .endsWith, .like, .matches,
        ])
        var right = expression(depth: depth - 1)
        switch comparator {
        case .between: right = .list([expression(depth: depth - 1), expression(depth: depth - 1)])
        case .in: right = pick(2) == 0 ? .list((0..<pick(4)).map { _ in expression(depth: 0) }) : path()
        case .beginsWith, .endsWith, .like, .matches: right = pick(2) == 0 ? path() : .value(.string(text()))
        default: break
        }
        let options = comparator == .between ? [] : ComparisonOptions(rawValue: UInt8(pick(16)))
        return Comparison(
            expression(depth: depth - 1), by: comparator, with: right, options: options,
            quantifier: pick(from: [Quantifier.direct, .direct, .any, .all]))
    }

    private mutating func expression(depth: Int) -> ExpressionTree {
        guard depth > 0 else { return pick(2) == 0 ? path() : .value(value()) }
        func next(_ random: inout RandomTree) -> ExpressionTree { random.expression(depth: depth - 1) }
        switch pick(14) {
        case 0:
            let sign = pick(from: [BinaryOperator.add, .subtract, .multiply, .divide, .power, .bitAnd, .bitOr, .bitXor])
            return .binary(sign, next(&self), next(&self))
        case 1: return .negate(next(&self))
        case 2: return .list((0..<pick(3)).map { _ in next(&self) })
        case 3: return .index(next(&self), pick(from: [.first, .last, .size]))
        case 4: return .index(path(), .expression(next(&self)))
        case 5: return .function(pick(from: ["abs", "sqrt", "uppercase", "length"]), [next(&self)])
        case 6: return .function(pick(from: ["modulus:by:", "leftshift:by:"]), [next(&self), next(&self)])
        case 7: return .cast(path(), pick(from: ["NSDate", "NSString", "NSNumber"]))
        case 8: return .key(.subquery(path(), pick(from: ["x", "y"]), predicate(depth: depth - 1)), "@count")
        case 9: return .conditional(predicate(depth: depth - 1), next(&self), next(&self))
        case 10: return .set(pick(from: [.union, .intersect, .minus]), next(&self), next(&self))
        case 11: return .key(.key(path(), pick(from: ["@sum", "@avg", "@min", "@max"])), "pages")
        case 12: return .key(baseOfPath(next(&self)), pick(from: ["length", "in", "año"]))
        default: return path()
        }
    }

    /// Nothing can follow a count.
    private func baseOfPath(_ tree: ExpressionTree) -> ExpressionTree {
        if case .key(let base, "@count") = tree { return base }
        return tree
    }

    private mutating func path() -> ExpressionTree {
        let start: ExpressionTree = pick(4) == 0 ? .variable(pick(from: ["x", "y"])) : .evaluatedObject
        let keys = ["title", "size", "and", "nil", "größe", "_a1", "odd name", "it's", "1st", "SELFIE", "first"]
        return (0..<(1 + pick(3))).reduce(start) { tree, _ in .key(tree, pick(from: keys)) }
    }

    private mutating func text() -> String {
        let characters = ["a", "\"", "'", "\\", "\n", "%", "é", "e\u{301}", "😀", " ", "*", "?", "\u{1}"]
        return (0..<pick(6)).map { _ in pick(from: characters) }.joined()
    }

    private mutating func value() -> AttributeValue {
        switch pick(9) {
        case 0: .null
        case 1: .bool(pick(2) == 0)
        case 2: .int(Int64.random(in: .min ... .max, using: &generator))
        case 3: .double(Double.random(in: -1e9...1e9, using: &generator))
        case 4: .date(Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &generator)))
        case 5: .decimal(Decimal(pick(1000)) / 8)
        case 6: .data(Data((0..<pick(5)).map { _ in UInt8(pick(256)) }))
        default: .string(text())
        }
    }
}
