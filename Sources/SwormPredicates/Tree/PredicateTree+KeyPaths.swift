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
    var stack: [(node: TreeNode, bound: [String: KeyPathUse])] = [(root, [:])]
    while let (node, bound) = stack.popLast() {
        switch node {
        case .expression(.key(let base, let key)):
            var keys = [key]
            var start = base
            while case .key(let next, let key) = start {
                keys.append(key)
                start = next
            }
            var use = origin(of: start, bound)
            use.keys += keys.reversed().filter { !$0.hasPrefix("@") }
            if seen.insert(use).inserted { uses.append(use) }
            stack.append((.expression(start), bound))
        case .expression(.subquery(let collection, let name, let condition)):
            var inner = bound
            inner[name] = origin(of: collection, bound)
            stack.append((.predicate(condition), inner))
            stack.append((.expression(collection), bound))
        default:
            stack.append(contentsOf: node.children.reversed().map { ($0, bound) })
        }
    }
    return uses
}

/// Returns the start of a path that begins with this expression.
private func origin(of tree: ExpressionTree, _ bound: [String: KeyPathUse]) -> KeyPathUse {
    var keys: [String] = []
    var tree = tree
    while true {
        switch tree {
        case .key(let base, let key):
            if !key.hasPrefix("@") { keys.append(key) }
            tree = base
        case .index(let base, _), .subquery(let base, _, _): tree = base
        case .evaluatedObject: return KeyPathUse(start: .evaluatedObject, keys: keys.reversed())
        case .variable(let name):
            var use = bound[name] ?? KeyPathUse(start: .variable(name), keys: [])
            use.keys += keys.reversed()
            return use
        default: return KeyPathUse(start: .other, keys: keys.reversed())
        }
    }
}
