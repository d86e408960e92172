import Foundation
import SwormPredicates

/// What a node of Foundation's predicates means.
enum PredicateOperand {
    /// Something that no row changes, without its optionals; nil for nil.
    case constant(Any?)
    /// A value of a row, or computed from one. It may be nil where Swift's type says so; elsewhere a nil means that Swift
    /// would have stopped.
    case value(ExpressionTree, isOptional: Bool)
    /// A Boolean that is known for every row.
    case predicate(PredicateTree)
    /// A Boolean that is there only where the first predicate holds.
    case optionalPredicate(isPresent: PredicateTree, PredicateTree)
    case row(ExpressionTree, RowType, isOptional: Bool)
    case rows(ExpressionTree, RowType, isOrdered: Bool)
    /// A place in a plain type that is no attribute itself.
    case part(ExpressionTree, RowType, AnyKeyPath, isOptional: Bool)
    /// The order of two texts, to be compared with `ComparisonResult`.
    case order(ExpressionTree, ExpressionTree, ComparisonOptions)

    /// A predicate as an operand; a decided one is a constant.
    static func boolean(_ tree: PredicateTree) -> PredicateOperand {
        if case .constant(let value) = tree { return .constant(value) }
        return .predicate(tree)
    }

    var isConstant: Bool {
        if case .constant = self { return true }
        return false
    }

    /// What remains when the operand is known to be there.
    var unwrapped: PredicateOperand {
        switch self {
        case .value(let tree, _): .value(tree, isOptional: false)
        case .row(let tree, let type, _): .row(tree, type, isOptional: false)
        case .optionalPredicate(_, let predicate): .predicate(predicate)
        default: self
        }
    }

    /// Whether the operand is there; nil if it always is.
    var presence: PredicateTree? {
        switch self {
        case .value(let tree, true), .row(let tree, _, true):
            .comparison(Comparison(tree, .notEqual, .value(.null)))
        case .optionalPredicate(let isPresent, _): isPresent
        default: nil
        }
    }
}

/// An optional whose type is not known.
private protocol AnyOptional {
    var content: Any? { get }
}

extension Optional: AnyOptional {
    var content: Any? { flatMap { withoutOptionals($0) } }
}

/// A value without the optionals around it.
func withoutOptionals(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.content
}

extension ExpressionTree {
    static let yes = ExpressionTree.value(.bool(true))
    static let no = ExpressionTree.value(.bool(false))

    /// Whether this is nil wherever a part of it is nil.
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
