package import Foundation

/// A projection that is ready to be evaluated for objects in memory. Its results are those that a store computes from
/// their rows.
package struct PreparedProjection: Sendable {
    private struct Aggregate {
        let tree: ExpressionTree
        let aggregate: RowAggregate
        let operand: PreparedOperand?
    }

    private let form: ProjectionTree.Form
    private let isDistinct: Bool
    private let aggregates: [Aggregate]
    private let columns: [PreparedOperand]
    private let trees: [ExpressionTree]
    private let groups: [PreparedOperand]
    private let groupTrees: [ExpressionTree]
    private let having: PreparedCondition?
    private let sorts: [(operand: PreparedOperand, sort: ProjectionTree.Sort)]

    package init(_ tree: ProjectionTree, now: Date = Date()) throws {
        try tree.validate()
        form = tree.form
        isDistinct = tree.isDistinct
        var plain = EvaluationPreparer(logic: .sql, now: now)
        plain.isExact = true
        var naming = AggregateNaming()
        let columnTrees = tree.columns.map { naming.rename($0) }
        let sortTrees = tree.completeSorts.map { sort in
            var sort = sort
            sort.expression = naming.rename(sort.expression)
            return sort
        }
        let havingTree = tree.having.map { naming.rename($0) }
        aggregates = try naming.found.map { tree in
            let (aggregate, operand) = tree.rowAggregate ?? (.count, nil)
            return Aggregate(tree: tree, aggregate: aggregate, operand: try operand.map(plain.prepare))
        }
        var inGroup = plain
        inGroup.locals = naming.found.indices.map(AggregateNaming.name)
        trees = tree.columns
        columns = try columnTrees.map { try inGroup.prepare($0) }
        groupTrees = tree.groups
        groups = try tree.groups.map(plain.prepare)
        having = try havingTree.map { try inGroup.prepare($0) }
        sorts = try sortTrees.map { (try inGroup.prepare($0.expression), $0) }
    }

    /// Returns the rows of the projection: in the order of the objects if each results in one row, otherwise sorted.
    ///
    /// - Parameters:
    ///   - subjects: The objects that the request finds; for groups and for distinct rows, in any order and without a
    ///     limit.
    ///   - check: A closure that is called regularly, so that a long evaluation can be stopped.
    package func rows(of subjects: [any EvaluationSubject], check: () throws -> Void = {}) throws -> [[AttributeValue]]
    {
        var scopes: [EvaluationScope]
        switch form {
        case .plain, .distinct: scopes = subjects.map { EvaluationScope(subject: .object($0)) }
        case .total: scopes = [try scope(of: subjects)]
        case .grouped:
            scopes = try grouped(subjects).map { try scope(of: $0) }
            if let having { scopes = try scopes.filter { try having.value(in: $0) == true } }
        }
        var rows: [(values: [AttributeValue], keys: [AttributeValue])] = []
        var seen: Set<[RowKey]> = []
        for (index, scope) in scopes.enumerated() {
            if index % 256 == 0 { try check() }
            let values = try zip(columns, trees).map { try single($0.value(in: scope), in: $1) }
            if isDistinct, !seen.insert(values.map(RowKey.init)).inserted { continue }
            rows.append((values, try sorts.map { try single($0.operand.value(in: scope), in: $0.sort.expression) }))
        }
        guard form != .plain, form != .total else { return rows.map(\.values) }
        rows.sort { left, right in
            for (index, (_, sort)) in sorts.enumerated() {
                let order = compareForSort(left.keys[index], right.keys[index], options: sort.options)
                if order != .orderedSame { return (order == .orderedAscending) == sort.ascending }
            }
            return false
        }
        return rows.map(\.values)
    }

    private func grouped(_ subjects: [any EvaluationSubject]) throws -> [[any EvaluationSubject]] {
        var places: [[RowKey]: Int] = [:]
        var result: [[any EvaluationSubject]] = []
        for subject in subjects {
            let scope = EvaluationScope(subject: .object(subject))
            let key = try zip(groups, groupTrees).map { RowKey(try single($0.value(in: scope), in: $1)) }
            if let place = places[key] {
                result[place].append(subject)
            } else {
                places[key] = result.count
                result.append([subject])
            }
        }
        return result
    }

    /// Returns the scope of a group: its first object, from which the group's keys are evaluated, and the values of
    /// the aggregates.
    private func scope(of members: [any EvaluationSubject]) throws -> EvaluationScope {
        var scope = EvaluationScope(subject: members.first.map { .object($0) } ?? .null)
        let results = try aggregates.map { aggregate -> EvaluationValue in
            guard let operand = aggregate.operand else { return .value(.int(Int64(members.count))) }
            let values = try members.map { try operand.value(in: EvaluationScope(subject: .object($0))) }
            return try result(aggregate.aggregate, of: values.filter { !$0.isNull }, in: aggregate.tree)
        }
        scope.locals = results
        return scope
    }

    /// Returns the aggregate of the values that are not nil.
    private func result(
        _ aggregate: RowAggregate, of values: [EvaluationValue], in tree: ExpressionTree
    ) throws -> EvaluationValue {
        switch aggregate {
        case .count: return .value(.int(Int64(values.count)))
        case .sum: return try sum(of: values, in: tree, exactly: true)
        case .average: return try average(of: values, count: values.count, in: tree) ?? .null
        case .minimum: return try extreme(of: values, .orderedAscending, in: tree, exactly: true)
        case .maximum: return try extreme(of: values, .orderedDescending, in: tree, exactly: true)
        }
    }

    private func single(_ value: EvaluationValue, in tree: ExpressionTree) throws -> AttributeValue {
        if case .object(let subject) = value, let reference = subject.reference { return .object(reference) }
        guard let single = value.single else { throw mismatch(expected: "a single value", found: value, in: tree) }
        return single
    }
}

/// A value as groups and distinct rows compare values. Decimals are compared with all their digits, as they are
/// stored.
private enum RowKey: Hashable {
    case decimal(Decimal)
    case other(SQLValue)

    init(_ value: AttributeValue) {
        if case .decimal(let decimal) = value { self = .decimal(decimal) } else { self = .other(SQLValue(value)) }
    }
}

/// An assignment of a variable to each aggregate in some trees. Equal aggregates have the same variable.
private struct AggregateNaming {
    private(set) var found: [ExpressionTree] = []

    static func name(_ index: Int) -> String { "rows.\(index)" }

    mutating func rename(_ tree: PredicateTree) -> PredicateTree {
        switch tree {
        case .constant: return tree
        case .and(let parts): return .and(parts.map { rename($0) })
        case .or(let parts): return .or(parts.map { rename($0) })
        case .not(let part): return .not(rename(part))
        case .comparison(var comparison):
            comparison.left = rename(comparison.left)
            comparison.right = rename(comparison.right)
            return .comparison(comparison)
        }
    }

    mutating func rename(_ tree: ExpressionTree) -> ExpressionTree {
        if tree.rowAggregate != nil {
            let index = found.firstIndex(of: tree) ?? found.count
            if index == found.count { found.append(tree) }
            return .variable(Self.name(index))
        }
        switch tree {
        case .value, .evaluatedObject, .variable, .key, .index, .subquery: return tree
        case .list(let items): return .list(items.map { rename($0) })
        case .binary(let operation, let left, let right): return .binary(operation, rename(left), rename(right))
        case .negate(let operand): return .negate(rename(operand))
        case .function(let name, let operands): return .function(name, operands.map { rename($0) })
        case .cast(let operand, let type): return .cast(rename(operand), type)
        case .conditional(let test, let yes, let no): return .conditional(rename(test), rename(yes), rename(no))
        case .set(let word, let left, let right): return .set(word, rename(left), rename(right))
        }
    }
}
