import SwormPredicates

/// A walk through a condition that resolves every name in it by the tables and refuses those that are not allowed.
///
/// Its recursion is as deep as the tree, whose depth is limited where it is built.
struct AllowListCheck {
    private let allowed: ConditionAllowList
    private let root: any AnyEntityPlan
    private var variables: [String: any AnyEntityPlan] = [:]
    private var size = 0

    init(_ allowed: ConditionAllowList, _ root: any AnyEntityPlan) {
        self.allowed = allowed
        self.root = root
    }

    mutating func visit(_ tree: PredicateTree) throws {
        try count()
        switch tree {
        case .constant: break
        case .and(let parts), .or(let parts):
            for part in parts { try visit(part) }
        case .not(let part): try visit(part)
        case .comparison(let comparison):
            if comparison.comparator == .matches, !allowed.allowsRegularExpressions {
                throw refusal("It uses MATCHES, and regular expressions are not allowed. Use LIKE.", nil)
            }
            try visit(comparison.left)
            try visit(comparison.right)
        }
    }

    /// Checks an expression, and tells which entity its objects have; nil for values.
    @discardableResult
    private mutating func visit(_ tree: ExpressionTree) throws -> (any AnyEntityPlan)? {
        try count()
        switch tree {
        case .value: return nil
        case .evaluatedObject: return root
        case .variable(let name):
            guard let entity = variables[name] else {
                throw refusal("It has a variable `$\(name)` without a value.", nil)
            }
            return entity
        case .key(let base, let key): return try step(from: try visit(base), key)
        case .list(let parts), .function(_, let parts):
            for part in parts { try visit(part) }
            return nil
        case .index(let base, .expression(let index)):
            try visit(index)
            return try visit(base)
        case .index(let base, _): return try visit(base)
        case .negate(let base), .cast(let base, _): return try visit(base)
        case .binary(_, let left, let right):
            try visit(left)
            try visit(right)
            return nil
        case .set(_, let left, let right):
            let entity = try visit(left)
            try visit(right)
            return entity
        case .subquery(let collection, let variable, let condition):
            let entity = try visit(collection)
            let outer = variables[variable]
            variables[variable] = entity
            try visit(condition)
            variables[variable] = outer
            return entity
        case .conditional(let test, let yes, let no):
            try visit(test)
            let entity = try visit(yes)
            try visit(no)
            return entity
        }
    }

    private func step(from entity: (any AnyEntityPlan)?, _ key: String) throws -> (any AnyEntityPlan)? {
        // `@count` and the like say nothing by themselves. What they are taken of is a key of its own.
        if key.hasPrefix("@") { return entity }
        guard let entity else {
            if key == "length" { return nil }
            throw refusal("`\(key)` is asked of a value, which has no such part.", key)
        }
        if key == "self" || key == "SELF" { return entity }
        let name = entity.entityName
        guard allowed.allows(key, of: name) else {
            let names = allowed.names(of: name)
            let hint =
                names.isEmpty
                ? "Nothing of \(name) is." : "Of \(name) these are: \(names.joined(separator: ", "))."
            throw refusal("`\(key)` of \(name) is not allowed. \(hint)", key, entity: name)
        }
        return entity.relations.first { $0.name == key }?.destination.anyPlan
    }

    private mutating func count() throws {
        size += 1
        guard size <= allowed.maximumSize else {
            throw refusal("It has more than \(allowed.maximumSize) parts.", nil)
        }
    }

    private func refusal(_ reason: String, _ key: String?, entity: String? = nil) -> StoreError {
        StoreError(
            .conditionNotAllowed, "A condition on \(root.entityName) is refused: \(reason)",
            entity: entity ?? root.entityName, attribute: key)
    }
}
