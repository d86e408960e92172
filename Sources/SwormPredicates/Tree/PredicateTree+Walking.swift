/// A predicate or an expression.
enum TreeNode {
    case predicate(PredicateTree)
    case expression(ExpressionTree)

    /// The child nodes.
    var children: [TreeNode] {
        switch self {
        case .predicate(let tree):
            switch tree {
            case .constant: []
            case .and(let parts), .or(let parts): parts.map(TreeNode.predicate)
            case .not(let part): [.predicate(part)]
            case .comparison(let comparison): [.expression(comparison.left), .expression(comparison.right)]
            }
        case .expression(let tree):
            switch tree {
            case .value, .evaluatedObject, .variable: []
            case .list(let parts), .function(_, let parts): parts.map(TreeNode.expression)
            case .key(let base, _), .negate(let base), .cast(let base, _): [.expression(base)]
            case .index(let base, .expression(let index)): [.expression(base), .expression(index)]
            case .index(let base, _): [.expression(base)]
            case .binary(_, let left, let right), .set(_, let left, let right): [.expression(left), .expression(right)]
            case .subquery(let collection, _, let condition): [.expression(collection), .predicate(condition)]
            case .conditional(let condition, let yes, let no):
                [.predicate(condition), .expression(yes), .expression(no)]
            }
        }
    }

    /// Returns the depth of the tree, or nil if it exceeds the limit. Uses no recursion, so that it accepts trees of
    /// any depth.
    ///
    /// - Parameter chains: Whether an AND directly below an AND, and an OR below an OR, count as further levels.
    func depth(limit: Int, chains: Bool) -> Int? {
        var deepest = 0
        var stack = [(node: self, depth: 1)]
        while let (node, depth) = stack.popLast() {
            guard depth <= limit else { return nil }
            deepest = max(deepest, depth)
            for child in node.children {
                stack.append((child, !chains && node.continues(in: child) ? depth : depth + 1))
            }
        }
        return deepest
    }

    /// Returns whether a child is on the same level: an AND directly below an AND, and an OR below an OR.
    func continues(in child: TreeNode) -> Bool {
        switch (self, child) {
        case (.predicate(.and), .predicate(.and)), (.predicate(.or), .predicate(.or)): true
        default: false
        }
    }
}

extension PredicateTree {
    /// Returns whether a function is called anywhere in the tree. Uses no recursion, so that it accepts trees of any
    /// depth.
    package func calls(_ function: PredicateFunction) -> Bool {
        var stack = [TreeNode.predicate(self)]
        while let node = stack.popLast() {
            if case .expression(.function(function.rawValue, _)) = node { return true }
            stack.append(contentsOf: node.children)
        }
        return false
    }
}

extension PredicateTree {
    /// The constants of the tree, from left to right. Uses no recursion, so that it accepts trees of any depth.
    package var constants: [AttributeValue] {
        var constants: [AttributeValue] = []
        var stack = [TreeNode.predicate(self)]
        while let node = stack.popLast() {
            if case .expression(.value(let value)) = node { constants.append(value) }
            stack.append(contentsOf: node.children.reversed())
        }
        return constants
    }
}

extension ExpressionTree {
    /// Returns the depth of the tree, or nil if it exceeds the limit.
    func depth(limit: Int) -> Int? { TreeNode.expression(self).depth(limit: limit, chains: true) }

    /// Whether the tree is deeper than a tree that is passed in may be. Chains of AND and OR count as one level.
    package var isTooDeep: Bool {
        TreeNode.expression(self).depth(limit: PredicateLimits.treeDepth, chains: false) == nil
    }
}

extension PredicateTree {
    /// Returns the depth of the tree, or nil if it exceeds the limit. Chains of AND and of OR count as one level.
    package func depth(limit: Int) -> Int? { TreeNode.predicate(self).depth(limit: limit, chains: false) }

    /// Returns the parts of a chain of ANDs (or ORs), however they are nested, in order.
    func chainParts(and: Bool) -> [PredicateTree] {
        var parts: [PredicateTree] = []
        var stack = [self]
        while let tree = stack.popLast() {
            switch (tree, and) {
            case (.and(let inner), true), (.or(let inner), false): stack.append(contentsOf: inner.reversed())
            default: parts.append(tree)
            }
        }
        return parts
    }

    /// The parts of a chain of ANDs (or ORs) that was extended on the right, whether it is one node or nested; none
    /// for an empty one.
    var chainGrownRight: [PredicateTree] {
        guard parts(asIn: self)?.isEmpty == false else { return [] }
        var reversed: [PredicateTree] = []
        var tree = self
        while let parts = tree.parts(asIn: self), let first = parts.first {
            reversed.append(contentsOf: parts.dropFirst().reversed())
            tree = first
        }
        reversed.append(tree)
        return reversed.reversed()
    }

    /// Returns the parts of an AND if the other tree is an AND, and of an OR if it is an OR.
    private func parts(asIn other: PredicateTree) -> [PredicateTree]? {
        switch (self, other) {
        case (.and(let parts), .and), (.or(let parts), .or): parts
        default: nil
        }
    }

    /// Returns the AND of both as one node. A chain that is extended on the right stays one level deep, and prints as
    /// if it were nested.
    package static func conjunction(_ left: PredicateTree, _ right: PredicateTree) -> PredicateTree {
        guard case .and(let parts) = left, parts.count > 1 else { return .and([left, right]) }
        return .and(parts + [right])
    }

    /// Returns the OR of both as one node. A chain that is extended on the right stays one level deep, and prints as
    /// if it were nested.
    package static func disjunction(_ left: PredicateTree, _ right: PredicateTree) -> PredicateTree {
        guard case .or(let parts) = left, parts.count > 1 else { return .or([left, right]) }
        return .or(parts + [right])
    }
}
