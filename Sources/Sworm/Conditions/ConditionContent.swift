import SwormPredicates

/// The content of a condition: a tree or invalid text, and the first error.
@usableFromInline
struct ConditionContent: Sendable {
    enum Body: Sendable, Hashable {
        case tree(PredicateTree)
        case text(String, [PredicateArgument])
    }

    var body: Body
    @Boxed var failure: StoreError?
    /// The depth of the tree, counted in connectives.
    var depth = 0

    init(_ tree: PredicateTree, failure: StoreError? = nil, depth: Int = 0) {
        body = .tree(tree)
        self.failure = failure
        self.depth = depth
    }

    init(text: String, arguments: [PredicateArgument], failure: StoreError) {
        body = .text(text, arguments)
        self.failure = failure
    }

    /// Returns the tree, for use by a store.
    func tree() throws(StoreError) -> PredicateTree {
        if let failure { throw failure }
        switch body {
        case .tree(let tree): return tree
        case .text(let text, _): throw StoreError(.invalidCondition, "The condition '\(text)' is not valid.")
        }
    }
}

extension ConditionContent {
    static func and(_ left: ConditionContent, _ right: ConditionContent) -> ConditionContent {
        join(left, with: right, word: "AND", PredicateTree.conjunction)
    }

    static func or(_ left: ConditionContent, _ right: ConditionContent) -> ConditionContent {
        join(left, with: right, word: "OR", PredicateTree.disjunction)
    }

    static func not(_ original: ConditionContent) -> ConditionContent {
        switch original.body {
        case .tree(let tree):
            return ConditionContent(.not(tree), failure: original.failure, depth: original.depth + 1).limited
        case .text(let text, let values):
            var result = original
            result.body = .text("NOT (\(text))", values)
            return result
        }
    }

    private static func join(
        _ left: ConditionContent, with right: ConditionContent, word: String,
        _ make: (PredicateTree, PredicateTree) -> PredicateTree
    ) -> ConditionContent {
        let failure = left.failure ?? right.failure
        if case .tree(let leftTree) = left.body, case .tree(let rightTree) = right.body {
            let tree = make(leftTree, rightTree)
            // A chain that grows to the right is a single node, regardless of its length.
            let grows = leftTree.isChain(like: tree)
            let depth = max(left.depth, right.depth + 1, grows ? 0 : left.depth + 1)
            return ConditionContent(tree, failure: failure, depth: depth).limited
        }
        var result = left
        result.body = .text("(\(left.format)) \(word) (\(right.format))", left.values + right.values)
        result.failure = failure
        return result
    }

    /// The condition, or a failure if it is nested so deeply that processing it would overflow the stack.
    private var limited: ConditionContent {
        let limit = 300
        guard depth > limit else { return self }
        let message =
            "A condition is nested more than \(limit) levels deep. Use `isIn` for long lists of values, and combine "
            + "conditions with `&&` and `||` from left to right."
        return ConditionContent(.constant(false), failure: failure ?? StoreError(.invalidCondition, message))
    }
}

extension PredicateTree {
    fileprivate func isChain(like other: PredicateTree) -> Bool {
        switch (self, other) {
        case (.and(let parts), .and), (.or(let parts), .or): parts.count > 1
        default: false
        }
    }
}
