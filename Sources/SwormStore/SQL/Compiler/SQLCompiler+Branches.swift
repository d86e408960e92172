import SwormPredicates

// The rows of trees, level by level.
extension SQLCompiler {
    /// Returns a statement for the rows of a level. The columns are the primary key, those of the level, and for
    /// members the owner's key.
    func level(_ level: TreeLevel) throws -> CompiledStatement {
        switch level.source {
        case .request:
            let query = QueryBuilder(self, entity: level.fetch.entity)
            try query.restrict(to: level.fetch)
            return try query.statement(of: level)
        case .keys(let keys):
            let query = QueryBuilder(self, entity: level.fetch.entity)
            query.conditions.append(.atom(dialect.isKey(query.root.key, inArray: keys, in: query)))
            try query.restrict(to: level.fetch)
            return try query.statement(of: level)
        case .members(let owner, let relationship, let owners, _):
            let members = try memberTables(ofRelationship: relationship, in: owner)
            return level.fetch.limit > 0 || level.fetch.offset > 0
                ? try partialMembers(level, in: members, of: owners)
                : try allMembers(level, in: members, of: owners)
        }
    }

    /// Returns a statement for the rows of the members of all owners between two keys, in the order of the table; nil
    /// if the level has conditions or an order, or the members are found by a join table. The columns are those of
    /// ``level(_:)``.
    func memberScan(_ level: TreeLevel, between owners: ClosedRange<Int64>) throws -> CompiledStatement? {
        guard dialect.readsTablesAsTheyLie, case .members(let owner, let relationship, _, true) = level.source,
            level.fetch.predicate == nil, level.fetch.sorts.isEmpty, level.fetch.limit == 0, level.fetch.offset == 0
        else { return nil }
        let members = try memberTables(ofRelationship: relationship, in: owner)
        guard members.join == nil, members.order == nil else { return nil }
        let query = QueryBuilder(self, entity: level.fetch.entity)
        query.restrict(to: members, between: owners)
        try query.restrict(to: level.fetch)
        return try query.statement(of: level, owner: members.owner)
    }

    /// The members of all owners, by one search.
    private func allMembers(
        _ level: TreeLevel, in members: MemberTables, of owners: [Int64], isSorted: Bool = true
    ) throws -> CompiledStatement {
        let query = try search(for: level, in: members) { query in
            dialect.isKey(members.owner, inArray: owners, in: query)
        }
        query.orderings.insert(members.owner, at: 0)
        return try query.statement(of: level, owner: members.owner, isSorted: isSorted)
    }

    /// Returns the statement of ``level(_:)`` without an order, if the rows need only be sorted by their keys; nil for
    /// other levels.
    func unsortedMembers(_ level: TreeLevel) throws -> CompiledStatement? {
        guard case .members(let owner, let relationship, let owners, true) = level.source, level.fetch.sorts.isEmpty,
            level.fetch.limit == 0, level.fetch.offset == 0
        else { return nil }
        let members = try memberTables(ofRelationship: relationship, in: owner)
        guard members.join == nil, members.order == nil else { return nil }
        return try allMembers(level, in: members, of: owners, isSorted: false)
    }

    /// Returns the search for the members of owners, in the order of the level.
    func search(
        for level: TreeLevel, in members: MemberTables, where owner: (QueryBuilder) -> String
    ) throws -> QueryBuilder {
        let query = QueryBuilder(self, entity: level.fetch.entity)
        if let join = members.join { query.join("JOIN \(join) ON \(members.link)") }
        query.conditions.append(.atom(owner(query)))
        try query.restrict(to: level.fetch)
        query.orderings = members.ordered(query.orderings, of: level.fetch)
        return query
    }

    /// The first members of each owner: a search for each, which ends at the limit, and uses an index where there is
    /// one.
    private func partialMembers(
        _ level: TreeLevel, in members: MemberTables, of owners: [Int64]
    ) throws -> CompiledStatement {
        let search = try search(for: level, in: members) { _ in "\(members.owner) = o.value" }
        let found = search.statement(selecting: search.root.key)

        let query = QueryBuilder(self, entity: level.fetch.entity) { query, table in
            let keys = dialect.table(ofKeys: owners, in: query)
            return dialect.join(keys, to: table, key: system.key, found: query.embed(found))
        }
        if let join = members.join, members.order != nil {
            query.join("JOIN \(join) ON \(members.link) AND \(members.owner) = o.value")
        }
        // The search has applied the conditions, the limit and the offset.
        var order = FetchSpecification(entity: level.fetch.entity)
        order.sorts = level.fetch.sorts
        try query.restrict(to: order)
        query.orderings = ["o.key"] + members.ordered(query.orderings, of: level.fetch)
        return try query.statement(of: level, owner: "o.value")
    }

    /// The tables and columns in which the members of a to-many relationship are found.
    struct MemberTables {
        /// The join table with its alias, if there is one.
        var join: String?
        /// The condition that connects a row of the join table with its member.
        var link = ""
        var owner: String
        /// The sort key of an ordered relationship.
        var order: String?

        /// Returns the sort keys of a request, behind the order of the relationship if the request is not sorted.
        func ordered(_ orderings: [String], of request: FetchSpecification) -> [String] {
            request.sorts.isEmpty ? (order.map { [$0] } ?? []) + orderings : orderings
        }
    }

    func memberTables(ofRelationship slot: Int, in number: Int) throws -> MemberTables {
        switch layout.toMany(slot, in: number) {
        case .inverse(let column, let order), .oneWay(let column, let order):
            return MemberTables(
                owner: "t0.\(quoted(column))", order: order.map { dialect.ordering("t0.\(quoted($0))") })
        case .join(let join):
            return MemberTables(
                join: "\(source(of: join)) own", link: "own.\(quoted(join.otherColumn)) = \(rootKey)",
                owner: "own.\(quoted(join.ownColumn))",
                order: join.orderColumn.map { dialect.ordering("own.\(quoted($0))") })
        case nil:
            throw QueryError.unsupported(
                "is not a stored to-many relationship", path: model[number].relationships[slot].name,
                entity: model[number].name)
        }
    }
}

extension QueryBuilder {
    /// Adds the condition that members belong to an owner between two keys. SQLite reads the table for it as it lies.
    func restrict(to members: SQLCompiler.MemberTables, between owners: ClosedRange<Int64>) {
        let (first, last) = (bind(.int64(owners.lowerBound)), bind(.int64(owners.upperBound)))
        // The unary plus keeps SQLite from using the index.
        conditions.append(.atom("+\(members.owner) BETWEEN \(first) AND \(last)"))
    }

    /// Returns the statement for the columns of a level.
    func statement(of level: TreeLevel, owner: String? = nil, isSorted: Bool = true) throws -> CompiledStatement {
        var columns = [root.key]
        for slot in level.columns { columns.append(try compiler.column(slot, of: level.fetch, alias: alias)) }
        isExact = true
        for expression in level.expressions { columns.append(try column(expression).text) }
        if let owner { columns.append(owner) }
        return statement(selecting: columns.joined(separator: ", "), ordered: isSorted)
    }
}
