import Foundation
import SwormPredicates

/// The meaning of a node of a Foundation predicate.
enum PredicateOperand {
    /// A value that does not depend on the row, without its optional layers; nil for nil.
    case constant(Any?)
    /// A value of a row, or one computed from it. It may be nil if its Swift type is optional; otherwise nil means that
    /// Swift would have trapped.
    case value(ExpressionTree, isOptional: Bool)
    /// A Boolean that is never nil.
    case predicate(PredicateTree)
    /// A Boolean that is only present if the first predicate holds.
    case optionalPredicate(isPresent: PredicateTree, PredicateTree)
    case row(ExpressionTree, RowType, isOptional: Bool)
    case rows(ExpressionTree, RowType, isOrdered: Bool)
    /// A part of a plain type that is not an attribute itself.
    case part(ExpressionTree, RowType, AnyKeyPath, isOptional: Bool)
    /// The order of two strings, to be compared with `ComparisonResult`.
    case order(ExpressionTree, ExpressionTree, ComparisonOptions)

    /// Returns a predicate as an operand. A decided predicate becomes a constant.
    static func boolean(_ tree: PredicateTree) -> PredicateOperand {
        if case .constant(let value) = tree { return .constant(value) }
        return .predicate(tree)
    }

    var isConstant: Bool {
        if case .constant = self { return true }
        return false
    }

    /// The operand without its optional, if it is known to be present.
    var unwrapped: PredicateOperand {
        switch self {
        case .value(let tree, _): .value(tree, isOptional: false)
        case .row(let tree, let type, _): .row(tree, type, isOptional: false)
        case .optionalPredicate(_, let predicate): .predicate(predicate)
        default: self
        }
    }

    /// A predicate that tests whether the operand is present; nil if it always is.
    var presence: PredicateTree? {
        switch self {
        case .row(let tree, let type, true) where type.elements != nil: type.hasElement(in: tree)
        case .value(let tree, true), .row(let tree, _, true):
            .comparison(Comparison(tree, by: .notEqual, with: .value(.null)))
        case .optionalPredicate(let isPresent, _): isPresent
        default: nil
        }
    }
}

/// An optional of an unknown type.
private protocol AnyOptional {
    var content: Any? { get }
}

extension Optional: AnyOptional {
    var content: Any? { flatMap { withoutOptionals($0) } }
}

/// Returns a value without the optionals around it.
func withoutOptionals(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.content
}

extension ExpressionTree {
    static let yes = ExpressionTree.value(.bool(true))
    static let no = ExpressionTree.value(.bool(false))

    /// Whether this expression is nil whenever a part of it is nil.
    func isStrict(in part: ExpressionTree) -> Bool {
        if self == part { return true }
        return switch self {
        case .key(let base, let key): !key.hasPrefix("@") && base.isStrict(in: part)
        case .index(let base, _), .negate(let base): base.isStrict(in: part)
        case .binary(_, let left, let right): left.isStrict(in: part) || right.isStrict(in: part)
        case .function(_, let operands): operands.contains { $0.isStrict(in: part) }
        default: false
        }
    }
}
