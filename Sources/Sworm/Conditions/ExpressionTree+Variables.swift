import SwormPredicates

/// A counter for unique variable names. A subquery is given its final variable name when its condition is complete.
private let freshNames = Locked(0)

func freshVariable() -> String {
    freshNames.withLock { number in
        number &+= 1
        return "?\(number)"
    }
}

extension ExpressionTree {
    /// Returns a subquery over a condition that was built with a fresh variable.
    ///
    /// The variable's name depends on the number of nested subqueries, and is `$x` if the condition contains no
    /// subquery. It therefore differs from every nested variable, and the text does not depend on conditions that were
    /// built earlier.
    static func subquery(
        _ collection: ExpressionTree, naming variable: String, where condition: PredicateTree
    ) -> ExpressionTree {
        let height = condition.subqueryHeight
        let name = height == 0 ? "x" : "x\(height)"
        return .subquery(collection, name, condition.renaming(variable, to: name))
    }

    /// Returns the keys of a path from a variable, or nil if a key is an operator or the expression is not such a path.
    func plainKeys(from variable: String) -> [String]? {
        var keys: [String] = []
        var current = self
        while case .key(let base, let key) = current, !key.hasPrefix("@") {
            keys.append(key)
            current = base
        }
        guard case .variable(variable) = current else { return nil }
        return keys.reversed()
    }

    /// Whether this is a path of names from a row: the row that the condition is about, or one of an enclosing
    /// collection.
    var isPlainPath: Bool {
        var current = self
        while case .key(let base, let key) = current, !key.hasPrefix("@") { current = base }
        switch current {
        case .evaluatedObject, .variable: return true
        default: return false
        }
    }

    func renaming(_ old: String, to new: String) -> ExpressionTree {
        switch self {
        case .value, .evaluatedObject: self
        case .variable(let name): name == old ? .variable(new) : self
        case .list(let elements): .list(elements.map { $0.renaming(old, to: new) })
        case .key(let base, let key): .key(base.renaming(old, to: new), key)
        case .index(let base, .expression(let index)):
            .index(base.renaming(old, to: new), .expression(index.renaming(old, to: new)))
        case .index(let base, let place): .index(base.renaming(old, to: new), place)
        case .binary(let sign, let left, let right):
            .binary(sign, left.renaming(old, to: new), right.renaming(old, to: new))
        case .negate(let operand): .negate(operand.renaming(old, to: new))
        case .function(let name, let arguments): .function(name, arguments.map { $0.renaming(old, to: new) })
        case .cast(let operand, let type): .cast(operand.renaming(old, to: new), type)
        case .subquery(let collection, let name, let condition):
            .subquery(
                collection.renaming(old, to: new), name, name == old ? condition : condition.renaming(old, to: new))
        case .conditional(let test, let yes, let no):
            .conditional(test.renaming(old, to: new), yes.renaming(old, to: new), no.renaming(old, to: new))
        case .set(let word, let left, let right):
            .set(word, left.renaming(old, to: new), right.renaming(old, to: new))
        }
    }

    fileprivate var subqueryHeight: Int {
        switch self {
        case .value, .evaluatedObject, .variable: 0
        case .list(let elements), .function(_, let elements): elements.map(\.subqueryHeight).max() ?? 0
        case .index(let base, .expression(let index)): max(base.subqueryHeight, index.subqueryHeight)
        case .key(let base, _), .index(let base, _), .negate(let base), .cast(let base, _): base.subqueryHeight
        case .binary(_, let left, let right), .set(_, let left, let right):
            max(left.subqueryHeight, right.subqueryHeight)
        case .subquery(let collection, _, let condition):
            max(collection.subqueryHeight, condition.subqueryHeight + 1)
        case .conditional(let test, let yes, let no):
            max(test.subqueryHeight, yes.subqueryHeight, no.subqueryHeight)
        }
    }
}

extension PredicateTree {
    func renaming(_ old: String, to new: String) -> PredicateTree {
        switch self {
        case .constant: return self
        case .and(let parts): return .and(parts.map { $0.renaming(old, to: new) })
        case .or(let parts): return .or(parts.map { $0.renaming(old, to: new) })
        case .not(let part): return .not(part.renaming(old, to: new))
        case .comparison(var comparison):
            comparison.left = comparison.left.renaming(old, to: new)
            comparison.right = comparison.right.renaming(old, to: new)
            return .comparison(comparison)
        }
    }

    fileprivate var subqueryHeight: Int {
        switch self {
        case .constant: 0
        case .and(let parts), .or(let parts): parts.map(\.subqueryHeight).max() ?? 0
        case .not(let part): part.subqueryHeight
        case .comparison(let comparison): max(comparison.left.subqueryHeight, comparison.right.subqueryHeight)
        }
    }
}
