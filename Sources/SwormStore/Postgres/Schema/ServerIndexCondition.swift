#if PostgreSQL
import SwormPredicates

/// A printer for the condition of a partial index.
///
/// Constants are written as literals in the types of their columns, so that the server recognizes the conditions of
/// requests.
struct ServerIndexCondition {
    let entity: CompiledEntity
    let layout: StoreLayout

    /// Returns the text, or nil for a predicate that has no exact form without parameters and functions.
    func text(of predicate: PredicateTree) -> String? { text(of: predicate, depth: 0) }

    private func text(of predicate: PredicateTree, depth: Int) -> String? {
        guard depth < 100 else { return nil }
        switch predicate {
        case .constant: return nil
        case .and(let parts): return joined(parts, by: " AND ", depth: depth)
        case .or(let parts): return joined(parts, by: " OR ", depth: depth)
        case .not(let part): return text(of: part, depth: depth + 1).map { "NOT (\($0))" }
        case .comparison(let comparison): return text(of: comparison)
        }
    }

    private func joined(_ parts: [PredicateTree], by word: String, depth: Int) -> String? {
        let texts = parts.compactMap { text(of: $0, depth: depth + 1) }
        guard !texts.isEmpty, texts.count == parts.count else { return nil }
        return texts.count == 1 ? texts[0] : "(\(texts.joined(separator: word)))"
    }

    private func text(of comparison: Comparison) -> String? {
        guard comparison.quantifier == .direct, comparison.options.isEmpty, let left = column(of: comparison.left)
        else { return nil }
        if case .value(.null) = comparison.right {
            switch comparison.comparator {
            case .equal, .identical: return "\(left.name) IS NULL"
            case .notEqual, .notIdentical: return "\(left.name) IS NOT NULL"
            default: return nil
            }
        }
        guard let sign = Self.sign(of: comparison.comparator) else { return nil }
        if let right = column(of: comparison.right) {
            guard left.type == right.type, left.storesSeconds == right.storesSeconds else { return nil }
            return "\(left.name) \(sign) \(right.name)"
        }
        guard let type = left.type, let value = comparison.right.constant,
            let literal = ServerLiteral.text(value, as: type, storesSeconds: left.storesSeconds)
        else { return nil }
        return "\(left.name) \(sign) \(literal)"
    }

    private struct Column {
        var name: String
        /// The type of an attribute; nil for a relationship.
        var type: AttributeType?
        var storesSeconds = false
    }

    private func column(of expression: ExpressionTree) -> Column? {
        guard let keys = expression.pathKeys, let slot = entity.slot(named: keys.joined(separator: ".")) else {
            return nil
        }
        switch slot {
        case .attribute(let slot):
            let attribute = entity.attributes[slot]
            return layout.column(ofAttribute: slot, in: entity.number).map {
                Column(
                    name: SQLName.alwaysQuoted($0), type: attribute.type,
                    storesSeconds: layout.storesSeconds(slot, of: attribute.owner))
            }
        case .relationship(let slot):
            return layout.toOne(slot, in: entity.number).map { Column(name: SQLName.alwaysQuoted($0.column)) }
        }
    }

    private static func sign(of comparator: QueryComparator) -> String? {
        switch comparator {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        default: nil
        }
    }
}

extension ExpressionTree {
    /// The value of a constant, with its sign.
    fileprivate var constant: AttributeValue? {
        switch self {
        case .value(let value): return value
        case .negate(.value(.int(let number))): return number == .min ? nil : .int(-number)
        case .negate(.value(.double(let number))): return .double(-number)
        default: return nil
        }
    }
}
#endif
