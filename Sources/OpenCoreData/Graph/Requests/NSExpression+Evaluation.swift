public import Foundation
import SwormPredicates
import SwormStore

extension NSCopying where Self == NSExpression {
    /// Returns the value of the expression for an object.
    ///
    /// - Parameters:
    ///   - object: A managed object, a dictionary, or a plain value that the expression calls `SELF`; nil for an expression
    ///     that refers to no object.
    ///   - context: The values of variables by their names, without the `$`.
    /// - Returns: nil if the expression has no value, or cannot be evaluated.
    public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        try? content.value(with: object, variables: context)
    }
}

extension ExpressionContent {
    /// Returns the value of the expression for an object.
    ///
    /// - Throws: The error in the format, or an error of the evaluation.
    func value(with object: Any?, variables: NSMutableDictionary?) throws -> Any? {
        switch form {
        case .constant(let value): return value
        case .block(let block, let arguments):
            let values = try arguments.map { try $0.value(with: object, variables: variables) ?? NSNull() }
            let result = block(object, values, variables)
            return result is NSNull ? nil : result
        case .tree: break
        }
        var tree = try tree.get()
        if case .variable(let name) = tree, let variables, let value = variables.object(forKey: NSString(string: name))
        {
            return value is NSNull ? nil : value
        }
        let free = tree.freeVariables
        if !free.isEmpty {
            var values: [String: Any] = [:]
            for name in free { values[name] = variables?.object(forKey: NSString(string: name)) }
            tree = try tree.substituting(predicateVariables(values))
        }
        return try PreparedExpression(tree).evaluate(value: EvaluationValue(object)).cocoaValue
    }
}

extension EvaluationValue {
    /// Creates the value of an object for which an expression is evaluated.
    fileprivate init(_ object: Any?) throws {
        if let subject = object as? any EvaluationSubject {
            self = .object(subject)
        } else if let dictionary = object as? [String: Any] {
            self = .object(DictionarySubject(values: dictionary))
        } else if let list = try predicateArguments([object ?? NSNull()]).first?.expressionTree {
            self = try PreparedExpression(list).evaluate(value: .null)
        } else {
            self = .null
        }
    }

    /// The value in the types of keyed access; nil for a missing one.
    var cocoaValue: Any? {
        switch self {
        case .value(let value): value.cocoaValue
        case .object(let subject): subject
        case .objects(let subjects): subjects.map { $0 as Any }
        case .list(let items): items.map { $0.cocoaValue ?? NSNull() }
        case .missing: nil
        }
    }
}

/// A dictionary as the object of an expression: its keys are those of the dictionary.
private struct DictionarySubject: EvaluationSubject {
    let values: [String: Any]

    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        guard let value = values[key] else { return .null }
        return try EvaluationValue(value)
    }
}
