import SwormPredicates

extension SQLCompiler {
    /// Compiles a projection.
    ///
    /// - Throws: An error for an unknown or to-many key, and for a column that has no single value for its group.
    func projection(_ request: ProjectionSpecification) throws -> CompiledProjection {
        let tree = request.tree
        try tree.validate()
        let query = QueryBuilder(self, entity: request.fetch.entity)
        let form = tree.form
        var fetch = request.fetch
        if form == .grouped || form == .total {
            let isPart = fetch.limit > 0 || fetch.offset > 0
            if isPart {
                // Restricts the rows by their keys, because a limit after an aggregate would apply to the aggregate's
                // results.
                fetch = FetchSpecification(entity: fetch.entity)
                let rows = QueryBuilder(self, entity: fetch.entity)
                try rows.restrict(to: request.fetch)
                let keys = query.embed(rows.statement(selecting: rows.root.key))
                query.conditions.append(.atom("\(query.root.key) IN (\(keys))"))
            }
            if form == .grouped { (fetch.limit, fetch.offset) = (tree.groupLimit ?? 0, tree.groupOffset) }
            try query.restrict(to: fetch, sorted: false)
        } else {
            try query.restrict(to: fetch, sorted: form == .plain)
        }
        query.isExact = true
        if dialect.comparesExpressionsByText { try query.share(tree.groups) }
        query.groups = try tree.groups.map { try query.grouping($0) }
        query.isDistinct = tree.isDistinct
        query.allowsAggregates = true
        if dialect.comparesExpressionsByText, tree.isDistinct { try query.share(tree.columns) }
        var texts: [String] = []
        let columns = try tree.columns.map { expression in
            let (text, column) = try query.column(expression)
            texts.append(text)
            if tree.isDistinct { try query.requireComparable(column) }
            return column
        }
        if let having = tree.having { query.having = try query.having(having, naming: request.variables) }
        if form == .grouped || form == .distinct {
            try query.sort(by: tree.completeSorts, columns: texts)
        }
        let statement = query.statement(selecting: texts.joined(separator: ", "), ordered: form != .total)
        return CompiledProjection(statement: statement, columns: columns)
    }
}

extension QueryBuilder {
    private var context: QueryContext { QueryContext(object: root) }

    fileprivate func grouping(_ expression: ExpressionTree) throws -> String {
        let (text, column) = try column(expression)
        try requireComparable(column)
        return text
    }

    /// Throws an error for binary data that may be stored in a file, which cannot be compared without being read.
    fileprivate func requireComparable(_ column: ProjectedColumn) throws {
        guard column.content == .externalData else { return }
        throw QueryError.unsupported(
            "can be stored externally, so the store cannot compare its values", path: column.path,
            entity: model[root.entity].name)
    }

    /// Returns an expression as a column, with all digits of a decimal.
    func column(_ expression: ExpressionTree) throws -> (text: String, column: ProjectedColumn) {
        let operand = try operand(expression, in: context)
        if case .object(let object) = operand {
            let number = compiler.entityNumber(of: object.entity, alias: row(of: object))
            return (
                "\(object.key), \(number)",
                ProjectedColumn(content: .object(object.entity), path: describe(operand).path)
            )
        }
        let scalar = try scalar(operand)
        let content: ProjectedColumn.Content = scalar.isExternal ? .externalData : .value(scalar.attributeType)
        return (try dialect.column(scalar), ProjectedColumn(content: content, path: scalar.path))
    }

    fileprivate func having(
        _ predicate: PredicateTree, naming variables: [String: ExpressionTree]
    ) throws -> QueryCondition {
        var context = context
        for name in predicate.freeVariables {
            guard let expression = variables[name] else { continue }
            context.variables[name] = try operand(expression, in: context)
        }
        return try condition(predicate, in: context, exact: false)
    }

    /// Adds the order of groups, or of distinct values.
    fileprivate func sort(by sorts: [ProjectionTree.Sort], columns: [String]) throws {
        for sort in sorts {
            let text = try sortKey(of: sort)
            if isDistinct, dialect.comparesExpressionsByText,
                !columns.contains(where: { $0 == text || $0.hasPrefix(text + ", ") })
            {
                // Distinct rows can only be sorted by what is selected, and groups by what is computed from it.
                guard groups.isEmpty else {
                    throw NotExact(.distinctOrder, path: sort.expression.format, entity: model[root.entity].name)
                }
                (isDistinct, groups) = (false, columns)
            }
            orderings.append(dialect.ordering(text, ascending: sort.ascending, key: root.key))
        }
    }

    private func sortKey(of sort: ProjectionTree.Sort) throws -> String {
        var operand = try operand(sort.expression, in: context)
        // Groups can be the same for all rows, or totals of members.
        switch operand {
        case .constant(.object): break
        case .constant, .aggregate: operand = .scalar(try scalar(operand))
        default: break
        }
        guard case .scalar(let scalar) = operand else { return try orderingText(of: operand, options: sort.options) }
        // The same text as that of the column.
        if dialect.comparesExpressionsByText, scalar.kind?.isText != true { return try dialect.column(scalar) }
        // Bytes have an order, although without a meaning, which is sufficient to distinguish groups.
        if scalar.kind == nil { return scalar.sql }
        return try orderingText(of: operand, options: sort.options)
    }
}

extension QueryScalar {
    /// The type of the value if nothing else determines it.
    fileprivate var attributeType: AttributeType {
        switch kind {
        case .integer: .integer64
        case .boolean: .boolean
        case .real: .double
        // A number can be an integer or a real, depending on the row.
        case .number: .undefined
        case .decimal: .decimal
        case .text: .string
        case .uri: .uri
        case .date: .date
        case .uuid: .uuid
        case .data, nil: .binaryData
        }
    }
}
