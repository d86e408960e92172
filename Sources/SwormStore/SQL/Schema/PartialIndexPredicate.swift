import Foundation
import SwormPredicates

/// A printer for the predicate of a partial index.
///
/// A schema has no parameters, so the constants of the model are written as literals.
struct PartialIndexPredicate {
    /// A column of the entity.
    struct Column {
        /// The name, as SQL text writes it.
        var name: String
        /// The number of the attribute; nil for a relationship.
        var attribute: Int?
    }

    let entity: CompiledEntity
    let layout: StoreLayout
    /// Returns the name of a column, as SQL text writes it.
    let quoted: (String) -> String
    /// Returns a constant that is compared with a column as a literal, or nil for one that has none.
    let literal: (AttributeValue, Column) -> String?
    /// Returns whether two columns can be compared.
    let areComparable: (Column, Column) -> Bool

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
        guard comparison.quantifier == .direct, comparison.options.isEmpty, let left = column(of: comparison.left)
        else { return nil }
        if case .value(.null) = comparison.right {
            switch comparison.comparator {
            case .equal, .identical: return "\(left.name) IS NULL"
            case .notEqual, .notIdentical: return "\(left.name) IS NOT NULL"
            default: return nil
            }
        }
        // The dialects write the operators that are left in the same way.
        guard !comparison.comparator.isIdentity, let sign = SQLDialect.sqlite.sign(of: comparison.comparator)
        else { return nil }
        if let right = column(of: comparison.right) {
            return areComparable(left, right) ? "\(left.name) \(sign) \(right.name)" : nil
        }
        return comparison.right.constant.flatMap { literal($0, left) }.map { "\(left.name) \(sign) \($0)" }
    }

    private func column(of expression: ExpressionTree) -> Column? {
        guard let keys = expression.pathKeys, let slot = entity.slot(named: keys.joined(separator: ".")) else {
            return nil
        }
        switch slot {
        case .attribute(let slot):
            return layout.column(ofAttribute: slot, in: entity.number).map { Column(name: quoted($0), attribute: slot) }
        case .relationship(let slot):
            return layout.toOne(slot, in: entity.number).map { Column(name: quoted($0.column)) }
        }
    }
}

extension ExpressionTree {
    /// The value of a constant, with its sign: a sign before a negative literal would start a comment.
    fileprivate var constant: AttributeValue? {
        switch self {
        case .value(let value): return value
        case .negate(.value(.int(let number))): return number == .min ? nil : .int(-number)
        case .negate(.value(.double(let number))): return .double(-number)
        default: return nil
        }
    }
}

// MARK: SQLite

extension PartialIndexPredicate {
    /// Creates a printer for the index of a file.
    init(entity: CompiledEntity, layout: StoreLayout) {
        self.init(
            entity: entity, layout: layout, quoted: { SQLName.quoted($0) },
            literal: { value, _ in Self.literal(value) }, areComparable: { _, _ in true })
    }

    private static func literal(_ value: AttributeValue) -> String? {
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
}
