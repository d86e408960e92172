import Foundation
import SwormPredicates

extension PredicateExpressions.SequenceContains: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (container, element) = (try translator.operand(sequence), try translator.operand(element))
        if let folded = try translator.folded(self, parts: container, element) { return folded }
        switch container {
        case .constant:
            let elements = try sequence.evaluate(translator.bindings).map { withoutOptionals($0) }
            return .boolean(try translator.membership(of: element, in: elements))
        case .rows(let tree, _, _):
            guard !element.isConstant else {
                throw translator.issue("a Row contains no data; use `contains { $0.objectID == id }`")
            }
            return .predicate(.comparison(Comparison(try translator.expression(of: element), by: .in, with: tree)))
        case .value where LHS.Output.self is any StringProtocol.Type:
            return .boolean(try translator.search(container, by: .contains, for: element))
        default:
            throw translator.issue(
                "`contains` searches in `\(try translator.expression(of: container).format)`, which is stored as a "
                    + "whole; it takes a list, a to-many relation or a string")
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let container = try translator.operand(sequence)
        if container.isConstant {
            let elements = try translator.elements(sequence)
            return .boolean(
                translator.disjunction(
                    try elements.map { try translator.predicate(test, variable: variable, element: $0) }))
        }
        let (rows, _) = try translator.rows(of: container, "contains(where:)") { translator, row in
            translator.variables[variable.key] = row
            return try translator.predicate(test)
        }
        return .predicate(.comparison(Comparison(.key(rows, "@count"), by: .greater, with: .value(.int(0)))))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let container = try translator.operand(sequence)
        if container.isConstant {
            let elements = try translator.elements(sequence)
            return .boolean(
                translator.conjunction(
                    try elements.map { try translator.predicate(test, variable: variable, element: $0) }))
        }
        let (rows, _) = try translator.rows(of: container, "allSatisfy") { translator, row in
            translator.variables[variable.key] = row
            return translator.negation(try translator.predicate(test))
        }
        return .predicate(.comparison(Comparison(.key(rows, "@count"), by: .equal, with: .value(.int(0)))))
    }
}

extension PredicateExpressions.Filter: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let container = try translator.operand(sequence)
        if container.isConstant {
            let tests = try translator.elements(sequence).map {
                try translator.predicate(filter, variable: variable, element: $0)
            }
            let isConstant = tests.allSatisfy { $0 == .constant(true) || $0 == .constant(false) }
            guard isConstant else {
                throw translator.issue(
                    "`filter` of a captured list cannot use values of the row; use `contains(where:)` of the list")
            }
            return .constant(try evaluate(translator.bindings))
        }
        let (rows, type) = try translator.rows(of: container, "filter") { translator, row in
            translator.variables[variable.key] = row
            return try translator.predicate(filter)
        }
        return .rows(rows, type, isOrdered: false)
    }
}

extension PredicateTranslator {
    /// The maximum size of a list that is expanded element by element.
    private static var expandedSize: Int { 1000 }

    /// Returns the elements of a captured list.
    fileprivate func elements<List: PredicateExpression>(_ list: List) throws -> [List.Output.Element]
    where List.Output: Sequence {
        let elements = Array(try list.evaluate(bindings).prefix(Self.expandedSize + 1))
        guard elements.count <= Self.expandedSize else {
            throw issue(
                "a condition on each element of a captured list is expanded for each element, and there are more than "
                    + "\(Self.expandedSize); use `list.contains($0.year)`")
        }
        return elements
    }

    /// Translates a test for one element of a captured list.
    fileprivate mutating func predicate<Element>(
        _ test: some PredicateExpression, variable: PredicateExpressions.Variable<Element>, element: Element
    ) throws -> PredicateTree {
        bindings[variable] = element
        variables[variable.key] = .constant(withoutOptionals(element))
        return try predicate(test)
    }

    /// Returns the rows of a relation that pass a test.
    fileprivate mutating func rows(
        of container: PredicateOperand, _ name: String,
        passing test: (inout PredicateTranslator, PredicateOperand) throws -> PredicateTree
    ) throws -> (ExpressionTree, RowType) {
        guard case .rows(let tree, let type, _) = container else {
            throw issue("`\(name)` takes a to-many relation or a captured list")
        }
        let name = freshVariable()
        let condition = try test(&self, .row(.variable(name), type, isOptional: false))
        if condition == .constant(true) { return (tree, type) }
        return (.subquery(tree, naming: name, where: condition), type)
    }

    /// Returns a predicate that tests whether a value is among constants.
    fileprivate func membership(of element: PredicateOperand, in constants: [Any?]) throws -> PredicateTree {
        let values = try constants.map { try attributeValue(of: $0) }
        // NaN equals nothing, so that no list contains it; a store would treat it as nil.
        let present = values.filter { $0 != .null && !$0.isNotANumber }
        let tree = try expression(of: element)
        let isMember = PredicateTree.comparison(Comparison(tree, by: .in, with: .list(present.map { .value($0) })))
        guard let presence = element.presence else { return present.isEmpty ? .constant(false) : isMember }
        if values.contains(.null) {
            let isNil = negation(presence)
            return present.isEmpty ? isNil : .or([isNil, isMember])
        }
        return present.isEmpty ? .constant(false) : conjunction([presence, isMember])
    }
}
