import Foundation
import SwormPredicates

extension PredicateExpressions.RangeExpressionContains: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let element = try translator.operand(element)
        if let bounds = try (range as? any RangeNode)?.bounds(by: &translator) {
            return element.isConstant && bounds.areConstant
                ? .constant(try evaluate(translator.bindings))
                : .boolean(try translator.isInside(element, bounds: bounds))
        }
        let container = try translator.operand(range)
        if let folded = try translator.folded(self, parts: container, element) { return folded }
        guard container.isConstant, let bounds = RangeBounds(try range.evaluate(translator.bindings)) else {
            throw translator.issue("`contains` takes a range of values, as in `(1...5).contains($0.year)`")
        }
        return .boolean(try translator.isInside(element, bounds: bounds))
    }
}

/// The bounds of a range.
private struct RangeBounds {
    var lower: PredicateOperand?
    var upper: PredicateOperand?
    var isClosed = false

    var areConstant: Bool { lower?.isConstant != false && upper?.isConstant != false }

    init(from lower: PredicateOperand?, to upper: PredicateOperand?, isClosed: Bool) {
        self.lower = lower
        self.upper = upper
        self.isClosed = isClosed
    }

    /// Creates the bounds of a captured range.
    init?<Range: RangeExpression>(_ range: Range) {
        switch range {
        case let range as Swift.Range<Range.Bound>:
            self.init(from: .constant(range.lowerBound), to: .constant(range.upperBound), isClosed: false)
        case let range as Swift.ClosedRange<Range.Bound>:
            self.init(from: .constant(range.lowerBound), to: .constant(range.upperBound), isClosed: true)
        case let range as PartialRangeFrom<Range.Bound>:
            self.init(from: .constant(range.lowerBound), to: nil, isClosed: true)
        case let range as PartialRangeThrough<Range.Bound>:
            self.init(from: nil, to: .constant(range.upperBound), isClosed: true)
        case let range as PartialRangeUpTo<Range.Bound>:
            self.init(from: nil, to: .constant(range.upperBound), isClosed: false)
        default: return nil
        }
    }
}

/// A node that creates a range.
private protocol RangeNode {
    func bounds(by translator: inout PredicateTranslator) throws -> RangeBounds
}

extension PredicateExpressions.Range: RangeNode {
    fileprivate func bounds(by translator: inout PredicateTranslator) throws -> RangeBounds {
        try translator.bounds(from: lower, to: upper, isClosed: false)
    }
}

extension PredicateExpressions.ClosedRange: RangeNode {
    fileprivate func bounds(by translator: inout PredicateTranslator) throws -> RangeBounds {
        try translator.bounds(from: lower, to: upper, isClosed: true)
    }
}

extension PredicateTranslator {
    fileprivate mutating func bounds<Lower: PredicateExpression, Upper: PredicateExpression>(
        from lower: Lower, to upper: Upper, isClosed: Bool
    ) throws -> RangeBounds where Lower.Output == Upper.Output, Lower.Output: Comparable {
        let bounds = RangeBounds(from: try operand(lower), to: try operand(upper), isClosed: isClosed)
        if bounds.areConstant {
            let (one, other) = (try lower.evaluate(bindings), try upper.evaluate(bindings))
            // Swift traps in this case.
            guard one <= other else {
                throw issue("the lower bound \(one) of the range is greater than its upper bound \(other)")
            }
        }
        return bounds
    }

    fileprivate func isInside(_ element: PredicateOperand, bounds: RangeBounds) throws -> PredicateTree {
        if let lower = bounds.lower, let upper = bounds.upper, bounds.isClosed {
            let list = ExpressionTree.list([try expression(of: lower), try expression(of: upper)])
            return .comparison(Comparison(try expression(of: element), by: .between, with: list))
        }
        return conjunction([
            try bounds.lower.map { try order(element, by: .greaterOrEqual, with: $0) },
            try bounds.upper.map { try order(element, by: bounds.isClosed ? .lessOrEqual : .less, with: $0) },
        ])
    }
}
