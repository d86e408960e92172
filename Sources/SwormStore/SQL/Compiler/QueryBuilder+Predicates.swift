import SwormPredicates

extension QueryBuilder {
    /// Compiles a predicate to a condition.
    ///
    /// - Parameter exact: Whether NULL must be distinguished from false, as is necessary under NOT.
    func condition(_ predicate: PredicateTree, in context: QueryContext, exact: Bool) throws -> QueryCondition {
        try descend {
            switch predicate {
            case .constant(let value): return .constant(value)
            case .and(let parts):
                return .and(
                    try Self.flattened(parts, isAnd: true).map { try condition($0, in: context, exact: exact) })
            case .or(let parts):
                let either = QueryCondition.or(
                    try Self.flattened(parts, isAnd: false).map { try condition($0, in: context, exact: exact) })
                // A condition on groups does not refer to single rows.
                return exact || allowsAggregates || dialect.infersRows
                    ? either : either.sayingNeeds(key: compiler.system.key)
            case .not(let part): return try condition(part, in: context, exact: true).negated
            case .comparison(let comparison): return try condition(comparison, in: context, exact: exact)
            }
        }
    }

    /// Returns the parts of nested compounds of one kind, in order. Operators nest them as deep as a chain is long.
    static func flattened(_ parts: [PredicateTree], isAnd: Bool) -> [PredicateTree] {
        var pending = Array(parts.reversed())
        var result: [PredicateTree] = []
        while let part = pending.popLast() {
            switch part {
            case .and(let inner) where isAnd: pending += inner.reversed()
            case .or(let inner) where !isAnd: pending += inner.reversed()
            default: result.append(part)
            }
        }
        return result
    }

    /// Compiles a comparison.
    ///
    /// - Parameter source: The comparison of the predicate, if this one is for one of the values that TERNARY chooses in it.
    func condition(
        _ comparison: Comparison, of source: Comparison? = nil, in context: QueryContext, exact: Bool
    ) throws -> QueryCondition {
        if let problem = comparison.problem { throw QueryError(problem.code, problem.message) }
        let source = source ?? comparison
        if let choice = try choice(comparison, of: source, in: context, exact: exact) { return choice }
        let left = try operand(comparison.left, in: context)
        let right = try operand(comparison.right, in: context)
        guard comparison.quantifier != .direct else {
            let (one, other) = convertingMembers(of: source, left, right)
            return try compare(one, by: comparison.comparator, with: other, options: comparison.options, exact: exact)
        }
        guard case .collection(let collection) = left else {
            let (path, entity) = describe(left)
            throw QueryError.quantifierWithoutToMany(path: path, entity: entity)
        }
        let members = try open(collection)
        let (one, other) = convertingMembers(of: source, members.operand, right)
        let test = try compare(
            one, by: comparison.comparator, with: other, options: comparison.options, exact: false)
        if comparison.quantifier == .any { return exists(in: members, where: test) }
        // A member for which the test is unknown does not pass it.
        switch test {
        case .constant(let value): return exists(in: members, where: .constant(!value)).negated
        case .text(let text, _, _): return exists(in: members, where: .atom(dialect.isNotTrue(text))).negated
        }
    }

    /// Returns a condition that is true if a member of a collection passes a test.
    func exists(in members: OpenCollection, where test: QueryCondition) -> QueryCondition {
        switch QueryCondition.and(members.conditions + [test]) {
        case .constant(false): .constant(false)
        case let condition:
            .text("EXISTS (SELECT 1 FROM \(members.scope.text) WHERE \(condition.text(in: dialect)))", .exists)
        }
    }

    /// Returns the path and the entity of an operand, for messages.
    func describe(_ operand: QueryOperand) -> (path: String, entity: String) {
        switch operand {
        case .scalar(let scalar): (scalar.path, scalar.entity)
        case .object(let object): (object.path, model[object.entity].name)
        case .composite(let object, let name):
            (object.path == "SELF" ? name : object.path + "." + name, model[object.entity].name)
        case .collection(let collection): (collection.path, collection.entity)
        case .count(let collection): (collection.path + ".@count", collection.entity)
        case .aggregate(let function, let collection): ("\(function.rawValue) of \(collection.path)", collection.entity)
        case .constant(let value): (value.kindName, "the predicate")
        case .list: ("a list", "the predicate")
        }
    }
}
