import SwormPredicates

/// The statements by which the first members of owners are chosen without a search for each owner.
struct MemberChoice {
    /// The search for the members of one owner, which shows whether an index has them in order.
    var search: CompiledStatement
    /// The owners, the keys and the sort values of the members of all owners, in the order of the table.
    var candidates: CompiledStatement
    /// Whether the order of each sort value is descending.
    var descending: [Bool]
}

extension SQLCompiler {
    /// Returns the statements by which the first members of all owners between two keys are chosen; nil if the level
    /// has no limit or is sorted by anything but numbers and dates, or the members are found by a join table.
    func memberChoice(_ level: TreeLevel, between owners: ClosedRange<Int64>) throws -> MemberChoice? {
        guard dialect.readsTablesAsTheyLie, case .members(let owner, let relationship, _, _) = level.source,
            level.fetch.limit > 0
        else { return nil }
        let members = try memberTables(ofRelationship: relationship, in: owner)
        guard members.join == nil, level.fetch.sorts.allSatisfy({ isNumber($0, in: level.fetch.entity) }) else {
            return nil
        }
        let search = try search(for: level, in: members) { "\(members.owner) = \($0.bind(.int64(owners.lowerBound)))" }
        var fetch = level.fetch
        (fetch.limit, fetch.offset) = (0, 0)
        let query = QueryBuilder(self, entity: fetch.entity)
        query.restrict(to: members, between: owners)
        try query.restrict(to: fetch)
        // The last term is the key, which decides between members with equal values.
        let terms = members.ordered(query.orderings, of: fetch).dropLast()
        let isDescending = terms.map { $0.hasSuffix(" DESC") }
        let values = zip(terms, isDescending).map { $1 ? String($0.dropLast(" DESC".count)) : $0 }
        let columns = [members.owner, query.root.key] + values
        return MemberChoice(
            search: search.statement(selecting: search.root.key),
            candidates: query.statement(selecting: columns.joined(separator: ", "), ordered: false),
            descending: isDescending)
    }

    /// Returns a statement for the rows of members with the given keys, in the order of the keys. The columns are those
    /// of ``level(_:)``.
    func members(_ level: TreeLevel, withKeys keys: [Int64]) throws -> CompiledStatement? {
        guard case .members(let owner, let relationship, _, _) = level.source else { return nil }
        let members = try memberTables(ofRelationship: relationship, in: owner)
        let query = QueryBuilder(self, entity: level.fetch.entity) { query, table in
            let list = dialect.table(ofKeys: keys, in: query)
            return dialect.join(list, to: table, on: "\(query.root.key) = o.value")
        }
        query.orderings = ["o.key"]
        return try query.statement(of: level, owner: members.owner)
    }

    private func isNumber(_ sort: FetchSpecification.Sort, in entity: Int) -> Bool {
        guard sort.path.count == 1, let attribute = model[entity].attributes.first(where: { $0.name == sort.path[0] })
        else {
            return false
        }
        return attribute.type.valueKind.map { $0.isNumber || $0 == .date } ?? false
    }
}
