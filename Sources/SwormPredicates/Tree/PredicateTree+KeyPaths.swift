/// A key path that a predicate reads.
package struct KeyPathUse: Sendable, Hashable {
    /// The start of a path.
    package enum Start: Sendable, Hashable {
        /// The object for which the predicate is evaluated.
        case evaluatedObject
        /// A variable that no SUBQUERY binds.
        case variable(String)
        /// A value, or a computed expression.
        case other
    }

    package var start: Start
    /// The keys, without collection operators. A path inside a SUBQUERY continues the path of its collection.
    package var keys: [String]

    package init(start: Start, keys: [String]) {
        self.start = start
        self.keys = keys
    }
}

extension PredicateTree {
    /// The key paths that the predicate reads, each once. `author.name` is listed as one path, without `author`.
    package var keyPathUses: [KeyPathUse] { collectKeyPaths(of: .predicate(self)) }

    /// The key paths that start from the object for which the predicate is evaluated.
    package var keyPaths: [[String]] { keyPathUses.filter { $0.start == .evaluatedObject }.map(\.keys) }
}

extension ExpressionTree {
    /// The key paths that the expression reads, each once.
    package var keyPathUses: [KeyPathUse] { collectKeyPaths(of: .expression(self)) }
}

private func collectKeyPaths(of root: TreeNode) -> [KeyPathUse] {
    var seen: Set<KeyPathUse> = []
    var uses: [KeyPathUse] = []
    var stack: [(node: TreeNode, bound: [String: [KeyPathUse]])] = [(root, [:])]
    while let (node, bound) = stack.popLast() {
        switch node {
        case .expression(.key(let base, let key)):
            var start = base
            while case .key(let next, _) = start { start = next }
            for use in origins(of: .key(base, key), bound) where seen.insert(use).inserted { uses.append(use) }
            stack.append((.expression(start), bound))
        case .expression(.subquery(let collection, let name, let condition)):
            var inner = bound
            inner[name] = origins(of: collection, bound)
            stack.append((.predicate(condition), inner))
            stack.append((.expression(collection), bound))
        default:
            stack.append(contentsOf: node.children.reversed().map { ($0, bound) })
        }
    }
    return uses
}

/// Returns the paths of the objects or values that an expression yields. A choice between two expressions yields those
/// of both.
private func origins(of tree: ExpressionTree, _ bound: [String: [KeyPathUse]]) -> [KeyPathUse] {
    var found: [KeyPathUse] = []
    // The keys are in reverse order.
    var stack: [(tree: ExpressionTree, keys: [String])] = [(tree, [])]
    while var (tree, keys) = stack.popLast() {
        while case .key(let base, let key) = tree {
            if !key.hasPrefix("@") { keys.append(key) }
            tree = base
        }
        switch tree {
        case .index(let base, _), .subquery(let base, _, _), .cast(let base, _): stack.append((base, keys))
        case .conditional(_, let yes, let no): stack += [(no, keys), (yes, keys)]
        case .evaluatedObject: found.append(KeyPathUse(start: .evaluatedObject, keys: keys.reversed()))
        case .variable(let name):
            for use in bound[name] ?? [KeyPathUse(start: .variable(name), keys: [])] {
                found.append(KeyPathUse(start: use.start, keys: use.keys + keys.reversed()))
            }
        default: found.append(KeyPathUse(start: .other, keys: keys.reversed()))
        }
    }
    return found
}
