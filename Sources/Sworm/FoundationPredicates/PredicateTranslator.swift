import Foundation
import SwormPredicates

/// A node of a Foundation predicate that has a meaning in the predicate language.
///
/// The conformances do not require the same of nested nodes. Those are checked during the translation, so that a
/// message can name the unsupported node.
protocol TranslatablePredicateExpression: PredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand
}

/// A translator that converts Foundation predicates into trees.
///
/// The trees keep Swift's meaning under three-valued logic: if Swift returns true or false, so do they. They are
/// undecided only where Swift would trap, for instance when nil is force-unwrapped.
struct PredicateTranslator {
    let entityName: String
    /// The meaning of the variables of the enclosing closures.
    var variables: [PredicateExpressions.VariableID: PredicateOperand] = [:]
    /// The values of the variables that represent constants.
    var bindings = PredicateBindings()

    init(entityName: String) {
        self.entityName = entityName
    }

    func issue(_ reason: String) -> StoreError { .predicate(reason, entity: entityName) }

    mutating func operand(_ node: some PredicateExpression) throws -> PredicateOperand {
        if let node = node as? any TranslatablePredicateExpression { return try node.translated(by: &self) }
        if let node = node as? any RefusedPredicateExpression { throw issue(node.refusal) }
        let name = "\(type(of: node))".prefix { $0 != "<" }
        throw issue("`\(name)` is not supported in a store. Use the closure form, as in `where { $0.title == \"a\" }`")
    }

    /// Evaluates a node whose parts are constants. Returns nil if one of them is not a constant.
    func folded<Node: PredicateExpression>(_ node: Node, parts: PredicateOperand...) throws -> PredicateOperand? {
        guard parts.allSatisfy(\.isConstant) else { return nil }
        return .constant(withoutOptionals(try node.evaluate(bindings)))
    }

    // MARK: Predicates

    mutating func predicate(_ node: some PredicateExpression) throws -> PredicateTree {
        try predicate(of: operand(node))
    }

    /// Converts a Boolean into a predicate.
    func predicate(of operand: PredicateOperand) throws -> PredicateTree {
        switch operand {
        case .predicate(let tree): return tree
        case .optionalPredicate(let isPresent, let tree): return .and([isPresent, tree])
        case .constant(let value):
            guard let value = value as? Bool else { throw issue("'\(excerpt(value ?? "nil"))' is not a Boolean") }
            return .constant(value)
        default: return .comparison(Comparison(try expression(of: operand), by: .equal, with: .yes))
        }
    }

    /// Returns the conjunction of the parts, without those that are decided.
    func conjunction(_ parts: [PredicateTree?]) -> PredicateTree {
        let parts = parts.compactMap { $0 }.filter { $0 != .constant(true) }
        if parts.contains(.constant(false)) { return .constant(false) }
        guard let first = parts.first else { return .constant(true) }
        return parts.count == 2 ? .conjunction(first, parts[1]) : parts.count == 1 ? first : .and(parts)
    }

    /// Returns the disjunction of the parts, without those that are decided.
    func disjunction(_ parts: [PredicateTree]) -> PredicateTree {
        let parts = parts.filter { $0 != .constant(false) }
        if parts.contains(.constant(true)) { return .constant(true) }
        guard let first = parts.first else { return .constant(false) }
        return parts.count == 2 ? .disjunction(first, parts[1]) : parts.count == 1 ? first : .or(parts)
    }

    func negation(_ tree: PredicateTree) -> PredicateTree {
        switch tree {
        case .constant(let value): .constant(!value)
        case .not(let inner): inner
        // A test for nil is never undecided, so that the opposite test can replace its negation.
        case .comparison(let test) where test.comparator == .notEqual && test.right == .value(.null):
            .comparison(Comparison(test.left, by: .equal, with: test.right))
        case .comparison(let test) where test.comparator == .equal && test.right == .value(.null):
            .comparison(Comparison(test.left, by: .notEqual, with: test.right))
        default: .not(tree)
        }
    }

    // MARK: Expressions

    mutating func expression(_ node: some PredicateExpression) throws -> ExpressionTree {
        try expression(of: operand(node))
    }

    func expression(of operand: PredicateOperand) throws -> ExpressionTree {
        switch operand {
        case .constant(let value): return .value(try attributeValue(of: value))
        case .value(let tree, _), .row(let tree, _, _): return tree
        case .predicate(let tree): return .conditional(tree, .yes, .no)
        case .optionalPredicate(let isPresent, let tree):
            return .conditional(isPresent, .conditional(tree, .yes, .no), .value(.null))
        case .part(_, let type, let keyPath, _): throw type.unknown(keyPath)
        case .rows(let tree, _, _):
            throw issue(
                "`\(tree.format)` is a to-many relation, which has no value; use `contains(where:)`, `allSatisfy`, "
                    + "`filter`, `count` or `isEmpty`")
        case .order: throw issue("the order of two strings can only be compared with a ComparisonResult, by == or !=")
        }
    }

    /// Converts a constant into the value that an attribute stores.
    func attributeValue(of constant: Any?) throws -> AttributeValue {
        switch constant {
        case nil: return .null
        case let id as any ObjectIdentifying: return .object(id.reference)
        case let value as any SupportedAttributeType:
            do {
                return try value.encoded().attributeValue
            } catch {
                throw StoreError(
                    .invalidCondition,
                    "A #Predicate of \(entityName) compares with '\(excerpt(value))', which cannot be stored.",
                    entity: entityName, cause: error)
            }
        case let text as any StringProtocol: return .string(String(text))
        case let character as Character: return .string(String(character))
        case is any AnyRow:
            throw issue("a Row contains no data to compare with; compare its `objectID`, or an attribute of it")
        case let value?:
            if let value = AttributeValue(any: value) { return value }
            throw issue(
                "no attribute can be compared with a value of \(type(of: value)); "
                    + "make it a SupportedAttributeType, or compare with a property of it")
        }
    }
}
