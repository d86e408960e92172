import Foundation
import SwormPredicates
import SwormStore

// Predicates, expressions and values in the form of Foundation's archives; nil if there is no such form.
extension KeyedArchiveWriter {
    mutating func predicate(_ tree: PredicateTree) -> PropertyListValue? {
        switch tree {
        case .constant(let flag):
            return object([flag ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"], fields: [:])
        case .and(let parts): return compound(type: 1, of: parts)
        case .or(let parts): return compound(type: 2, of: parts)
        case .not(let part): return compound(type: 0, of: [part])
        case .comparison(let comparison):
            guard let left = expression(comparison.left), let right = expression(comparison.right),
                let operation = operation(of: comparison)
            else { return nil }
            return object(
                ["NSComparisonPredicate", "NSPredicate", "NSObject"],
                fields: ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": operation])
        }
    }

    private mutating func compound(type: Int64, of parts: [PredicateTree]) -> PropertyListValue? {
        let written = parts.compactMap { predicate($0) }
        guard written.count == parts.count else { return nil }
        let list = array(written)
        return object(
            ["NSCompoundPredicate", "NSPredicate", "NSObject"],
            fields: ["NSCompoundPredicateType": .int(type), "NSSubpredicates": list])
    }

    private mutating func operation(of comparison: Comparison) -> PropertyListValue? {
        let modifier: Int64
        switch comparison.quantifier {
        case .direct: modifier = 0
        case .all: modifier = 1
        case .any: modifier = 2
        }
        let options = Int64(comparison.options.rawValue)
        var fields: [String: PropertyListValue] = ["NSModifier": .int(modifier)]
        let name: String
        switch comparison.comparator {
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let types: [SwormPredicates.Comparator: Int64] = [
                .less: 0, .lessOrEqual: 1, .greater: 2, .greaterOrEqual: 3,
            ]
            let type = types[comparison.comparator] ?? 0
            name = "NSComparisonPredicateOperator"
            fields["NSOperatorType"] = .int(type)
            fields["NSVariant"] = .int(type)
            fields["NSOptions"] = .int(options)
        case .equal, .notEqual:
            name = "NSEqualityPredicateOperator"
            let isNegated = comparison.comparator == .notEqual
            fields["NSOperatorType"] = .int(isNegated ? 5 : 4)
            fields["NSNegate"] = .bool(isNegated)
            fields["NSOptions"] = .int(options)
        case .contains, .in:
            name = "NSInPredicateOperator"
            fields["NSOperatorType"] = .int(comparison.comparator == .in ? 10 : 99)
            fields["NSFlags"] = .int(options)
        case .beginsWith, .endsWith:
            name = "NSSubstringPredicateOperator"
            let isEnd = comparison.comparator == .endsWith
            fields["NSOperatorType"] = .int(isEnd ? 9 : 8)
            fields["NSSubstringPosition"] = .int(isEnd ? 1 : 0)
            fields["NSFlags"] = .int(options)
        case .matches:
            name = "NSMatchingPredicateOperator"
            fields["NSOperatorType"] = .int(6)
            fields["NSFlags"] = .int(options)
        case .like:
            name = "NSLikePredicateOperator"
            fields["NSOperatorType"] = .int(7)
            fields["NSFlags"] = .int(options)
        case .between, .identical, .notIdentical: return nil
        }
        return object([name, "NSPredicateOperator", "NSObject"], fields: fields)
    }

    mutating func expression(_ tree: ExpressionTree) -> PropertyListValue? {
        switch tree {
        case .evaluatedObject:
            return object(["NSSelfExpression", "NSExpression", "NSObject"], fields: ["NSExpressionType": .int(1)])
        case .variable(let name):
            return object(
                ["NSVariableExpression", "NSExpression", "NSObject"],
                fields: ["NSExpressionType": .int(2), "NSVariable": string(name)])
        case .value(let value):
            guard let constant = constant(value) else { return nil }
            return object(
                ["NSConstantValueExpression", "NSExpression", "NSObject"],
                fields: ["NSExpressionType": .int(0), "NSConstantValue": constant])
        case .key:
            var keys: [String] = []
            var base = tree
            while case .key(let inner, let key) = base {
                keys.insert(key, at: 0)
                base = inner
            }
            guard let operand = expression(base) else { return nil }
            return path(keys, from: operand)
        case .function(let name, let arguments):
            let written = arguments.compactMap { expression($0) }
            guard written.count == arguments.count else { return nil }
            // A selector has a colon for each argument: that of `now()` has none.
            let isComplete = name.contains(":") || arguments.isEmpty
            return call(isComplete ? name : name + ":", arguments: written)
        default: return nil
        }
    }

    private mutating func path(_ keys: [String], from operand: PropertyListValue) -> PropertyListValue {
        let specifier = object(
            ["NSKeyPathSpecifierExpression", "NSExpression", "NSObject"],
            fields: ["NSExpressionType": .int(10), "NSKeyPath": string(keys.joined(separator: "."))])
        let arguments = array([specifier], isMutable: true)
        return object(
            ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"],
            fields: [
                "NSExpressionType": .int(3), "NSOperand": operand, "NSArguments": arguments,
                "NSSelectorName": string(keys.count == 1 ? "valueForKey:" : "valueForKeyPath:"),
            ])
    }

    private mutating func call(_ selector: String, arguments: [PropertyListValue]) -> PropertyListValue {
        let operand = object(
            ["NSConstantValueExpression", "NSExpression", "NSObject"],
            fields: ["NSExpressionType": .int(0), "NSConstantValueClassName": string("_NSPredicateUtilities")])
        let list = array(arguments)
        return object(
            ["NSFunctionExpression", "NSExpression", "NSObject"],
            fields: [
                "NSExpressionType": .int(4), "NSOperand": operand, "NSArguments": list,
                "NSSelectorName": string(selector),
            ])
    }

    /// Archives the expression of a derived attribute from its string: `author.name`, `count:(pages)`, `now()`.
    mutating func derivation(_ text: String) -> PropertyListValue? {
        func keys(_ path: Substring) -> [String] { path.split(separator: ".").map(String.init) }
        guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else {
            return expression(.path(keys(text[...])))
        }
        let inside = text[text.index(after: open)...].dropLast()
        var arguments: [PropertyListValue] = []
        for part in inside.split(separator: ",") {
            let trimmed = part.trimmingCharacters(in: .whitespaces)
            guard let argument = expression(.path(keys(trimmed[...]))) else { return nil }
            arguments.append(argument)
        }
        return call(String(text[..<open]), arguments: arguments)
    }

    // MARK: Values

    private mutating func constant(_ value: AttributeValue) -> PropertyListValue? {
        value == .null ? Self.null : value.foundationValue.flatMap { self.value($0) }
    }
}
