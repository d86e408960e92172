import Foundation
import SwormPredicates

/// A node that has no meaning in a store.
protocol RefusedPredicateExpression: PredicateExpression {
    /// The reason, and the expression to use instead.
    var refusal: String { get }
}

/// A node that only has a meaning if everything in it was captured.
protocol ConstantPredicateExpression: TranslatablePredicateExpression, RefusedPredicateExpression {
    func parts(by translator: inout PredicateTranslator) throws -> [PredicateOperand]
}

extension ConstantPredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        guard try parts(by: &translator).allSatisfy(\.isConstant) else { throw translator.issue(refusal) }
        return .constant(withoutOptionals(try evaluate(translator.bindings)))
    }
}

extension PredicateExpressions.TypeCheck: ConstantPredicateExpression {
    var refusal: String { "`is` (TypeCheck) tests a type; compare an attribute that identifies the kind" }
    func parts(by translator: inout PredicateTranslator) throws -> [PredicateOperand] {
        [try translator.operand(input)]
    }
}

extension PredicateExpressions.ConditionalCast: ConstantPredicateExpression {
    var refusal: String { "`as?` (ConditionalCast) converts to a type; compare the stored value" }
    func parts(by translator: inout PredicateTranslator) throws -> [PredicateOperand] {
        [try translator.operand(input)]
    }
}

extension PredicateExpressions.ForceCast: ConstantPredicateExpression {
    var refusal: String { "A forced cast (ForceCast) converts to a type; compare the stored value" }
    func parts(by translator: inout PredicateTranslator) throws -> [PredicateOperand] {
        [try translator.operand(input)]
    }
}

extension PredicateExpressions.DictionaryKeySubscript: ConstantPredicateExpression {
    var refusal: String {
        "`[key]` (DictionaryKeySubscript) reads a part of a value that is stored as a whole; store the part as an attribute of its own"
    }
    func parts(by translator: inout PredicateTranslator) throws -> [PredicateOperand] {
        [try translator.operand(wrapped), try translator.operand(key)]
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: ConstantPredicateExpression {
    var refusal: String {
        "`[key, default:]` (DictionaryKeyDefaultValueSubscript) reads a part of a value that is stored as a whole; "
            + "store the part as an attribute of its own"
    }
    func parts(by translator: inout PredicateTranslator) throws -> [PredicateOperand] {
        [try translator.operand(wrapped), try translator.operand(key), try translator.operand(self.default)]
    }
}

extension PredicateExpressions.CollectionIndexSubscript: ConstantPredicateExpression {
    var refusal: String {
        "`[index]` (CollectionIndexSubscript) reads one element of a collection; use `first` or `last` of an ordered relation, or "
            + "`contains(where:)`"
    }
    func parts(by translator: inout PredicateTranslator) throws -> [PredicateOperand] {
        [try translator.operand(wrapped), try translator.operand(index)]
    }
}

extension PredicateExpressions.CollectionRangeSubscript: RefusedPredicateExpression {
    var refusal: String {
        "`[a..<b]` (CollectionRangeSubscript) reads a part of a collection; use `filter` or `contains(where:)`"
    }
}

extension PredicateExpressions.SequenceMinimum: ConstantPredicateExpression {
    var refusal: String {
        "`min()` (SequenceMinimum) of rows; use the closure form, `where { $0.reviews.min(\\.mark) == 5 }`"
    }
    func parts(by translator: inout PredicateTranslator) throws -> [PredicateOperand] {
        [try translator.operand(elements)]
    }
}

extension PredicateExpressions.SequenceMaximum: ConstantPredicateExpression {
    var refusal: String {
        "`max()` (SequenceMaximum) of rows; use the closure form, `where { $0.reviews.max(\\.mark) == 5 }`"
    }
    func parts(by translator: inout PredicateTranslator) throws -> [PredicateOperand] {
        [try translator.operand(elements)]
    }
}
