import Foundation

extension PredicateTree {
    /// Checks that the predicate's operands can be compared, as a store does before it runs a fetch.
    ///
    /// In memory, a mismatch is only detected when the value is evaluated, and if the comparison would be false, the
    /// object just does not match. Features that work in memory and not in a store are accepted.
    ///
    /// - Parameter entity: The entity of the objects for which the predicate is evaluated.
    /// - Throws: A ``QueryError`` that names the path, the entity and the value.
    package func checkTypes(of entity: any TypedEntity) throws {
        guard depth(limit: PredicateLimits.treeDepth) != nil else { return }
        try TypeCheck(root: entity).check(self)
    }
}

/// A type check of a predicate. Its recursion is as deep as the tree, whose depth was checked before.
struct TypeCheck {
    let root: any TypedEntity
    var variables: [String: ExpressionType] = [:]

    func check(_ tree: PredicateTree) throws {
        switch tree {
        case .constant: break
        case .and: for part in tree.chainParts(and: true) { try check(part) }
        case .or: for part in tree.chainParts(and: false) { try check(part) }
        case .not(let part): try check(part)
        case .comparison(let comparison):
            // Problems of the comparison itself are reported when it is prepared.
            guard comparison.problem == nil else { return }
            var left = try type(of: comparison.left)
            let right = try type(of: comparison.right)
            if comparison.quantifier != .direct {
                guard case .collection(let member, _, _) = left else { return }
                left = member
            }
            switch (comparison.comparator, left, right) {
            case (.in, .value(let element), .list(let items)) where comparison.left.isPropertyPath:
                try compare(left, by: .in, with: .list(items.filter { !element.converts($0) }))
            case (.contains, .list(let items), .value(let element)) where comparison.right.isPropertyPath:
                try compare(.list(items.filter { !element.converts($0) }), by: .contains, with: right)
            default: try compare(left, by: comparison.comparator, with: right)
            }
        }
    }

    private func compare(_ left: ExpressionType, by comparator: Comparator, with right: ExpressionType) throws {
        try refuseComposite(left)
        try refuseComposite(right)
        switch comparator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .identical, .notIdentical:
            try relate(left, by: comparator, with: right)
        case .between: try between(left, bounds: right)
        case .in where right.isCollection: try membership(of: left, in: right)
        // A string is in another string if the other string contains it.
        case .in: try search(right, for: left)
        case .contains where left.isCollection: try membership(of: right, in: left)
        case .contains, .beginsWith, .endsWith, .like, .matches: try search(left, for: right)
        }
    }

    /// Throws an error for a composite attribute. A store keeps only its elements, so it knows nothing about the
    /// whole, not even whether it is nil.
    private func refuseComposite(_ type: ExpressionType) throws {
        guard case .object(let entity, let path) = type, let elements = entity.elements else { return }
        throw QueryError.compositeAsValue(path: path, entity: root.entityName, elements: elements)
    }

    private func relate(_ left: ExpressionType, by comparator: Comparator, with right: ExpressionType) throws {
        if left.isConstant, !right.isConstant { return try relate(right, by: comparator, with: left) }
        if left.isNull || right.isNull { return }
        let isOrdering = [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparator)
        if left.isObject || right.isObject {
            guard !left.isUnknown, !right.isUnknown else { return }
            let (path, entity) = left.place
            if isOrdering { throw QueryError.objectsWithoutOrder(path: path, entity: entity) }
            guard left.isObject, right.isObject else { throw QueryError.objectAndValue(path: path, entity: entity) }
            return
        }
        let (one, other) = (try value(left), try value(right))
        try one.checkComparable(with: other)
        if isOrdering { try one.checkOrdered(instead: "== or !=") }
    }

    private func between(_ left: ExpressionType, bounds right: ExpressionType) throws {
        guard case .list(let bounds) = right, !left.isNull else { return }
        let value = try value(left)
        for bound in bounds where !bound.isNull { try value.checkComparable(with: try self.value(bound)) }
        try value.checkOrdered(instead: "== or IN")
    }

    private func membership(of element: ExpressionType, in container: ExpressionType) throws {
        switch container {
        case .collection(let member, _, _): try relate(member, by: .equal, with: element)
        case .list(let items):
            guard !element.isNull else { return }
            for item in items where !item.isNull { try relate(element, by: .equal, with: item) }
        default: break
        }
    }

    private func search(_ left: ExpressionType, for right: ExpressionType) throws {
        guard !left.isNull, !right.isNull else { return }
        try value(left).checkText(searchedFor: try value(right))
    }

    /// Returns an expression as a plain value.
    func value(_ type: ExpressionType) throws -> TypedValue {
        switch type {
        case .value(let value): return value
        case .aggregate(let function, let member, let path, let entity):
            return try aggregate(function, of: member, path: path, entity: entity)
        case .collection(_, let path, let entity):
            throw QueryError.toManyNotAllowed(path: path, entity: entity)
        case .object, .list:
            let (path, entity) = type.place
            throw QueryError.mismatch("a plain value is needed here", path: path, entity: entity)
        }
    }

    private func aggregate(
        _ function: CollectionOperator, of member: ExpressionType, path: String, entity: String
    ) throws -> TypedValue {
        guard case .value(var value) = member else { return TypedValue(kind: nil, path: path, entity: entity) }
        (value.path, value.entity) = (path, entity)
        let isTotal = function == .sum || function == .average
        try value.checkAggregate(function.rawValue, isTotal: isTotal)
        if isTotal { value.kind = .number }
        return value
    }
}
