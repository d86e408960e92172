import Foundation
import SwormPredicates
import SwormStore

/// A reader of archived predicates and expressions, which returns them as trees.
struct ArchivedPredicate {
    typealias Object = KeyedArchive.Object

    private let archive: KeyedArchive
    /// The maximum depth of an expression. An expression that contains itself is infinitely deep.
    private static let depthLimit = 100

    init(_ archive: KeyedArchive) { self.archive = archive }

    func predicate(_ object: Object) throws(ArchiveError) -> PredicateTree {
        var nodes = 0
        return try predicate(object, depth: 0, nodes: &nodes)
    }

    func expression(_ object: Object) throws(ArchiveError) -> ExpressionTree {
        var nodes = 0
        return try expression(object, depth: 0, nodes: &nodes)
    }

    /// Returns the expression of a derived attribute in the form of the model file: `author.name`, `count:(pages)`,
    /// `now()`.
    func text(of object: Object) throws(ArchiveError) -> String {
        if archive.int(of: object, field: "NSExpressionType") == 4, !isPath(object) {
            let selector = archive.string(of: object, field: "NSSelectorName") ?? ""
            var arguments: [String] = []
            let values = archive.elements(archive[object, "NSArguments"])
            guard values.count <= Self.depthLimit else { throw ArchiveError("it has too many arguments") }
            for value in values {
                guard case .object(let argument) = value, let keys = try expression(argument).pathKeys else {
                    throw ArchiveError("an argument of \(selector) is not a path")
                }
                arguments.append(keys.joined(separator: "."))
            }
            return "\(selector)(\(arguments.joined(separator: ", ")))"
        }
        guard let keys = try expression(object).pathKeys else {
            throw ArchiveError("it is neither a path nor a function of paths")
        }
        return keys.joined(separator: ".")
    }

    // MARK: Predicates

    private func enter(depth: Int, nodes: inout Int) throws(ArchiveError) {
        nodes += 1
        guard depth < Self.depthLimit, nodes < 10_000 else { throw ArchiveError("it is nested too deeply") }
    }

    private func predicate(_ object: Object, depth: Int, nodes: inout Int) throws(ArchiveError) -> PredicateTree {
        try enter(depth: depth, nodes: &nodes)
        switch object.className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        case "NSCompoundPredicate":
            var parts: [PredicateTree] = []
            for value in archive.elements(archive[object, "NSSubpredicates"]) {
                guard case .object(let part) = value else { continue }
                parts.append(try predicate(part, depth: depth + 1, nodes: &nodes))
            }
            switch (archive.int(of: object, field: "NSCompoundPredicateType"), parts.first) {
            case (0, let part?): return .not(part)
            case (1, _): return .and(parts)
            case (2, _): return .or(parts)
            default: throw ArchiveError("it is a compound predicate of an unknown kind")
            }
        case "NSComparisonPredicate": return .comparison(try comparison(object, depth: depth, nodes: &nodes))
        default: throw ArchiveError("it is of the kind \(object.className)")
        }
    }

    private func comparison(_ object: Object, depth: Int, nodes: inout Int) throws(ArchiveError) -> Comparison {
        guard let left = archive.object(of: object, field: "NSLeftExpression"),
            let right = archive.object(of: object, field: "NSRightExpression"),
            let operation = archive.object(of: object, field: "NSPredicateOperator"),
            let type = archive.int(of: operation, field: "NSOperatorType"), let comparator = Self.comparators[type]
        else { throw ArchiveError("it is a comparison without its parts") }
        let quantifier: Quantifier
        switch archive.int(of: operation, field: "NSModifier") ?? 0 {
        case 0: quantifier = .direct
        case 1: quantifier = .all
        default: quantifier = .any
        }
        let bits = archive.int(of: operation, field: "NSOptions") ?? archive.int(of: operation, field: "NSFlags") ?? 0
        return Comparison(
            try expression(left, depth: depth + 1, nodes: &nodes), by: comparator,
            with: try expression(right, depth: depth + 1, nodes: &nodes),
            options: ComparisonOptions(rawValue: UInt8(truncatingIfNeeded: bits & 0x0F)), quantifier: quantifier)
    }

    private static let comparators: [Int: SwormPredicates.Comparator] = [
        0: .less, 1: .lessOrEqual, 2: .greater, 3: .greaterOrEqual, 4: .equal, 5: .notEqual, 6: .matches, 7: .like,
        8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains, 100: .between,
    ]

    // MARK: Expressions

    /// The names of the functions that are steps of key paths. Calls accept them with and without the colon.
    private static let pathSelectors = ["valueForKey:", "valueForKeyPath:", "valueForKey", "valueForKeyPath"]

    /// Returns whether a function is a step of a key path.
    private func isPath(_ object: Object) -> Bool {
        object.className == "NSKeyPathExpression"
            || Self.pathSelectors.contains(archive.string(of: object, field: "NSSelectorName") ?? "")
    }

    private func expression(_ object: Object, depth: Int, nodes: inout Int) throws(ArchiveError) -> ExpressionTree {
        try enter(depth: depth, nodes: &nodes)
        switch archive.int(of: object, field: "NSExpressionType") {
        case 0: return .value(try constant(archive[object, "NSConstantValue"]))
        case 1: return .evaluatedObject
        case 2: return .variable(archive.string(of: object, field: "NSVariable") ?? "")
        case 3, 4:
            guard isPath(object) else { return try call(object, depth: depth, nodes: &nodes) }
            let base = try archive.object(of: object, field: "NSOperand").map { operand throws(ArchiveError) in
                try expression(operand, depth: depth + 1, nodes: &nodes)
            }
            let path: ExpressionTree = try keys(of: object, &nodes).reduce(base ?? .evaluatedObject) { .key($0, $1) }
            // Each step may have many keys, so that the steps within the limit of depth can exceed it together.
            guard !path.isTooDeep else { throw ArchiveError("it has a path that is too long") }
            return path
        case 10: return .path(try keys(archive.string(of: object, field: "NSKeyPath"), nodes: &nodes))
        case 14:
            return .list(try expressions(archive[object, "NSCollection"], depth: depth, nodes: &nodes))
        default: throw ArchiveError("it has an expression of the kind \(object.className)")
        }
    }

    private func keys(of path: Object, _ nodes: inout Int) throws(ArchiveError) -> [String] {
        var result: [String] = []
        for value in archive.elements(archive[path, "NSArguments"]).prefix(Self.depthLimit) {
            guard case .object(let argument) = value else { continue }
            let text =
                archive.string(of: argument, field: "NSKeyPath")
                ?? archive.string(of: argument, field: "NSConstantValue")
            result += try keys(text, nodes: &nodes)
        }
        guard result.count <= Self.depthLimit else { throw ArchiveError("it has a path that is too long") }
        return result
    }

    /// Returns the keys of a key path string. Each key is a level of the expression.
    private func keys(_ text: String?, nodes: inout Int) throws(ArchiveError) -> [String] {
        let text = text ?? ""
        guard text.utf8.count <= 100 * Self.depthLimit else { throw ArchiveError("it has a path that is too long") }
        let keys = text.split(separator: ".").map(String.init)
        nodes += keys.count
        guard keys.count <= Self.depthLimit else { throw ArchiveError("it has a path that is too long") }
        return keys
    }

    private func call(_ object: Object, depth: Int, nodes: inout Int) throws(ArchiveError) -> ExpressionTree {
        let name = archive.string(of: object, field: "NSSelectorName") ?? ""
        let arguments = try expressions(archive[object, "NSArguments"], depth: depth, nodes: &nodes)
        switch PredicateTree.call(name, with: arguments) {
        case .success(let tree): return tree
        case .failure(let error): throw ArchiveError(error.description)
        }
    }

    private func expressions(
        _ value: KeyedArchive.Value, depth: Int, nodes: inout Int
    ) throws(ArchiveError) -> [ExpressionTree] {
        var result: [ExpressionTree] = []
        for element in archive.elements(value) {
            guard case .object(let object) = element else {
                result.append(.value(try constant(element)))
                continue
            }
            result.append(try expression(object, depth: depth + 1, nodes: &nodes))
        }
        return result
    }

    private func constant(_ value: KeyedArchive.Value) throws(ArchiveError) -> AttributeValue {
        switch value {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .int(let number): return .int(number)
        case .real(let number): return .double(number)
        case .string(let text): return .string(text)
        case .data(let data): return .data(data)
        case .list: throw ArchiveError("it has a list where a value is expected")
        case .object(let object):
            if let text = archive.string(value) { return .string(text) }
            if object.className == "NSDate", case .real(let seconds) = archive[object, "NS.time"] {
                return .date(.init(timeIntervalSinceReferenceDate: seconds))
            }
            throw ArchiveError("it has a constant of the class \(object.className)")
        }
    }
}
