/// An object that predicates can be asked about.
package protocol EvaluationSubject {
    /// What the object has under a key.
    ///
    /// A to-one relationship without an object is `.missing`; a to-many relationship is always `.objects`.
    ///
    /// - Throws: ``PredicateError/unknownKey(_:of:names:)`` for a key that the object does not have.
    func predicateValue(forKey key: String) throws -> EvaluationValue

    /// The identity of the object, by which objects are compared.
    var reference: ObjectReference? { get }
}

/// What an expression evaluates to.
package enum EvaluationValue {
    case value(AttributeValue)
    case object(any EvaluationSubject)
    /// A to-many relationship.
    case objects([any EvaluationSubject])
    case list([EvaluationValue])
    /// The object that a to-one relationship lacks: nil, of a known entity. Under each key the subject has nil, or no
    /// objects, so that a path through it is as long as through an object.
    case missing(any EvaluationSubject)

    package static var null: EvaluationValue { .value(.null) }

    /// The value as a single one, with nil for a missing object; nil for objects and collections.
    var single: AttributeValue? {
        switch self {
        case .value(let value): value
        case .missing: .null
        case .object, .objects, .list: nil
        }
    }

    var isNull: Bool { single.map { SQLValue($0) == .null } ?? false }

    /// The elements of a collection; nothing for null, nil for a single value.
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
    /// The value as a store gives it back: SQLite keeps a negative zero as zero, which divisions and powers tell apart.
    package var asStored: AttributeValue {
        if case .double(let number) = self, number == 0 { return .double(0) }
        return self
    }
}

extension PredicateError {
    /// The error for a key that an object does not have.
    ///
    /// - Parameter names: The keys that it does have.
    package static func unknownKey(
        _ key: String, of owner: String, names: some Sequence<String>
    ) -> PredicateError {
        unknownKey(key, "\(owner) has no property named `\(key)`", names: names)
    }

    /// The error for a key that an object does not have, in words of one's own.
    package static func unknownKey(
        _ key: String, _ words: String, names: some Sequence<String>
    ) -> PredicateError {
        let hint = nearestNameHint(to: key, in: names)
        return PredicateError(.unknownKey, hint.isEmpty ? words : words + "." + hint)
    }
}

/// How comparisons treat nil.
package enum NilLogic: Sendable, Hashable {
    /// As SQL does: a comparison with nil is undecided, and so is its opposite. Fetches follow it.
    case sql
    /// As Cocoa does in memory: nil equals nil, differs from every value, and nothing is undecided.
    case cocoa
}
