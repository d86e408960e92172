/// The size of an expression or a predicate.
///
/// A part counts as often as it occurs, so that the size of a tree follows from those of its parts, without a walk.
package struct TreeSize: Sendable, Hashable {
    /// The number of levels. Chains of AND and OR count as one level.
    package private(set) var depth: Int
    /// The number of nodes.
    package private(set) var count: Int

    /// The size of a tree without parts.
    package static let leaf = TreeSize(depth: 1, count: 1)

    private init(depth: Int, count: Int) { (self.depth, self.count) = (depth, count) }

    /// Measures an expression, as far as it is within the limits.
    package init(_ tree: ExpressionTree) {
        if case .value = tree { self = .leaf } else { self.init(walking: .expression(tree)) }
    }

    /// Measures a predicate, as far as it is within the limits.
    package init(_ tree: PredicateTree) { self.init(walking: .predicate(tree)) }

    /// Creates the size of a tree from those of its parts. A number of nodes above the limit is not counted further.
    ///
    /// - Parameter levels: The number of nodes above the parts.
    package init(joining parts: [TreeSize], levels: Int = 1) {
        depth = (parts.map(\.depth).max() ?? 0) + levels
        count = min(parts.reduce(levels) { $0 + $1.count }, PredicateLimits.treeSize + 1)
    }

    // Uses no recursion, so that it accepts trees of any depth.
    private init(walking root: TreeNode) {
        var size = TreeSize(depth: 0, count: 0)
        var stack = [(node: root, level: 1)]
        while size.isAllowed, let (node, level) = stack.popLast() {
            size.depth = max(size.depth, level)
            size.count += 1
            for child in node.children { stack.append((child, node.continues(in: child) ? level : level + 1)) }
        }
        self = size
    }

    private var isAllowed: Bool { depth <= PredicateLimits.treeDepth && count <= PredicateLimits.treeSize }

    /// - Throws: An error for an expression that is too deep or too large. Whoever walks or releases it would exhaust
    ///   the stack, or would hardly come to an end.
    package func check() throws {
        guard depth <= PredicateLimits.treeDepth else {
            throw QueryError(.limit, "the expression is nested more than \(PredicateLimits.treeDepth) levels deep")
        }
        guard count <= PredicateLimits.treeSize else {
            throw QueryError(.limit, "the expression has more than \(PredicateLimits.treeSize) parts")
        }
    }
}
