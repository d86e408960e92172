public import Foundation
import SwormPredicates

// Foundation on Linux lacks three nodes that the expansion of the macro uses: it calls functions that exist only on
// Apple's platforms. This file provides them under the same names. A later compiler may include them, and duplicates
// would be ambiguous. Check again when the version below is raised.
#if !canImport(Darwin) && compiler(<6.4)

extension PredicateExpressions {
    /// The node for `text.localizedStandardContains(other)` in a predicate.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The string that is searched.
        public let root: Root
        /// The string to search for.
        public let other: Other

        /// Returns whether the string contains the other one, ignoring case and diacritics.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
        }
    }

    /// The node for `text.caseInsensitiveCompare(other)` in a predicate.
    public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The left string of the comparison.
        public let root: Root
        /// The right string of the comparison.
        public let other: Other

        /// Returns the order of the strings, ignoring case.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).caseInsensitiveCompare(other.evaluate(bindings))
        }
    }

    /// The node for `text.localizedCompare(other)` in a predicate.
    public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The left string of the comparison.
        public let root: Root
        /// The right string of the comparison.
        public let other: Other

        /// Returns the order of the strings in the language of the user.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).localizedCompare(other.evaluate(bindings))
        }
    }

    /// Called by the expansion of `#Predicate`.
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }

    /// Called by the expansion of `#Predicate`.
    public static func build_caseInsensitiveCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
        StringCaseInsensitiveCompare(root: root, other: other)
    }

    /// Called by the expansion of `#Predicate`.
    public static func build_localizedCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedCompare<Root, Other> {
        StringLocalizedCompare(root: root, other: other)
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedCompare: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedCompare: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

#endif

#if canImport(Darwin) || compiler(<6.4)

extension PredicateExpressions.StringLocalizedStandardContains: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (text, part) = (try translator.operand(root), try translator.operand(other))
        if let folded = try translator.folded(self, parts: text, part) { return folded }
        return .predicate(
            .comparison(
                Comparison(
                    try translator.expression(of: text), by: .contains, with: try translator.expression(of: part),
                    options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])))
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (one, another) = (try translator.operand(root), try translator.operand(other))
        return try translator.folded(self, parts: one, another)
            ?? .order(
                try translator.expression(of: one), try translator.expression(of: another), .caseInsensitive)
    }
}

extension PredicateExpressions.StringLocalizedCompare: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (one, another) = (try translator.operand(root), try translator.operand(other))
        return try translator.folded(self, parts: one, another)
            ?? .order(
                try translator.expression(of: one), try translator.expression(of: another), .localeSensitive)
    }
}

#endif
