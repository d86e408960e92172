import Foundation
import SwormPredicates

extension QueryBuilder {
    /// Returns the sides of a comparison. If an attribute is searched in a list, the constants of the list are
    /// converted to its kind as SQLite would do it, so that they are compared in the same way in memory.
    func convertingMembers(
        of comparison: Comparison, _ left: QueryOperand, _ right: QueryOperand
    ) -> (QueryOperand, QueryOperand) {
        switch (comparison.comparator, left, right) {
        case (.in, .scalar(let element), .list(let items)) where comparison.left.isPropertyPath:
            (left, .list(converted(items, for: element)))
        case (.contains, .list(let items), .scalar(let element)) where comparison.right.isPropertyPath:
            (.list(converted(items, for: element)), right)
        default: (left, right)
        }
    }

    private func converted(_ items: [QueryOperand], for element: QueryScalar) -> [QueryOperand] {
        let typed = element.typed
        func converted(_ item: QueryOperand) -> AttributeValue? {
            if case .constant(let value) = item { typed.converted(value) } else { nil }
        }
        guard items.contains(where: { converted($0) != nil }) else { return items }
        return items.map { item in converted(item).map { .constant($0) } ?? item }
    }

    /// Compiles IN with a list or a to-many path on the right.
    func membership(
        of element: QueryOperand, in container: QueryOperand, options: ComparisonOptions, exact: Bool
    ) throws -> QueryCondition {
        switch container {
        case .list(let items): return try membership(of: element, in: items, options: options, exact: exact)
        case .collection(let collection):
            let members = try open(collection)
            return exists(
                in: members,
                where: try compare(members.operand, by: .equal, with: element, options: options, exact: false))
        default: throw QueryError.unsupported("IN needs a list or a to-many relationship on its right side.")
        }
    }

    private func membership(
        of element: QueryOperand, in items: [QueryOperand], options: ComparisonOptions, exact: Bool
    ) throws -> QueryCondition {
        let values = items.filter { !$0.isNull }
        let hasNull = values.count < items.count
        if element.isNull {
            return hasNull ? .constant(true) : items.isEmpty ? .constant(false) : unknown(exact: exact)
        }
        var parts: [QueryCondition] = []
        if case .constant(.object) = element {
            // Each object has to be compared to find out which of the objects in the list it is.
            return .or(try items.map { try compare($0, by: .equal, with: element, options: [], exact: exact) })
        }
        if case .object(let object) = element {
            parts.append(try objectMembership(of: object, in: values, exact: exact))
            if hasNull, object.isOptional { parts.append(.atom("\(object.key) IS NULL")) }
        } else {
            let scalar = try scalar(element)
            // A list that contains only nil needs no more than a test for NULL.
            if !values.isEmpty { parts += try scalarMembership(of: scalar, in: values, options: options) }
            if !hasNull, !exact, !parts.isEmpty, !scalar.optionalRows.isEmpty, !dialect.infersRows,
                let column = scalar.column
            {
                // SQLite does not infer from IN that the row exists. It would look up the row for each row of the
                // entity, instead of using an index of the column to find the rows that refer to it.
                return .guarded(by: "\(column) IS NOT NULL", .or(parts))
            }
            if hasNull {
                parts.append(.atom("\(scalar.sql) IS NULL"))
            } else if parts.isEmpty, !values.isEmpty {
                // No value of the list can be found.
                return dialect.nothing(in: scalar, exact: exact)
            }
        }
        return .or(parts)
    }

    private func objectMembership(of object: QueryObject, in items: [QueryOperand], exact: Bool) throws
        -> QueryCondition
    {
        var keys: [Int64] = []
        var others: [QueryCondition] = []
        for item in items {
            if case .constant(.object(let reference)) = item {
                if let key = key(of: reference, as: object.entity) { keys.append(key) }
            } else {
                others.append(try compare(.object(object), by: .equal, with: item, options: [], exact: exact))
            }
        }
        if !keys.isEmpty {
            let test = dialect.isKey(object.key, among: keys, in: self)
            others.insert(.atom(test, needs: object.optionalRows), at: 0)
        } else if !items.isEmpty, others.isEmpty, exact, object.isOptional {
            // No object of the list can be found. The result is false, but unknown if the object is missing.
            return .atom("\(object.key) <> \(object.key)")
        }
        return .or(others)
    }

    private func scalarMembership(
        of element: QueryScalar, in items: [QueryOperand], options: ComparisonOptions
    ) throws -> [QueryCondition] {
        let kind = try kind(of: element)
        var constants: [AttributeValue] = []
        var computed: [QueryScalar] = []
        for item in items {
            if case .constant(let value) = item {
                try element.typed.checkComparable(with: TypedValue(value))
                if dialect.hasConstant(value) { constants.append(value) }
            } else {
                let scalar = try scalar(item)
                _ = try self.kind(of: scalar)
                try element.typed.checkComparable(with: scalar.typed)
                computed.append(scalar)
            }
        }
        return try dialect.membership(
            of: element, among: constants, and: computed, options: kind.isText ? options : [], in: self)
    }
}
