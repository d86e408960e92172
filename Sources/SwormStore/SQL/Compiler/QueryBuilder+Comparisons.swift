import Foundation
import SwormPredicates

extension QueryBuilder {
    func compare(
        _ left: QueryOperand, by comparator: QueryComparator, with right: QueryOperand, options: ComparisonOptions,
        exact: Bool
    ) throws -> QueryCondition {
        switch comparator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .identical, .notIdentical:
            return try relate(left, by: comparator, to: right, options: options, exact: exact)
        case .between: return try between(left, bounds: right, options: options, exact: exact)
        case .in:
            switch right {
            case .list, .collection: return try membership(of: left, in: right, options: options, exact: exact)
            // A string is in another string if the other string contains it.
            default: return try search(right, by: .contains, for: left, options: options, exact: exact)
            }
        case .contains:
            switch left {
            case .list, .collection: return try membership(of: right, in: left, options: options, exact: exact)
            default: return try search(left, by: .contains, for: right, options: options, exact: exact)
            }
        case .beginsWith, .endsWith, .like, .matches:
            return try search(left, by: comparator, for: right, options: options, exact: exact)
        }
    }

    /// Returns the condition for a comparison with NULL: NULL if the caller has to distinguish it from false,
    /// otherwise false.
    func unknown(exact: Bool) -> QueryCondition { exact ? .atom("NULL") : .constant(false) }

    // MARK: Equality and order

    private func relate(
        _ left: QueryOperand, by comparator: QueryComparator, to right: QueryOperand, options: ComparisonOptions,
        exact: Bool
    ) throws -> QueryCondition {
        if left.isConstant, !right.isConstant {
            return try relate(right, by: comparator.mirrored, to: left, options: options, exact: exact)
        }
        if right.isNull { return try nullTest(left, by: comparator) }
        if left.isNull { return try nullTest(right, by: comparator.mirrored) }
        if case .count(let collection) = left, case .constant(let value) = right,
            let condition = try existence(of: collection, by: comparator, value: value)
        {
            return condition
        }
        if isObject(left) || isObject(right) { return try relateObjects(left, by: comparator, to: right, exact: exact) }
        let first = try scalar(left)
        if case .constant(let value) = right, !dialect.hasConstant(value) {
            _ = try kind(of: first)
            try first.typed.checkComparable(with: TypedValue(value))
            if let condition = dialect.difference(of: first, by: comparator, exact: exact) { return condition }
        }
        let second = try scalar(right)
        let one = try kind(of: first)
        _ = try kind(of: second)
        try first.typed.checkComparable(with: second.typed)
        if comparator.isOrdering { try first.typed.checkOrdered(instead: "== or !=") }
        guard let sign = dialect.sign(of: comparator) else {
            throw QueryError.unsupported("This comparison cannot be expressed in SQL.")
        }
        return try dialect.compare(
            first, by: comparator, sign: sign, with: second, options: one.isText ? options : [], exact: exact, in: self)
    }

    private func nullTest(_ operand: QueryOperand, by comparator: QueryComparator) throws -> QueryCondition {
        let isNull: Bool
        switch comparator {
        case .equal, .identical: isNull = true
        case .notEqual, .notIdentical: isNull = false
        // No value comes before or after a literal nil, so the result is false and not unknown.
        default: return .constant(false)
        }
        let text: String
        var needs: Set<String> = []
        switch operand {
        case .constant(let value): return .constant((value == .null) == isNull)
        case .object(let object):
            if !object.isOptional, !object.isMember { return .constant(!isNull) }
            (text, needs) = (object.key, object.optionalRows)
        case .scalar(let scalar): (text, needs) = (scalar.column ?? scalar.sql, scalar.neededRows)
        default: text = try scalar(operand).sql
        }
        return .atom("\(text) IS \(isNull ? "" : "NOT ")NULL", needs: isNull ? [] : needs)
    }

    /// Returns the condition for `@count == 0`, `@count > 0` and similar comparisons, without counting.
    private func existence(
        of collection: QueryCollection, by comparator: QueryComparator, value: AttributeValue
    ) throws -> QueryCondition? {
        let wantsMembers: Bool
        switch (comparator, value) {
        case (.equal, .int(0)), (.identical, .int(0)), (.lessOrEqual, .int(0)), (.less, .int(1)): wantsMembers = false
        case (.notEqual, .int(0)), (.notIdentical, .int(0)), (.greater, .int(0)), (.greaterOrEqual, .int(1)):
            wantsMembers = true
        default: return nil
        }
        let condition = exists(in: try open(collection), where: .constant(true))
        return wantsMembers ? condition : condition.negated
    }

    private func between(
        _ left: QueryOperand, bounds right: QueryOperand, options: ComparisonOptions, exact: Bool
    ) throws -> QueryCondition {
        guard case .list(let bounds) = right, bounds.count == 2 else {
            let (path, entity) = describe(left)
            throw QueryError.typeMismatch("BETWEEN needs a list of two values", path: path, entity: entity)
        }
        guard options.foldingFlags == 0 else {
            let (path, entity) = describe(left)
            throw QueryError.unsupported(
                "uses BETWEEN with options, which are not supported", path: path, entity: entity)
        }
        if left.isNull { return unknown(exact: exact) }
        let value = try scalar(left)
        _ = try kind(of: value)
        let limits = try bounds.map { try scalar($0) }
        for (bound, limit) in zip(bounds, limits) where !bound.isNull {
            _ = try kind(of: limit)
            try value.typed.checkComparable(with: limit.typed)
        }
        try value.typed.checkOrdered(instead: "== or IN")
        return try dialect.between(value, lower: limits[0], upper: limits[1], in: self)
    }

    // MARK: Values

    /// Returns an operand as a plain value.
    func scalar(_ operand: QueryOperand) throws -> QueryScalar {
        switch operand {
        case .scalar(let scalar): return scalar
        case .constant(let value):
            guard let binding = try dialect.binding(value) else {
                throw QueryError.unsupported("An object is used where a plain value is needed.")
            }
            return QueryScalar(
                sql: dialect.missing(value, as: binding) ?? bind(binding), kind: value.valueKind,
                isWide: dialect.isWide(value), form: dialect.form(of: value), path: value.kindName,
                entity: "the predicate", constant: value)
        case .count(let collection): return try count(of: collection)
        case .aggregate(let function, let collection): return try aggregate(function, of: collection)
        case .collection(let collection):
            throw QueryError.toManyNotAllowed(path: collection.path, entity: collection.entity)
        case .composite(let object, let name):
            let prefix = name + "."
            let elements = model[object.entity].attributes.map(\.name).filter { $0.hasPrefix(prefix) }
            let (path, entity) = describe(operand)
            throw QueryError.compositeAsValue(
                path: path, entity: entity, elements: elements.map { String($0.dropFirst(prefix.count)) })
        case .object, .list:
            let (path, entity) = describe(operand)
            throw QueryError.typeMismatch("a plain value is needed here", path: path, entity: entity)
        }
    }

    func kind(of scalar: QueryScalar) throws -> ValueKind {
        guard let kind = scalar.kind else {
            throw QueryError.unsupported(
                "is \(scalar.opaqueName); a fetch can only compare it with nil", path: scalar.path,
                entity: scalar.entity)
        }
        return kind
    }

    // MARK: Objects

    private func isObject(_ operand: QueryOperand) -> Bool {
        switch operand {
        case .object, .constant(.object): true
        default: false
        }
    }

    private func relateObjects(
        _ left: QueryOperand, by comparator: QueryComparator, to right: QueryOperand, exact: Bool
    ) throws -> QueryCondition {
        let (path, entity) = describe(left)
        guard let sign = dialect.sign(of: comparator), !comparator.isOrdering else {
            throw QueryError.objectsWithoutOrder(path: path, entity: entity)
        }
        switch (left, right) {
        case (.object(let one), .object(let other)):
            guard share(one.entity, other.entity) else { return never(one, and: other, by: comparator, exact: exact) }
            return .atom("\(one.key) \(sign) \(other.key)")
        case (.object(let object), .constant(.object(let reference))):
            guard let key = key(of: reference, as: object.entity) else {
                return never(object, and: nil, by: comparator, exact: exact)
            }
            return dialect.compare(
                key: object.key, isOptional: object.isOptional, needs: object.optionalRows, by: comparator, sign: sign,
                with: bind(.int64(key)), exact: exact)
        case (.constant(.object(let one)), .constant(.object(let other))):
            return .constant((one == other) == (comparator == .equal || comparator == .identical))
        default:
            throw QueryError.objectAndValue(path: path, entity: entity)
        }
    }

    /// Returns the key of a constant object, or nil if no row of the entity can be that object.
    func key(of reference: ObjectReference, as entity: Int) -> Int64? {
        guard reference.storeIdentifier == compiler.storeIdentifier,
            let own = model.entity(named: reference.entityName), share(own.number, entity)
        else { return nil }
        return reference.key
    }

    /// Returns whether an object can belong to both entities, which is the case if one is the other or descends from
    /// it.
    private func share(_ first: Int, _ second: Int) -> Bool { model[first].family.overlaps(model[second].family) }

    /// Returns a comparison of objects that cannot be the same. It is unknown if one of them is missing.
    ///
    /// - Parameter other: The right side, if it is not a constant.
    private func never(
        _ object: QueryObject, and other: QueryObject?, by comparator: QueryComparator, exact: Bool
    ) -> QueryCondition {
        let isEquality = comparator == .equal || comparator == .identical
        let optional = [object, other].compactMap { $0 }.filter(\.isOptional)
        if comparator.isIdentity {
            guard optional.count == 2 else { return .constant(!isEquality) }
            let bothMissing = QueryCondition.and(optional.map { .atom("\($0.key) IS NULL") })
            return isEquality ? bothMissing : bothMissing.negated
        }
        let tests = optional.map { object in
            exact
                ? QueryCondition.atom("\(object.key) \(isEquality ? "<>" : "=") \(object.key)")
                : .atom("\(object.key) IS NOT NULL")
        }
        if isEquality { return exact ? Self.undecidedByAny(tests) : .constant(false) }
        return .and(tests)
    }

    /// Returns false, or unknown if one of the parts is unknown. No part is ever true.
    private static func undecidedByAny(_ parts: [QueryCondition]) -> QueryCondition { .or(parts) }
}
