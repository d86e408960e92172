import Foundation
import SwormPredicates

/// A printer for the predicate of a partial index.
///
/// SQLite does not allow parameters in a schema, so the constants of the model are written as literals.
struct PartialIndexPredicate {
    let entity: CompiledEntity
    let layout: StoreLayout

    /// Returns the text, or nil for a predicate that an index cannot have.
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
        guard comparison.quantifier == .direct, comparison.options.isEmpty,
            let column = column(of: comparison.left)
        else { return nil }
        if case .value(.null) = comparison.right {
            switch comparison.comparator {
            case .equal, .identical: return "\(column) IS NULL"
            case .notEqual, .notIdentical: return "\(column) IS NOT NULL"
            default: return nil
            }
        }
        guard let sign = Self.sign(of: comparison.comparator),
            let value = literal(of: comparison.right) ?? self.column(of: comparison.right)
        else { return nil }
        return "\(column) \(sign) \(value)"
    }

    private func column(of expression: ExpressionTree) -> String? {
        guard let keys = expression.pathKeys, let slot = entity.slot(named: keys.joined(separator: ".")) else {
            return nil
        }
        switch slot {
        case .attribute(let slot): return layout.column(ofAttribute: slot, in: entity.number).map { SQLName.quoted($0) }
        case .relationship(let slot): return layout.toOne(slot, in: entity.number).map { SQLName.quoted($0.column) }
        }
    }

    private func literal(of expression: ExpressionTree) -> String? {
        // A sign before a negative number would start a comment.
        if case .negate(.value(let inner)) = expression {
            switch inner {
            case .int(let value): return String(0 &- value)
            case .double(let value): return value.isFinite ? String(-value) : nil
            default: return nil
            }
        }
        guard case .value(let value) = expression else { return nil }
        switch value {
        case .bool(let value): return value ? "1" : "0"
        case .int(let value): return String(value)
        case .double(let value): return value.isFinite ? String(value) : nil
        case .date(let value):
            let seconds = value.timeIntervalSinceReferenceDate
            return seconds.isFinite ? String(seconds) : nil
        case .string(let value):
            guard !value.utf8.contains(0) else { return nil }
            return "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        default: return nil
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
