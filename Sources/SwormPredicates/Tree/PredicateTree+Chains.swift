extension PredicateTree {
    /// The same predicate with left-nested chains joined into one node, as they are built.
    ///
    /// A chain prints as if it were nested, `((a) AND (b)) AND (c)`; this undoes the nesting after the text is parsed.
    /// The recursion is as deep as the tree, so the tree's depth must be checked first.
    package var joiningChains: PredicateTree {
        switch self {
        case .constant: return self
        case .not(let part): return .not(part.joiningChains)
        case .and(let parts):
            let parts = parts.map(\.joiningChains)
            guard case .and(let first)? = parts.first, first.count > 1, parts.count > 1 else { return .and(parts) }
            return .and(first + parts.dropFirst())
        case .or(let parts):
            let parts = parts.map(\.joiningChains)
            guard case .or(let first)? = parts.first, first.count > 1, parts.count > 1 else { return .or(parts) }
            return .or(first + parts.dropFirst())
        case .comparison(var comparison):
            comparison.left = comparison.left.joiningChains
            comparison.right = comparison.right.joiningChains
            return .comparison(comparison)
        }
    }
}

extension ExpressionTree {
    fileprivate var joiningChains: ExpressionTree {
        switch self {
        case .value, .evaluatedObject, .variable: self
        case .list(let parts): .list(parts.map(\.joiningChains))
        case .key(let base, let key): .key(base.joiningChains, key)
        case .index(let base, .expression(let index)): .index(base.joiningChains, .expression(index.joiningChains))
        case .index(let base, let place): .index(base.joiningChains, place)
        case .binary(let sign, let left, let right): .binary(sign, left.joiningChains, right.joiningChains)
        case .negate(let base): .negate(base.joiningChains)
        case .function(let name, let parts): .function(name, parts.map(\.joiningChains))
        case .cast(let base, let type): .cast(base.joiningChains, type)
        case .subquery(let collection, let name, let condition):
            .subquery(collection.joiningChains, name, condition.joiningChains)
        case .conditional(let test, let yes, let no):
            .conditional(test.joiningChains, yes.joiningChains, no.joiningChains)
        case .set(let word, let left, let right): .set(word, left.joiningChains, right.joiningChains)
        }
    }
}
