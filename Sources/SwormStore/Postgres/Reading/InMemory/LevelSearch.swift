#if PostgreSQL
import SwormPostgres
import SwormPredicates
import SwormRows

/// The rows of a level of trees that have no exact statement: they are found in memory, and then read by their keys.
struct LevelSearch {
    private let level: TreeLevel
    private let session: PostgresSession
    private let connection: PostgresConnection
    private let search: RowSearch
    /// The rows that are still to be read, with their owners for members.
    private var rest: ArraySlice<(key: Int64, owner: Int64)>
    private let hasOwners: Bool
    /// The computed columns; nil if no column is computed.
    private let expressions: PreparedProjection?

    init(
        _ level: TreeLevel, leavingComputations leavesComputations: Bool = false, because reason: NotExact? = nil,
        in session: PostgresSession, on connection: PostgresConnection
    ) throws {
        self.level = level
        self.session = session
        self.connection = connection
        var names = ReadNames()
        for expression in level.expressions { names.add(expression) }
        _ = try session.schema.reading.validator.level(level)
        try session.requireAllowed(level, leavingComputations: leavesComputations)
        func search(_ request: FetchSpecification, among keys: [Int64]? = nil) throws -> RowSearch {
            try session.search(
                request, leavingComputations: leavesComputations, reading: names, among: keys, because: reason,
                on: connection)
        }
        switch level.source {
        case .request:
            hasOwners = false
            self.search = try search(level.fetch)
            rest = try self.search.matchingKeys().map { ($0, 0) }[...]
        case .keys(let keys):
            hasOwners = false
            self.search = try search(level.fetch, among: keys)
            rest = try self.search.matchingKeys().map { ($0, 0) }[...]
        case .members(let owner, let relationship, let owners, _):
            hasOwners = true
            let members = try session.members(ofRelationship: relationship, entity: owner, owners: owners)
            // The limit and the offset count for each owner.
            var request = level.fetch
            (request.limit, request.offset) = (0, 0)
            self.search = try search(request, among: Set(members.map(\.destination.key)).sorted())
            rest = try Self.chosen(members, matching: self.search.matchingKeys(), for: level.fetch)[...]
        }
        expressions =
            level.expressions.isEmpty
            ? nil
            : try PreparedProjection(
                ProjectionTree(level.expressions).roundingDates(
                    in: session.compiler.layout, model: session.store.model, entity: level.fetch.entity))
    }

    /// Returns the members that match, by owner and in the order of a request.
    ///
    /// - Parameters:
    ///   - members: All members, by owner and in the order of the relationship.
    ///   - keys: The keys of the members that match, in the order of the request.
    private static func chosen(
        _ members: [StoreMember], matching keys: [Int64], for request: FetchSpecification
    ) -> [(key: Int64, owner: Int64)] {
        var ranks: [Int64: Int] = [:]
        for (rank, key) in keys.enumerated() { ranks[key] = rank }
        var result: [(key: Int64, owner: Int64)] = []
        var start = 0
        while start < members.count {
            let owner = members[start].owner
            let end = members[start...].firstIndex { $0.owner != owner } ?? members.count
            var found = members[start..<end].compactMap { member in
                ranks[member.destination.key].map { (key: member.destination.key, rank: $0) }
            }
            if !request.sorts.isEmpty { found.sort { $0.rank < $1.rank } }
            let chosen = found.dropFirst(request.offset).prefix(request.limit > 0 ? request.limit : found.count)
            result += chosen.map { ($0.key, owner) }
            start = end
        }
        return result
    }

    /// Leaves out the first rows.
    mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }

    /// Returns the next rows, with the columns of the level; nil after the last one.
    mutating func next(_ size: Int) throws -> PostgresResult? {
        guard !rest.isEmpty else { return nil }
        let portion = rest.prefix(size)
        rest = rest.dropFirst(size)
        let keys = portion.map(\.key)
        let values = try connection.run(
            SQLStatement(
                session.compiler.values(level.fetch, attributes: level.columns, inOrderOf: keys)))
        guard expressions != nil || hasOwners else { return values }
        let computed = try expressions?.rows(of: search.rows(withKeys: keys))
        // The owners and the computed values belong to the rows by their positions.
        guard values.rowCount == keys.count, computed?.count ?? keys.count == keys.count else {
            throw ServerError(
                .server,
                "the server no longer returns rows that it has just found in the same state; a policy for rows may depend on more than that state"
            )
        }
        let types = computed.map { ComputedColumns.types(of: $0, count: level.expressions.count) } ?? []
        let columns = 0..<values.columnCount
        var maker = try ResultMaker(
            columns.map { values.type(ofColumn: $0) } + types + (hasOwners ? [.int8] : []))
        for (row, (_, owner)) in zip(0..<values.rowCount, portion) {
            try maker.append(row: row, columns: columns, of: values)
            for (value, type) in zip(computed?[row] ?? [], types) {
                try maker.append(ComputedColumns.value(value, as: type))
            }
            if hasOwners { try maker.append(.integer(owner)) }
        }
        return try maker.finish()
    }
}
#endif
