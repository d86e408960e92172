import Foundation
import SwormPredicates

/// A walk through a condition that infers the possible values of each expression, and rejects everything that is not
/// known to access only allowed names.
///
/// Its recursion is as deep as the tree, whose depth is limited when the tree is built.
struct AllowListCheck {
    let allowed: ConditionAllowList
    private let root: String
    private var variables: [String: PossibleValues] = [:]
    private var size = 0

    init(_ allowed: ConditionAllowList, root: String) {
        self.allowed = allowed
        self.root = root
    }

    /// Checks a predicate, and returns how deeply its loops are nested.
    @discardableResult
    mutating func visit(_ tree: PredicateTree) throws -> Int {
        try count()
        switch tree {
        case .constant: return 0
        case .and(let parts), .or(let parts):
            var nesting = 0
            for part in parts { nesting = max(nesting, try visit(part)) }
            return nesting
        case .not(let part): return try visit(part)
        case .comparison(let comparison): return try visit(comparison)
        }
    }

    private mutating func visit(_ comparison: Comparison) throws -> Int {
        if comparison.comparator == .matches, !allowed.allowsRegularExpressions {
            throw refusal("It uses MATCHES, but regular expressions are not allowed. Use LIKE.")
        }
        let (left, right) = (try visit(comparison.left), try visit(comparison.right))
        let searched = left.sentBytes + right.sentBytes
        if searched > allowed.maximumSearchSize, comparison.searchesText(left, right) {
            throw refusal(
                "It searches with strings of \(searched) bytes, and at most \(allowed.maximumSearchSize) bytes are allowed."
            )
        }
        if left.hasObjects || right.hasObjects {
            guard comparison.comparator.comparesObjects, !left.hasPlainValues, !right.hasPlainValues else {
                throw refusal(
                    "`\(excerpt(PredicateTree.comparison(comparison).format))` compares objects with values that are not "
                        + "objects, ids or nil.")
            }
        }
        // The other side is evaluated once per member. A list literal has members too.
        let leftLoops = comparison.quantifier == .direct ? left.openLoops : max(left.openLoops, 1)
        return try limited(max(leftLoops + right.nesting, right.openLoops + left.nesting, left.nesting))
    }

    /// Checks an expression, and returns its possible values.
    mutating func visit(_ tree: ExpressionTree) throws -> PossibleValues {
        try count()
        switch tree {
        case .value(let value): return PossibleValues(of: value)
        case .evaluatedObject: return .objects(root)
        case .variable(let name):
            guard let values = variables[name] else { throw refusal("The variable '$\(name)' has no value.") }
            return values
        case .key(let base, let key): return try step(from: try visit(base), by: key, in: tree)
        case .list(let parts):
            return try visit(all: parts).reduce(PossibleValues()) { $0.union($1) }.collected
        case .index(let base, let place):
            if case .expression(let index) = place { _ = try visit(index) }
            return try element(at: place, of: try visit(base), tree)
        case .negate(let base): return try computed(from: [try visit(base)], tree)
        case .binary(_, let left, let right): return try computed(from: [try visit(left), try visit(right)], tree)
        case .function(let name, let operands): return try call(name, with: try visit(all: operands), in: tree)
        case .cast(let base, let type): return try cast(try visit(base), to: type, in: tree)
        case .set(_, let left, let right):
            return try visit(left).union(try visit(right)).collected
        case .subquery(let collection, let variable, let condition):
            return try subquery(of: try visit(collection), variable: variable, where: condition)
        case .conditional(let test, let yes, let no):
            let nesting = try visit(test)
            var result = try visit(yes).union(try visit(no))
            result.nesting = max(result.nesting, nesting)
            return result
        }
    }

    private mutating func visit(all trees: [ExpressionTree]) throws -> [PossibleValues] {
        var results: [PossibleValues] = []
        for tree in trees { results.append(try visit(tree)) }
        return results
    }

    private mutating func subquery(
        of collection: PossibleValues, variable: String, where condition: PredicateTree
    ) throws -> PossibleValues {
        var member = collection
        (member.isCollection, member.isSingle) = (false, true)
        (member.isTotal, member.loops, member.nesting) = (false, 0, 0)
        let outer = variables[variable]
        variables[variable] = member
        let inner = try visit(condition)
        variables[variable] = outer
        var result = collection.collected
        (result.isTotal, result.loops) = (false, max(collection.openLoops, 1))
        result.nesting = try limited(max(collection.nesting, result.loops + inner))
        return result
    }

    // MARK: Limits and errors

    private mutating func count() throws {
        size += 1
        guard size <= allowed.maximumSize else { throw refusal("It has more than \(allowed.maximumSize) parts.") }
    }

    func limited(_ nesting: Int) throws -> Int {
        guard nesting <= allowed.maximumNesting else {
            throw refusal(
                "It nests \(nesting) collections inside one another, and at most \(allowed.maximumNesting) are "
                    + "allowed.")
        }
        return nesting
    }

    func refusal(_ reason: String, key: String? = nil, entity: String? = nil) -> StoreError {
        StoreError(
            .conditionNotAllowed, "A condition on \(root) is not allowed: \(reason)", entity: entity ?? root,
            attribute: key)
    }
}

extension PossibleValues {
    fileprivate init(of value: AttributeValue) {
        switch value {
        case .null: self.init()
        case .string(let text): self.init(hasTexts: true, sentBytes: text.utf8.count)
        case .url(let url): self.init(hasTexts: true, sentBytes: url.absoluteString.utf8.count)
        case .object: self = .id
        case .bool, .int, .double, .decimal, .date, .data, .uuid: self = .other
        }
    }
}

extension Comparison {
    /// Whether the comparison searches for one string in another.
    fileprivate func searchesText(_ left: PossibleValues, _ right: PossibleValues) -> Bool {
        switch comparator {
        case .beginsWith, .endsWith, .like, .matches: true
        case .contains: left.isSingle || quantifier != .direct
        case .in: right.isSingle
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .identical, .notIdentical:
            false
        }
    }
}

extension SwormPredicates.Comparator {
    /// Whether the operator is meaningful for objects, which are compared only by identity.
    fileprivate var comparesObjects: Bool {
        switch self {
        case .equal, .notEqual, .identical, .notIdentical, .in, .contains: true
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .beginsWith, .endsWith, .like, .matches: false
        }
    }
}
