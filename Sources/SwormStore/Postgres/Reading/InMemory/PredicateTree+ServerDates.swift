#if PostgreSQL
import Foundation
import SwormPredicates

extension PredicateTree {
    /// Returns the predicate with the dates that are compared with columns of a server rounded to the microsecond, as the
    /// columns and the parameters of statements are.
    func roundingDates(in layout: StoreLayout, model: CompiledModel) -> PredicateTree {
        DateRounding(layout, model: model).apply(to: self)
    }
}

extension ProjectionTree {
    /// Returns the projection with its dates rounded in the same way.
    func roundingDates(in layout: StoreLayout, model: CompiledModel) -> ProjectionTree {
        let rounding = DateRounding(layout, model: model)
        var result = self
        result.columns = columns.map { rounding.apply(to: $0) }
        result.groups = groups.map { rounding.apply(to: $0) }
        result.having = having.map { rounding.apply(to: $0) }
        result.sorts = sorts.map { sort in
            var sort = sort
            sort.expression = rounding.apply(to: sort.expression)
            return sort
        }
        return result
    }
}

/// The rounding of dates as in a statement. A date that is compared with a column of doubles keeps its digits.
private struct DateRounding {
    /// The names of attributes whose dates are stored as doubles, which are compared with all their digits.
    private let exactNames: Set<String>

    init(_ layout: StoreLayout, model: CompiledModel) {
        exactNames = Set(
            (layout.server?.secondsColumns ?? []).map { model[$0.entity].attributes[$0.slot].name })
    }

    func apply(to tree: PredicateTree) -> PredicateTree {
        switch tree {
        case .constant: return tree
        case .and(let parts): return .and(parts.map(apply))
        case .or(let parts): return .or(parts.map(apply))
        case .not(let part): return .not(apply(to: part))
        case .comparison(var comparison):
            let (left, right) = (comparison.left, comparison.right)
            if !isExact(right) { comparison.left = apply(to: left) }
            if !isExact(left) { comparison.right = apply(to: right) }
            return .comparison(comparison)
        }
    }

    func apply(to tree: ExpressionTree) -> ExpressionTree {
        switch tree {
        case .value(.date(let date)):
            return .value(.date(Date(timeIntervalSinceReferenceDate: ServerDate.seconds(date))))
        case .value, .evaluatedObject, .variable: return tree
        case .list(let items): return .list(items.map(apply))
        case .key(let base, let key): return .key(apply(to: base), key)
        case .index(let base, .expression(let index)):
            return .index(apply(to: base), .expression(apply(to: index)))
        case .index(let base, let index): return .index(apply(to: base), index)
        case .binary(let sign, let left, let right): return .binary(sign, apply(to: left), apply(to: right))
        case .negate(let operand): return .negate(apply(to: operand))
        case .function(let name, let operands): return .function(name, operands.map(apply))
        case .cast(let operand, let type): return .cast(apply(to: operand), type)
        case .subquery(let collection, let name, let condition):
            return .subquery(apply(to: collection), name, apply(to: condition))
        case .conditional(let condition, let yes, let no):
            return .conditional(apply(to: condition), apply(to: yes), apply(to: no))
        case .set(let word, let left, let right): return .set(word, apply(to: left), apply(to: right))
        }
    }

    private func isExact(_ tree: ExpressionTree) -> Bool {
        guard case .key(_, let key) = tree else { return false }
        return exactNames.contains { $0 == key || $0.hasSuffix("." + key) }
    }
}
#endif
