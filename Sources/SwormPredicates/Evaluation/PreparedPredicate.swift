package import Foundation

/// A predicate that is ready to be evaluated for many objects: constants are folded and patterns built.
///
/// It has no side effects and no state; several threads may evaluate it at once.
package struct PreparedPredicate: Sendable {
    private let condition: PreparedCondition

    /// Prepares a predicate.
    ///
    /// - Parameters:
    ///   - tree: The predicate, with its variables substituted.
    ///   - logic: The handling of nil in comparisons.
    ///   - now: The value of `now()`.
    /// - Throws: A ``QueryError`` for a free variable, an invalid pattern, operands that never fit, or excessive
    ///   depth.
    package init(_ tree: PredicateTree, logic: NilLogic = .sql, now: Date = Date()) throws {
        guard tree.depth(limit: PredicateLimits.treeDepth) != nil else {
            throw QueryError(
                .limit, "the predicate is nested more than \(PredicateLimits.treeDepth) levels deep")
        }
        condition = try EvaluationPreparer(logic: logic, now: now).prepare(tree)
    }

    /// Evaluates the predicate for an object; nil if it is undecided because a value is nil.
    package func evaluate(_ subject: any EvaluationSubject) throws -> Bool? {
        try condition.value(in: EvaluationScope(subject: .object(subject)))
    }

    /// Evaluates the predicate for a plain value or a collection.
    package func evaluate(value: EvaluationValue) throws -> Bool? {
        try condition.value(in: EvaluationScope(subject: value))
    }

    /// Returns whether the predicate is true for an object.
    package func matches(_ subject: any EvaluationSubject) throws -> Bool {
        try evaluate(subject) == true
    }

    /// The predicate's value if it does not depend on the object: `.some(nil)` is a constant that is always undecided.
    package var constant: Bool?? {
        if case .constant(let value) = condition { return .some(value) }
        return nil
    }
}

/// An expression that is ready to be evaluated for many objects.
package struct PreparedExpression: Sendable {
    private let operand: PreparedOperand

    package init(_ tree: ExpressionTree, logic: NilLogic = .sql, now: Date = Date()) throws {
        guard tree.depth(limit: PredicateLimits.treeDepth) != nil else {
            throw QueryError(
                .limit, "the expression is nested more than \(PredicateLimits.treeDepth) levels deep")
        }
        operand = try EvaluationPreparer(logic: logic, now: now).prepare(tree)
    }

    package func evaluate(_ subject: any EvaluationSubject) throws -> EvaluationValue {
        try evaluate(value: .object(subject))
    }

    /// Evaluates the expression for a plain value or a collection.
    package func evaluate(value: EvaluationValue) throws -> EvaluationValue {
        try operand.value(in: EvaluationScope(subject: value))
    }
}

/// The values of the names in a predicate during its evaluation.
struct EvaluationScope {
    /// The value of `SELF`.
    let subject: EvaluationValue
    /// The variables of the enclosing SUBQUERY expressions, outermost first.
    var locals: [EvaluationValue] = []
}

/// A prepared predicate node.
enum PreparedCondition: Sendable {
    case constant(Bool?)
    case program(@Sendable (EvaluationScope) throws -> Bool?)

    func value(in scope: EvaluationScope) throws -> Bool? {
        switch self {
        case .constant(let value): value
        case .program(let program): try program(scope)
        }
    }
}

/// A prepared expression node.
enum PreparedOperand: Sendable {
    case constant(ConstantValue)
    case program(@Sendable (EvaluationScope) throws -> EvaluationValue)

    func value(in scope: EvaluationScope) throws -> EvaluationValue {
        switch self {
        case .constant(let value): value.evaluationValue
        case .program(let program): try program(scope)
        }
    }

    var constant: ConstantValue? {
        if case .constant(let value) = self { return value }
        return nil
    }

    /// Whether this is a nil that was written literally or passed in, and not a computed one.
    var isWrittenNil: Bool {
        if case .constant(.value(.null)) = self { return true }
        return false
    }
}

/// A value that is the same for every object.
enum ConstantValue: Sendable, Hashable {
    case value(AttributeValue)
    case list([ConstantValue])

    var evaluationValue: EvaluationValue {
        switch self {
        case .value(let value): .value(value)
        case .list(let items): .list(items.map(\.evaluationValue))
        }
    }

    init?(_ value: EvaluationValue) {
        switch value {
        case .value(let value): self = .value(value)
        case .list(let items):
            let constants = items.compactMap(ConstantValue.init)
            guard constants.count == items.count else { return nil }
            self = .list(constants)
        case .object, .objects, .missing: return nil
        }
    }
}
