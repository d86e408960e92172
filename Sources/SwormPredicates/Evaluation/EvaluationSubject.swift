/// An object for which predicates can be evaluated.
package protocol EvaluationSubject {
    /// Returns the object's value for a key.
    ///
    /// A to-one relationship without an object is `.missing`; a to-many relationship is always `.objects`.
    ///
    /// - Throws: ``QueryError/unknownKey(_:of:names:)`` for a key that the object does not have.
    func predicateValue(forKey key: String) throws -> EvaluationValue

    /// The identity by which the object is compared.
    var reference: ObjectReference? { get }
}

/// The result of evaluating an expression.
package enum EvaluationValue {
    case value(AttributeValue)
    case object(any EvaluationSubject)
    /// A to-many relationship.
    case objects([any EvaluationSubject])
    case list([EvaluationValue])
    /// The missing destination of a to-one relationship: nil, of a known entity. The subject returns nil, or no
    /// objects, for each key, so that a path through it is as long as through an object.
    case missing(any EvaluationSubject)

    package static var null: EvaluationValue { .value(.null) }

    /// The value as a single value, which is null for a missing object, or nil for objects and collections.
    var single: AttributeValue? {
        switch self {
        case .value(let value): value
        case .missing: .null
        case .object, .objects, .list: nil
        }
    }

    var isNull: Bool { single.map { SQLValue($0) == .null } ?? false }

    /// The elements of a collection; empty for null, nil for a single value.
    var elements: [EvaluationValue]? {
        switch self {
        case .objects(let objects): objects.map(EvaluationValue.object)
        case .list(let items): items
        case .value(.null), .missing: []
        case .value, .object: nil
        }
    }

    var kind: String {
        switch self {
        case .value(let value): SQLValue(value).kind
        case .object: "an object"
        case .objects, .list: "a collection"
        case .missing: "nil"
        }
    }
}

extension AttributeValue {
    /// The value as a store returns it: SQLite stores a negative zero as zero, and divisions and powers distinguish
    /// the two.
    package var asStored: AttributeValue {
        if case .double(let number) = self, number == 0 { return .double(0) }
        return self
    }
}

extension QueryError {
    /// Returns the error for a key that an object does not have.
    ///
    /// - Parameter names: The keys that it does have.
    package static func unknownKey(
        _ key: String, of owner: String, names: some Sequence<String>
    ) -> QueryError {
        unknownKey(key, message: "\(owner) has no property named '\(key)'", names: names)
    }

    /// Returns the error for a key that an object does not have, with a custom message.
    package static func unknownKey(
        _ key: String, message words: String, names: some Sequence<String>
    ) -> QueryError {
        let hint = nearestNameHint(to: key, in: names)
        return QueryError(.unknownKey, hint.isEmpty ? words : words + "." + hint)
    }
}

/// The handling of nil in comparisons.
package enum NilLogic: Sendable, Hashable {
    /// SQL's logic: a comparison with nil is undecided, and so is its negation. Fetches use it.
    case sql
    /// Cocoa's logic in memory: nil equals nil, differs from every value, and no comparison is undecided.
    case cocoa
}
