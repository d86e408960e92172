import Foundation

extension EvaluationPreparer {
    func prepareKeyPath(_ tree: ExpressionTree) throws -> PreparedOperand {
        var keys: [String] = []
        var base = tree
        while case .key(let next, let key) = base {
            keys.append(key)
            base = next
        }
        keys.reverse()
        if let last = keys.last, last.hasPrefix("@"), last != "@count" {
            throw QueryError(.unsupported, "'\(last)' needs a key after it: `\(tree.format)`")
        }
        for key in keys where key.hasPrefix("@") && CollectionOperator(rawValue: key) == nil {
            throw QueryError(.unsupported, "the collection operator '\(key)' is not supported: `\(tree.format)`")
        }
        let path = EvaluatedPath(keys: keys[...], tree: tree, isExact: isExact)
        if case .evaluatedObject = base { return .program { try path.value(from: $0.subject) } }
        // The value of a literal nil under a key is also a literal nil.
        if case .value(.null) = base { return .constant(.value(.null)) }
        return try fold([base]) { try path.value(from: $0[0]) }
    }
}

enum CollectionOperator: String {
    case count = "@count"
    case sum = "@sum"
    case average = "@avg"
    case minimum = "@min"
    case maximum = "@max"
}

/// A sequence of keys that are applied to a value.
private struct EvaluatedPath: Sendable {
    var keys: ArraySlice<String>
    let tree: ExpressionTree
    let isExact: Bool

    func value(from start: EvaluationValue) throws -> EvaluationValue {
        var value = start
        for (index, key) in zip(keys.indices, keys) {
            if key.hasPrefix("@"), let operation = CollectionOperator(rawValue: key) {
                var rest = self
                rest.keys = keys[(index + 1)...]
                return try aggregate(operation, of: value, rest: rest)
            }
            value = try keyed(value, by: key, in: tree)
        }
        return value
    }

    private func aggregate(
        _ operation: CollectionOperator, of value: EvaluationValue, rest: EvaluatedPath
    ) throws -> EvaluationValue {
        let elements = try collection(value, in: tree)
        if operation == .count { return .value(.int(Int64(elements.count))) }
        let values = try elements.flatMap { element in
            let value = try rest.value(from: element)
            switch value {
            case .objects, .list: return value.elements ?? []
            case .value, .object, .missing: return [value]
            }
        }
        switch operation {
        case .count: return .value(.int(Int64(values.count)))
        case .sum: return try sum(of: values, in: tree, exactly: isExact)
        // Key-value coding counts nil as zero here, unlike SQL.
        case .average: return try average(of: values, count: values.count, in: tree) ?? .value(.double(0))
        case .minimum: return try extreme(of: values, .orderedAscending, in: tree, exactly: isExact)
        case .maximum: return try extreme(of: values, .orderedDescending, in: tree, exactly: isExact)
        }
    }
}

/// Returns the value under a key. The value of nil is nil; the value of a collection is one collection of its
/// elements' values.
func keyed(_ value: EvaluationValue, by key: String, in tree: ExpressionTree) throws -> EvaluationValue {
    if key == "self" || key == "SELF" {
        // An object may have a property of that name.
        guard case .object(let subject) = value else { return value }
        do {
            return try subject.predicateValue(forKey: key)
        } catch let error as QueryError where error.code == .unknownKey {
            return value
        }
    }
    switch value {
    case .object(let subject), .missing(let subject): return try subject.predicateValue(forKey: key)
    case .value(let value):
        switch SQLValue(value) {
        case .null: return .null
        case .text(let text) where key == "length": return .value(.int(Int64(textLength(text))))
        case let other: throw QueryError(.unknownKey, "\(other.kind) has no key '\(key)': `\(tree.format)`")
        }
    case .objects, .list:
        var items: [EvaluationValue] = []
        for element in value.elements ?? [] {
            switch try keyed(element, by: key, in: tree) {
            case .objects(let objects): items += objects.map(EvaluationValue.object)
            case .list(let list): items += list
            case let single: items.append(single)
            }
        }
        return .list(items)
    }
}

func collection(_ value: EvaluationValue, in tree: ExpressionTree) throws -> [EvaluationValue] {
    guard let elements = value.elements else {
        throw QueryError(.typeMismatch, "expected a collection, not \(value.kind): `\(tree.format)`")
    }
    return elements
}
