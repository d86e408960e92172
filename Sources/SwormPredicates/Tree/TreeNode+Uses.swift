extension TreeNode {
    /// Returns whether a node of the tree passes a test. Uses no recursion, so that it accepts trees of any depth.
    private func contains(where test: (TreeNode) -> Bool) -> Bool {
        var stack = [self]
        while let node = stack.popLast() {
            if test(node) { return true }
            stack.append(contentsOf: node.children)
        }
        return false
    }

    /// Whether numbers are computed anywhere in the tree, so that a result can be out of range.
    fileprivate var computesNumbers: Bool {
        contains { node in
            guard case .expression(let tree) = node else { return false }
            switch tree {
            case .binary, .negate, .cast: return true
            case .key(_, let key): return key == "@sum" || key == "@avg"
            case .function(let name, _):
                switch PredicateFunction(rawValue: name) {
                case .now, .noindex, .uppercase, .lowercase, .canonical, .length: return false
                default: return tree.rowAggregate?.aggregate != .count
                }
            default: return false
            }
        }
    }

    /// Adds the keys that the tree reads. Returns false if a value of a row names a key.
    fileprivate func collectKeys(_ keys: inout Set<String>) -> Bool {
        !contains { node in
            guard case .expression(let tree) = node else { return false }
            switch tree {
            case .key(_, let key): keys.insert(key)
            case .index(_, .expression(.value(.string(let key)))): keys.insert(key)
            case .index(_, .expression(.value)): break
            case .index(_, .expression): return true
            default: break
            }
            return false
        }
    }
}

extension PredicateTree {
    /// Whether the predicate computes numbers, so that a result can be out of a server's range.
    package var computesNumbers: Bool { TreeNode.predicate(self).computesNumbers }
}

extension ExpressionTree {
    /// Whether the expression computes numbers, so that a result can be out of a server's range.
    package var computesNumbers: Bool { TreeNode.expression(self).computesNumbers }
}

/// The names of the properties that predicates and expressions read, of any object on their paths.
package struct ReadNames: Sendable {
    /// The names; nil if all properties may be read.
    package private(set) var names: Set<String>? = []

    package init() {}

    package mutating func add(_ predicate: PredicateTree) { add(.predicate(predicate)) }
    package mutating func add(_ expression: ExpressionTree) { add(.expression(expression)) }
    package mutating func add(_ path: [String]) { names?.formUnion(path) }

    private mutating func add(_ node: TreeNode) {
        guard var found = names else { return }
        names = node.collectKeys(&found) ? found : nil
    }
}
