extension PredicateTree {
    /// Returns the predicate with every free variable replaced by its value. A nil value counts as a literal `nil`.
    ///
    /// The variable of a SUBQUERY is bound by it and hides a variable of the same name.
    ///
    /// - Throws: A ``QueryError`` for a variable without a value, or for a predicate given as a value.
    package func substituting(_ variables: [String: PredicateArgument]) throws -> PredicateTree {
        try Substitution(variables: variables, bound: []).apply(to: try checked())
    }

    private func checked() throws -> PredicateTree {
        guard depth(limit: PredicateLimits.treeDepth) != nil else {
            throw QueryError(
                .limit, "the predicate is nested more than \(PredicateLimits.treeDepth) levels deep")
        }
        return self
    }

    /// The names of the variables that no SUBQUERY binds.
    package var freeVariables: Set<String> { TreeNode.predicate(self).freeVariables }
}

extension ExpressionTree {
    /// Returns the expression with every free variable replaced by its value.
    package func substituting(_ variables: [String: PredicateArgument]) throws -> ExpressionTree {
        guard depth(limit: PredicateLimits.treeDepth) != nil else {
            throw QueryError(
                .limit, "the expression is nested more than \(PredicateLimits.treeDepth) levels deep")
        }
        return try Substitution(variables: variables, bound: []).apply(to: self)
    }

    /// The names of the variables that no SUBQUERY binds.
    package var freeVariables: Set<String> { TreeNode.expression(self).freeVariables }
}

extension TreeNode {
    fileprivate var freeVariables: Set<String> {
        var found: Set<String> = []
        var stack: [(node: TreeNode, bound: Set<String>)] = [(self, [])]
        while let (node, bound) = stack.popLast() {
            switch node {
            case .expression(.variable(let name)):
                if !bound.contains(name) { found.insert(name) }
            case .expression(.subquery(let collection, let name, let condition)):
                stack.append((.expression(collection), bound))
                stack.append((.predicate(condition), bound.union([name])))
            default:
                stack.append(contentsOf: node.children.map { ($0, bound) })
            }
        }
        return found
    }
}

private struct Substitution {
    let variables: [String: PredicateArgument]
    var bound: Set<String>

    func apply(to tree: PredicateTree) throws -> PredicateTree {
        switch tree {
        case .constant: return tree
        case .and: return .and(try tree.chainParts(and: true).map(apply))
        case .or: return .or(try tree.chainParts(and: false).map(apply))
        case .not(let part): return .not(try apply(to: part))
        case .comparison(var comparison):
            comparison.left = try apply(to: comparison.left)
            comparison.right = try apply(to: comparison.right)
            if let problem = comparison.problem {
                throw QueryError(
                    problem.code, "\(problem.message): `\(PredicateTree.comparison(comparison).format)`")
            }
            return .comparison(comparison)
        }
    }

    func apply(to tree: ExpressionTree) throws -> ExpressionTree {
        switch tree {
        case .value, .evaluatedObject: return tree
        case .variable(let name): return bound.contains(name) ? tree : try value(of: name)
        case .list(let items): return .list(try items.map(apply))
        case .key(let base, let key): return .key(try apply(to: base), key)
        case .index(let base, .expression(let index)):
            return .index(try apply(to: base), .expression(try apply(to: index)))
        case .index(let base, let index): return .index(try apply(to: base), index)
        case .binary(let operation, let left, let right):
            return .binary(operation, try apply(to: left), try apply(to: right))
        case .negate(let operand): return .negate(try apply(to: operand))
        case .function(let name, let operands): return .function(name, try operands.map(apply))
        case .cast(let operand, let type): return try makeCast(of: try apply(to: operand), to: type).get()
        case .subquery(let collection, let name, let condition):
            var inner = self
            inner.bound.insert(name)
            return .subquery(try apply(to: collection), name, try inner.apply(to: condition))
        case .conditional(let condition, let yes, let no):
            return .conditional(try apply(to: condition), try apply(to: yes), try apply(to: no))
        case .set(let operation, let left, let right):
            return .set(operation, try apply(to: left), try apply(to: right))
        }
    }

    private func value(of name: String) throws -> ExpressionTree {
        guard let argument = variables[name] else {
            let known = variables.keys.sorted().map { "$" + $0 }.joined(separator: ", ")
            throw QueryError(
                .variable,
                "the variable '$\(name)' has no value; the given variables are: \(known.isEmpty ? "none" : known)")
        }
        guard let tree = argument.expressionTree else {
            throw QueryError(
                .argument, "the variable '$\(name)' is a predicate, but must be a value")
        }
        guard tree.depth(limit: PredicateLimits.parsedDepth) != nil else {
            throw QueryError(.limit, "the value of the variable '$\(name)' is nested too deeply")
        }
        return tree
    }
}
