/// The columns to read from the rows, or groups of rows, that a request finds.
package struct ProjectionTree: Sendable, Hashable {
    package struct Sort: Sendable, Hashable {
        package var expression: ExpressionTree
        package var ascending: Bool
        /// The comparison of strings.
        package var options: ComparisonOptions

        package init(_ expression: ExpressionTree, ascending: Bool = true, options: ComparisonOptions = []) {
            self.expression = expression
            self.ascending = ascending
            self.options = options
        }
    }

    package var columns: [ExpressionTree]
    /// The expressions by which rows are grouped. Without any, if all columns are aggregates, all rows form one group.
    package var groups: [ExpressionTree] = []
    /// The condition that groups must satisfy.
    package var having: PredicateTree?
    /// Whether each combination of values is returned once.
    package var isDistinct = false
    /// The order of groups, or of distinct values. Plain rows have the order of their request.
    package var sorts: [Sort] = []
    /// The maximum number of groups; nil for all. The limit of the request applies to the rows that are grouped.
    package var groupLimit: Int?
    /// The number of groups to skip.
    package var groupOffset = 0

    package init(_ columns: [ExpressionTree]) { self.columns = columns }

    /// The relation of result rows to the rows of the request.
    package enum Form: Sendable, Hashable {
        /// One result row for each row.
        case plain
        /// One result row for equal rows.
        case distinct
        /// One result row for each group.
        case grouped
        /// One result row for all rows.
        case total
    }

    package var form: Form {
        if !groups.isEmpty { return .grouped }
        if columns.contains(where: { TreeNode.expression($0).hasAggregate }) { return .total }
        return isDistinct ? .distinct : .plain
    }

    /// The order including the tiebreakers: the group keys, or all columns.
    package var completeSorts: [Sort] {
        var result = sorts
        let rest = isDistinct ? columns : groups
        for expression in rest where !result.contains(where: { $0.expression == expression && $0.options.isEmpty }) {
            result.append(Sort(expression))
        }
        return result
    }

    /// Throws an error if a column has no single value for its row or group.
    package func validate() throws(QueryError) {
        guard !columns.isEmpty else {
            throw QueryError(.unsupported, "nothing is selected; select at least one attribute")
        }
        guard having == nil || !groups.isEmpty else {
            throw QueryError(.unsupported, "a condition on groups needs a grouping")
        }
        for group in groups where TreeNode.expression(group).hasAggregate {
            throw QueryError(.unsupported, "`\(group.format)` is an aggregate; rows cannot be grouped by it")
        }
        if form == .grouped || form == .total {
            for expression in columns + sorts.map(\.expression) { try requireOfGroup(.expression(expression)) }
            if let having { try requireOfGroup(.predicate(having)) }
        }
        if isDistinct {
            for sort in sorts where !columns.contains(sort.expression) {
                throw QueryError(
                    .unsupported,
                    "distinct values cannot be sorted by `\(sort.expression.format)`, which is not selected"
                )
            }
        }
    }

    private func requireOfGroup(_ node: TreeNode) throws(QueryError) {
        var stack = [node]
        while let node = stack.popLast() {
            guard case .expression(let expression) = node else {
                stack += node.children
                continue
            }
            if groups.contains(expression) { continue }
            if let (_, operand) = expression.rowAggregate {
                if let operand, TreeNode.expression(operand).hasAggregate {
                    throw QueryError(.unsupported, "`\(expression.format)` is an aggregate of an aggregate")
                }
                continue
            }
            switch expression {
            case .key, .evaluatedObject, .subquery, .index:
                throw QueryError(
                    .unsupported,
                    "`\(expression.format)` has many values for a group: it is neither an aggregate nor grouped by")
            default: stack += node.children
            }
        }
    }
}

extension TreeNode {
    /// Whether the tree contains an aggregate over rows.
    var hasAggregate: Bool {
        var stack = [self]
        while let node = stack.popLast() {
            if case .expression(let expression) = node, expression.rowAggregate != nil { return true }
            stack += node.children
        }
        return false
    }
}
