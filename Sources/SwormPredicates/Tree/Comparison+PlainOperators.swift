extension Comparison {
    /// An equality with Swift's semantics, written with operators of the language; nil for other comparisons.
    var inPlainOperators: PredicateTree? {
        switch comparator {
        case .identical: identity(quantifier)
        // "Not identical for some element" is the negation of "identical for all", and vice versa.
        case .notIdentical: .not(identity(quantifier.dual))
        default: nil
        }
    }

    private func identity(_ quantifier: Quantifier) -> PredicateTree {
        func compare(
            _ left: ExpressionTree, by comparator: Comparator, with right: ExpressionTree, quantifier: Quantifier
        ) -> PredicateTree {
            .comparison(Comparison(left, by: comparator, with: right, options: options, quantifier: quantifier))
        }
        let null = ExpressionTree.value(.null)
        let equal = compare(left, by: .equal, with: right, quantifier: quantifier)
        let rightIsNull = compare(right, by: .equal, with: null, quantifier: .direct)
        let leftIsNull = compare(left, by: .equal, with: null, quantifier: quantifier)
        switch (left, right) {
        case (_, .value(.null)), (.value(.null), _), (.value, .value): return equal
        case (_, .value):
            // A quantified comparison is never undecided, so that nil needs no separate test.
            return quantifier == .direct
                ? .and([equal, compare(left, by: .notEqual, with: null, quantifier: .direct)]) : equal
        default:
            guard quantifier == .direct else { return .or([equal, .and([leftIsNull, rightIsNull])]) }
            let bothThere: [PredicateTree] = [
                compare(left, by: .notEqual, with: null, quantifier: .direct),
                compare(right, by: .notEqual, with: null, quantifier: .direct),
            ]
            return .or([.and([equal] + bothThere), .and([leftIsNull, rightIsNull])])
        }
    }
}

extension Quantifier {
    fileprivate var dual: Quantifier {
        switch self {
        case .direct: .direct
        case .any: .all
        case .all: .any
        }
    }
}
