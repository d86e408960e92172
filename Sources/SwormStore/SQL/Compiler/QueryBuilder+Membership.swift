import Foundation
import SwormPredicates

extension QueryBuilder {
    /// The maximum number of values of a list that are bound one by one.
    static let boundListLimit = 200
    /// A number of parameters that every supported version of SQLite accepts, less some for the rest of the statement.
    private static let parameterLimit = 30_000

    /// Returns the sides of a comparison. If an attribute is searched in a list, the constants of the list are converted to
    /// its kind as SQLite would do it, so that they are compared in the same way in memory.
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
            if !hasNull, !exact, !parts.isEmpty, !scalar.optionalRows.isEmpty, let column = scalar.column {
                // SQLite does not infer from IN that the row exists. It would look up the row for each row of the
                // entity, instead of using an index of the column to find the rows that refer to it.
                return .guarded(by: "\(column) IS NOT NULL", .or(parts))
            }
            if hasNull { parts.append(.atom("\(scalar.sql) IS NULL")) }
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
            others.insert(.atom("\(object.key) IN (\(keyList(keys)))", needs: object.optionalRows), at: 0)
        } else if !items.isEmpty, others.isEmpty, exact, object.isOptional {
            // No object of the list can be found. The result is false, but unknown if the object is missing.
            return .atom("\(object.key) <> \(object.key)")
        }
        return .or(others)
    }

    private func keyList(_ keys: [Int64]) -> String {
        keys.count > Self.boundListLimit
            ? "SELECT value FROM json_each(\(bind(.text(JSONText.array(of: keys)))))"
            : keys.map { bind(.int64($0)) }.joined(separator: ", ")
    }

    private func scalarMembership(
        of element: QueryScalar, in items: [QueryOperand], options: ComparisonOptions
    ) throws -> [QueryCondition] {
        let kind = try kind(of: element)
        let options = kind.isText ? options : []
        let text = folded(element.sql, options: options)
        var constants: [SQLBinding] = []
        var list: [String] = []
        for item in items {
            if case .constant(let value) = item {
                try element.typed.checkComparable(with: TypedValue(value))
                guard let binding = SQLBinding(value) else {
                    throw QueryError.objectAndValue(path: element.path, entity: element.entity)
                }
                constants.append(binding)
            } else {
                let scalar = try scalar(item)
                _ = try self.kind(of: scalar)
                try element.typed.checkComparable(with: scalar.typed)
                list.append(folded(scalar.sql, options: options))
            }
        }
        var conditions: [QueryCondition] = []
        if constants.count > Self.boundListLimit {
            conditions += packed(&constants, kind: kind, options: options).map {
                .atom("\(text) IN (\($0))", needs: element.neededRows)
            }
        }
        guard constants.count <= Self.parameterLimit else {
            throw QueryError.unsupported(
                "is compared with \(constants.count) values, which is more than a query can have; split the values over several fetches",
                path: element.path, entity: element.entity)
        }
        list = constants.map { folded(bind($0), options: options) } + list
        for start in stride(from: 0, to: list.count, by: Self.boundListLimit) {
            let chunk = list[start..<min(start + Self.boundListLimit, list.count)]
            conditions.append(.atom("\(text) IN (\(chunk.joined(separator: ", ")))", needs: element.neededRows))
        }
        return conditions
    }

    /// Returns SELECT statements that pass many constants in one parameter each, and removes these values from
    /// `constants`.
    private func packed(_ constants: inout [SQLBinding], kind: ValueKind, options: ComparisonOptions) -> [String] {
        var integers: [Int64] = []
        var texts: [String] = []
        var identifiers = Data()
        var rest: [SQLBinding] = []
        for constant in constants {
            switch constant {
            case .int64(let value): integers.append(value)
            // Whole numbers are exact in JSON, and SQLite compares them with reals by value.
            case .double(let value) where abs(value) < 9e15 && value == value.rounded(): integers.append(Int64(value))
            case .text(let value) where !value.utf8.contains(0): texts.append(value)
            case .blob(let value) where kind == .uuid && value.count == 16: identifiers.append(value)
            default: rest.append(constant)
            }
        }
        constants = rest
        var selects: [String] = []
        if !integers.isEmpty {
            selects.append("SELECT value FROM json_each(\(bind(.text(JSONText.array(of: integers)))))")
        }
        if !texts.isEmpty {
            selects.append(
                "SELECT \(folded("value", options: options)) FROM json_each(\(bind(.text(JSONText.array(of: texts)))))")
        }
        if !identifiers.isEmpty {
            let parameter = bind(.blob(identifiers))
            selects.append(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 16 FROM n WHERE i + 16 <= length(\(parameter)))"
                    + " SELECT substr(\(parameter), i, 16) FROM n")
        }
        return selects
    }
}
