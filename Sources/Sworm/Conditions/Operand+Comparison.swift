import SwormPredicates

extension Condition {
    /// Creates a comparison of two operands.
    init(_ left: Operand, by comparator: SwormPredicates.Comparator, with right: Operand, options: StringOptions = []) {
        self.init(ConditionContent(left, by: comparator, with: right, options: options))
    }
}

extension Operand {
    @usableFromInline
    func isEqual(to other: Operand) -> ConditionContent { ConditionContent(self, by: .equal, with: other) }

    @usableFromInline
    func isDifferent(from other: Operand) -> ConditionContent { ConditionContent(self, by: .notEqual, with: other) }
}

extension ConditionContent {
    /// Creates a comparison of two operands.
    fileprivate init(
        _ left: Operand, by comparator: SwormPredicates.Comparator, with right: Operand, options: StringOptions = []
    ) {
        let failure = left.failure ?? right.failure
        let scopes = left.joinedScopes(right)
        if scopes.isEmpty {
            let comparison = Comparison(
                left.expression, by: comparator, with: right.expression, options: options.comparison)
            self.init(.comparison(comparison), failure: failure)
        } else if let tree = quantifiedPath(left, by: comparator, with: right, options: options.comparison)
            ?? comparator.reversed.flatMap({ quantifiedPath(right, by: $0, with: left, options: options.comparison) })
        {
            self.init(tree, failure: failure)
        } else {
            let comparison = Comparison(
                left.expression, by: comparator, with: right.expression, options: options.comparison)
            self = ConditionContent(.comparison(comparison), failure: failure).quantified(over: scopes)
        }
    }
}

/// Returns `ANY a.b.c > x`, if the predicate language can express the comparison in this form: one path through one or
/// more collections, all with the same quantifier, compared with an operand that ranges over no collection.
private func quantifiedPath(
    _ left: Operand, by comparator: SwormPredicates.Comparator, with right: Operand, options: ComparisonOptions
) -> PredicateTree? {
    guard right.scopes.isEmpty, let first = left.scopes.first else { return nil }
    var path = first.collection
    guard path.isPlainPath else { return nil }
    var variable = first.variable
    for scope in left.scopes.dropFirst() {
        // `NONE` on a path means that no a has any b. It cannot express that no a has no b.
        let isExpressible = first.quantifier == .all ? scope.quantifier == .all : scope.quantifier == .any
        guard isExpressible, let keys = scope.collection.plainKeys(from: variable) else { return nil }
        path = keys.reduce(path) { .key($0, $1) }
        variable = scope.variable
    }
    guard let keys = left.expression.plainKeys(from: variable) else { return nil }
    path = keys.reduce(path) { .key($0, $1) }
    let comparison = PredicateTree.comparison(
        Comparison(
            path, by: comparator, with: right.expression, options: options,
            quantifier: first.quantifier == .all ? .all : .any))
    return first.quantifier == .none ? .not(comparison) : comparison
}

extension ConditionContent {
    /// Returns the general form, which counts the rows of each collection that fulfill the condition.
    func quantified(over scopes: [Operand.Scope]) -> ConditionContent {
        guard case .tree(var tree) = body else { return self }
        for scope in scopes.reversed() {
            let count = ExpressionTree.key(.subquery(scope.collection, naming: scope.variable, where: tree), "@count")
            let comparison =
                switch scope.quantifier {
                case .any: Comparison(count, by: .greater, with: .value(.int(0)))
                case .none: Comparison(count, by: .equal, with: .value(.int(0)))
                case .all: Comparison(count, by: .equal, with: .key(scope.collection, "@count"))
                }
            tree = .comparison(comparison)
        }
        return ConditionContent(tree, failure: failure, depth: depth)
    }
}

extension SwormPredicates.Comparator {
    /// The equivalent comparator for exchanged sides, or nil if it does not exist.
    fileprivate var reversed: SwormPredicates.Comparator? {
        switch self {
        case .equal, .notEqual, .identical, .notIdentical: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .between, .in, .contains, .beginsWith, .endsWith, .like, .matches: nil
        }
    }
}
