import Foundation

/// An argument for `%@`, `%K` or a variable.
package enum PredicateArgument: Sendable, Hashable {
    case value(AttributeValue)
    case list([PredicateArgument])
    case expression(ExpressionTree)
    /// A predicate. It is always rejected: an argument replaces an expression, never a predicate.
    case predicate(PredicateTree)

    /// Creates arguments from loosely typed values.
    ///
    /// - Parameters:
    ///   - values: The values. Arrays, sets and the values of dictionaries become lists.
    ///   - reference: Returns the identity of an object that this layer does not know, or nil if the value is not an
    ///     object.
    package static func make(
        from values: [Any?], object reference: (Any) -> ObjectReference? = { _ in nil }
    ) throws -> [PredicateArgument] {
        try values.enumerated().map { index, value in
            try make(from: value, what: "argument \(index + 1)", depth: 0, object: reference)
        }
    }

    /// Creates the values of variables from loosely typed ones.
    package static func make(
        from values: [String: Any?], object reference: (Any) -> ObjectReference? = { _ in nil }
    ) throws -> [String: PredicateArgument] {
        var result: [String: PredicateArgument] = [:]
        for (name, value) in values {
            result[name] = try make(from: value, what: "the variable '$\(name)'", depth: 0, object: reference)
        }
        return result
    }

    private static func make(
        from any: Any?, what: String, depth: Int, object reference: (Any) -> ObjectReference?
    ) throws -> PredicateArgument {
        guard depth < 50 else { throw QueryError(.limit, "\(what) holds lists nested more than 50 levels deep") }
        guard let any else { return .value(.null) }
        switch any {
        case let argument as PredicateArgument: return argument
        case let expression as ExpressionTree: return .expression(expression)
        case let predicate as PredicateTree: return .predicate(predicate)
        default: break
        }
        if let value = AttributeValue(any: any) { return .value(value) }
        if let object = reference(any) { return .value(.object(object)) }
        guard let elements = elements(of: any) else {
            throw QueryError(
                .argument,
                "\(what) is a \(type(of: any)); a predicate takes numbers, strings, dates, data, UUIDs, URLs, objects, nil and lists of these"
            )
        }
        return .list(try elements.map { try make(from: $0, what: what, depth: depth + 1, object: reference) })
    }

    private static func elements(of any: Any) -> [Any]? {
        switch any {
        case let array as [Any]: array
        case let dictionary as [AnyHashable: Any]: Array(dictionary.values)
        case let set as Set<AnyHashable>: set.map(\.base)
        case let array as NSArray: Array(array)
        case let dictionary as NSDictionary: dictionary.allValues
        case let set as NSSet: set.allObjects
        case let set as NSOrderedSet: Array(set)
        default: nil
        }
    }

    /// The argument as ordinary Swift and Foundation values, for a Foundation predicate: null is `NSNull`.
    ///
    /// Nil for expressions and predicates, which have no such form.
    package var foundationValue: Any? {
        switch self {
        case .value(let value): return value.foundationValue ?? NSNull()
        case .list(let items):
            let values = items.compactMap(\.foundationValue)
            return values.count == items.count ? values : nil
        case .expression, .predicate: return nil
        }
    }

    /// The argument as an expression, or nil for a predicate.
    package var expressionTree: ExpressionTree? {
        switch self {
        case .value(let value): return .value(value)
        case .list(let items):
            let trees = items.compactMap(\.expressionTree)
            return trees.count == items.count ? .list(trees) : nil
        case .expression(let tree): return tree
        case .predicate: return nil
        }
    }
}
