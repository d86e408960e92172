public import Foundation
import SwormPredicates
import SwormStore

// The parts of an expression. A part that an expression does not have is empty.
extension NSCopying where Self == NSExpression {
    /// The kind of the expression.
    public var expressionType: _FoundationNames.ExpressionType {
        switch content.form {
        case .constant: return .constantValue
        case .block: return .block
        case .tree: break
        }
        switch try? tree() {
        case .value?: return .constantValue
        case .list?: return .aggregate
        case .evaluatedObject?: return .evaluatedObject
        case .variable?: return .variable
        case .key?: return .keyPath
        case .subquery?: return .subquery
        case .conditional?: return .conditional
        case .set(.union, _, _)?: return .unionSet
        case .set(.intersect, _, _)?: return .intersectSet
        case .set(.minus, _, _)?: return .minusSet
        case .index?, .binary?, .negate?, .function?, .cast?, nil: return .function
        }
    }

    /// The value of a constant.
    public var constantValue: Any? {
        if case .constant(let value) = content.form { return value }
        guard case .value(let value)? = try? tree() else { return nil }
        return value.cocoaValue
    }

    /// The key path.
    public var keyPath: String {
        var keys: [String] = []
        var current = try? tree()
        while case .key(let base, let key)? = current {
            keys.append(key)
            current = base
        }
        return keys.reversed().joined(separator: ".")
    }

    /// The name of the function.
    public var function: String { (try? tree())?.call?.name ?? "" }

    /// The arguments of the function, or of the block.
    public var arguments: [NSExpression]? {
        if case .block(_, let arguments) = content.form { return arguments.map { NSExpression.make($0) } }
        return (try? tree())?.call?.arguments.map { NSExpression.make($0) }
    }

    /// The block.
    public var expressionBlock: ((Any?, [Any], NSMutableDictionary?) -> Any)? {
        if case .block(let block, _) = content.form { block } else { nil }
    }

    /// The name of the variable, also of the one of a subquery.
    public var variable: String {
        switch try? tree() {
        case .variable(let name)?, .subquery(_, let name, _)?: name
        default: ""
        }
    }

    /// The expressions or the values of a collection; for a subquery, the expression of its collection.
    public var collection: Any? {
        switch try? tree() {
        case .list(let items)?: items.map { NSExpression.make($0) }
        case .subquery(let collection, _, _)?: NSExpression.make(collection)
        default: nil
        }
    }

    /// The object at which a key path starts.
    public var operand: NSExpression {
        var current = (try? tree()) ?? .value(.null)
        while case .key(let base, _) = current { current = base }
        return NSExpression.make(current)
    }

    /// The predicate of a subquery, or of a choice between two expressions.
    public var predicate: NSPredicate {
        switch try? tree() {
        case .subquery(_, _, let predicate)?, .conditional(let predicate, _, _)?: FormatPredicate(tree: predicate)
        default: NSPredicate(value: true)
        }
    }

    /// The first of two collections.
    public var left: NSExpression {
        guard case .set(_, let left, _)? = try? tree() else { return NSExpression.make(.value(.null)) }
        return NSExpression.make(left)
    }

    /// The second of two collections.
    public var right: NSExpression {
        guard case .set(_, _, let right)? = try? tree() else { return NSExpression.make(.value(.null)) }
        return NSExpression.make(right)
    }

    /// The expression if the predicate is true.
    public var `true`: NSExpression {
        guard case .conditional(_, let yes, _)? = try? tree() else { return NSExpression.make(.value(.null)) }
        return NSExpression.make(yes)
    }

    /// The expression if the predicate is not true.
    public var `false`: NSExpression {
        guard case .conditional(_, _, let no)? = try? tree() else { return NSExpression.make(.value(.null)) }
        return NSExpression.make(no)
    }
}

extension ExpressionTree {
    /// The name and the arguments of a function, or of an operator that Foundation implements as a function.
    fileprivate var call: (name: String, arguments: [ExpressionTree])? {
        switch self {
        case .function(let name, let arguments):
            return (name.contains(":") || arguments.isEmpty ? name : name + ":", arguments)
        case .binary(let sign, let left, let right): return (sign.functionName, [left, right])
        case .negate(let operand): return (BinaryOperator.subtract.functionName, [.value(.int(0)), operand])
        case .cast(let operand, let type): return ("castObject:toType:", [operand, .value(.string(type))])
        case .index(let base, .expression(let index)): return ("objectFrom:withIndex:", [base, index])
        case .index(let base, .first): return ("objectFrom:withIndex:", [base, .value(.string("FIRST"))])
        case .index(let base, .last): return ("objectFrom:withIndex:", [base, .value(.string("LAST"))])
        case .index(let base, .size): return ("objectFrom:withIndex:", [base, .value(.string("SIZE"))])
        default: return nil
        }
    }
}
