import Foundation
import SwormPredicates

extension PredicateExpressions.CollectionContainsCollection: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (base, other) = (try translator.operand(base), try translator.operand(other))
        if let folded = try translator.folded(self, parts: base, other) { return folded }
        guard Base.Output.self is any StringProtocol.Type, Other.Output.self is any StringProtocol.Type else {
            throw translator.issue("`contains` of one list in another is not supported in a store; it takes strings")
        }
        return .boolean(try translator.search(base, by: .contains, for: other))
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (base, prefix) = (try translator.operand(base), try translator.operand(prefix))
        if let folded = try translator.folded(self, parts: base, prefix) { return folded }
        guard Base.Output.self is any StringProtocol.Type, Prefix.Output.self is any StringProtocol.Type else {
            throw translator.issue("`starts(with:)` of lists is not supported in a store; it takes strings")
        }
        return .boolean(try translator.search(base, by: .beginsWith, for: prefix))
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension PredicateExpressions.StringContainsRegex: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (subject, regex) = (try translator.operand(subject), try translator.operand(regex))
        if let folded = try translator.folded(self, parts: subject, regex) { return folded }
        guard case .constant(let value as PredicateExpressions.PredicateRegex) = regex else {
            throw translator.issue("`contains` takes a literal or captured regular expression")
        }
        // The regular expression may match anywhere in the string, which may have several lines; `MATCHES` alone
        // matches the whole string.
        let pattern = "(?s:.*)(?:\(value.stringRepresentation))(?s:.*)"
        do {
            _ = try RegularExpressionPattern(pattern)
        } catch {
            throw StoreError(
                .invalidCondition,
                "A #Predicate of \(translator.entityName) has a regular expression that stores do not support: "
                    + value.stringRepresentation,
                entity: translator.entityName, cause: error)
        }
        let text = try translator.expression(of: subject)
        return .predicate(.comparison(Comparison(text, by: .matches, with: .value(.string(pattern)))))
    }
}

extension PredicateTranslator {
    /// Searches for a string in another one. In Swift every string contains the empty string; in the predicate language
    /// no string does.
    func search(
        _ text: PredicateOperand, by comparator: SwormPredicates.Comparator, for part: PredicateOperand
    ) throws -> PredicateTree {
        let (one, other) = (try expression(of: text), try expression(of: part))
        let empty = ExpressionTree.value(.string(""))
        if other == empty { return .constant(true) }
        let isFound = PredicateTree.comparison(Comparison(one, by: comparator, with: other))
        if part.isConstant { return isFound }
        return .or([.comparison(Comparison(other, by: .equal, with: empty)), isFound])
    }
}
