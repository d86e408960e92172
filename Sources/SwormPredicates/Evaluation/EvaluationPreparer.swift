import Foundation

/// A compiler that turns trees into programs.
struct EvaluationPreparer {
    let logic: NilLogic
    let now: Date
    /// The variables of the enclosing SUBQUERY expressions, outermost first.
    var locals: [String] = []
    /// Whether totals of decimal members keep all digits, as in columns. Conditions add decimals as reals.
    var isExact = false

    // MARK: Predicates

    func prepare(_ tree: PredicateTree) throws -> PreparedCondition {
        switch tree {
        case .constant(let value): return .constant(value)
        case .and: return try prepare(tree.chainParts(and: true), deciding: false)
        case .or: return try prepare(tree.chainParts(and: false), deciding: true)
        case .not(let part):
            switch try prepare(part) {
            case .constant(let value): return .constant(value.map { !$0 })
            case .program(let program): return .program { try program($0).map { !$0 } }
            }
        case .comparison(let comparison): return try prepare(comparison)
        }
    }

    /// Prepares a chain that is decided by one part with the deciding value: false for AND, true for OR.
    private func prepare(_ parts: [PredicateTree], deciding: Bool) throws -> PreparedCondition {
        var programs: [PreparedCondition] = []
        for condition in try parts.map(prepare) {
            if case .constant(let value?) = condition {
                if value == deciding { return .constant(deciding) }
            } else {
                programs.append(condition)
            }
        }
        guard programs.count > 1 else { return programs.first ?? .constant(!deciding) }
        return .program { [programs] scope in
            var result: Bool? = !deciding
            for program in programs {
                guard let value = try program.value(in: scope) else {
                    result = nil
                    continue
                }
                if value == deciding { return deciding }
            }
            return result
        }
    }

    private func prepare(_ comparison: Comparison) throws -> PreparedCondition {
        if let problem = comparison.problem {
            throw QueryError(problem.code, "\(problem.message): `\(PredicateTree.comparison(comparison).format)`")
        }
        // A list that contains a value is the same as a value that is in the list.
        if comparison.comparator == .contains, comparison.quantifier == .direct, case .list = comparison.left {
            return try prepare(
                Comparison(comparison.right, by: .in, with: comparison.left, options: comparison.options))
        }
        let left = try prepare(comparison.left)
        let right = try prepare(comparison.right)
        let prepared = try PreparedComparison(
            comparison, left: left, right: right, items: items(of: comparison), logic: logic)
        guard left.constant != nil, right.constant != nil else { return .program(prepared.evaluate) }
        return .constant(try prepared.evaluate(EvaluationScope(subject: .null)))
    }

    /// Returns the elements of a list literal on the right side.
    private func items(of comparison: Comparison) throws -> [PreparedOperand]? {
        guard case .list(let trees) = comparison.right else { return nil }
        return try trees.map(prepare)
    }

    // MARK: Expressions

    func prepare(_ tree: ExpressionTree) throws -> PreparedOperand {
        switch tree {
        case .value(let value): return .constant(.value(value))
        case .list(let items): return try fold(items) { .list($0) }
        case .evaluatedObject: return .program { $0.subject }
        case .variable(let name):
            guard let slot = locals.lastIndex(of: name) else {
                throw QueryError(.variable, "the variable '$\(name)' has no value")
            }
            return .program { $0.locals[slot] }
        case .key: return try prepareKeyPath(tree)
        case .index(let base, let index): return try prepare(base, at: index, in: tree)
        case .binary(let operation, let left, let right):
            return try fold([left, right]) { try arithmetic(operation, of: $0[0], and: $0[1], in: tree) }
        case .negate(let operand): return try fold([operand]) { try negated($0[0], in: tree) }
        case .function(let name, let operands): return try prepareFunction(name, with: operands, in: tree)
        case .cast(let operand, let name): return try prepareCast(of: operand, to: name, in: tree)
        case .subquery(let collection, let name, let condition):
            return try prepareSubquery(of: collection, variable: name, where: condition, in: tree)
        case .conditional(let condition, let yes, let no):
            return try prepareConditional(if: condition, then: yes, else: no)
        case .set(let operation, let left, let right):
            return try fold([left, right]) { try combined(operation, of: $0[0], and: $0[1], in: tree) }
        }
    }

    /// Prepares the result of a function of some operands, and evaluates it immediately if all of them are constant.
    func fold(
        _ trees: [ExpressionTree], _ body: @escaping @Sendable ([EvaluationValue]) throws -> EvaluationValue
    ) throws -> PreparedOperand {
        let operands = try trees.map(prepare)
        let constants = operands.compactMap(\.constant)
        guard constants.count == operands.count else {
            switch operands.count {
            case 1:
                let operand = operands[0]
                return .program { scope in try body([operand.value(in: scope)]) }
            case 2:
                let (first, second) = (operands[0], operands[1])
                return .program { scope in try body([first.value(in: scope), second.value(in: scope)]) }
            default: return .program { scope in try body(operands.map { try $0.value(in: scope) }) }
            }
        }
        let result = try body(constants.map(\.evaluationValue))
        guard let constant = ConstantValue(result) else { return .program { _ in .null } }
        // A computed nil is not a literal nil: comparisons with it remain undecided.
        return constant == .value(.null) ? .program { _ in .null } : .constant(constant)
    }

    private func prepareCast(of operand: ExpressionTree, to name: String, in tree: ExpressionTree) throws
        -> PreparedOperand
    {
        guard let cast = ValueCast(rawValue: name) else {
            throw QueryError(.unsupported, "a cast to '\(name)' is not supported")
        }
        return try fold([operand]) { operands in
            if cast == .object, case .object = operands[0] { return operands[0] }
            guard let value = operands[0].single, let result = cast.apply(value) else {
                throw QueryError(
                    .typeMismatch, "\(operands[0].kind) cannot be cast to '\(name)': `\(tree.format)`")
            }
            return .value(result)
        }
    }

    private func prepareSubquery(
        of collection: ExpressionTree, variable name: String, where condition: PredicateTree, in tree: ExpressionTree
    ) throws -> PreparedOperand {
        let collection = try prepare(collection)
        var inner = self
        inner.locals.append(name)
        let condition = try inner.prepare(condition)
        return .program { scope in
            let value = try collection.value(in: scope)
            guard let elements = value.elements else {
                throw QueryError(
                    .typeMismatch, "SUBQUERY takes a collection, not \(value.kind): `\(tree.format)`")
            }
            var scope = scope
            scope.locals.append(.null)
            let last = scope.locals.count - 1
            return .list(
                try elements.filter { element in
                    scope.locals[last] = element
                    return try condition.value(in: scope) == true
                })
        }
    }

    private func prepareConditional(
        if condition: PredicateTree, then yes: ExpressionTree, else no: ExpressionTree
    ) throws -> PreparedOperand {
        let condition = try prepare(condition)
        let yes = try prepare(yes)
        let no = try prepare(no)
        if case .constant(let value) = condition {
            let taken = value == true ? yes : no
            return taken.isWrittenNil ? .program { _ in .null } : taken
        }
        return .program { scope in
            try condition.value(in: scope) == true ? yes.value(in: scope) : no.value(in: scope)
        }
    }

    private func prepare(_ base: ExpressionTree, at index: Subscript, in tree: ExpressionTree) throws -> PreparedOperand
    {
        switch index {
        case .first: return try fold([base]) { try collection($0[0], in: tree).first ?? .null }
        case .last: return try fold([base]) { try collection($0[0], in: tree).last ?? .null }
        case .size: return try fold([base]) { .value(.int(Int64(try collection($0[0], in: tree).count))) }
        case .expression(let index):
            return try fold([base, index]) { operands in
                if case .value(.string(let key)) = operands[1] { return try keyed(operands[0], by: key, in: tree) }
                let elements = try collection(operands[0], in: tree)
                guard let position = try wholeNumber(operands[1], in: tree) else {
                    throw QueryError(
                        .typeMismatch, "an index must be a whole number, not \(operands[1].kind): `\(tree.format)`")
                }
                return elements.indices.contains(position) ? elements[position] : .null
            }
        }
    }
}
