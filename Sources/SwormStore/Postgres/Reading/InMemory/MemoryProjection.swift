#if PostgreSQL
import SwormPostgres
import SwormPredicates
import SwormRows

/// The rows of a projection that are computed in memory, as for unsaved objects.
///
/// Plain rows are computed in portions. Groups and distinct rows need all rows that the request finds.
final class MemoryProjection {
    private let columns: [ProjectedColumn]
    private let prepared: PreparedProjection
    private let search: RowSearch
    private let session: PostgresSession
    /// The keys of plain rows that are still to be computed.
    private var keys: ArraySlice<Int64> = []
    /// The rows of groups and of distinct values that are still to be returned.
    private var rows: ArraySlice<[AttributeValue]> = []

    /// - Parameters:
    ///   - leavesComputations: Whether a statement that computes numbers has failed.
    ///   - skipped: The number of rows to leave out.
    ///   - reason: The reason why there is no statement.
    init(
        _ projection: ProjectionSpecification, columns: [ProjectedColumn],
        leavingComputations leavesComputations: Bool = false, skipping skipped: Int = 0, because reason: NotExact,
        in session: PostgresSession, on connection: PostgresConnection
    ) throws {
        self.columns = columns
        self.session = session
        var tree = projection.tree
        tree.having = try tree.having?.substituting(projection.variables.mapValues { .expression($0) })
        tree = tree.roundingDates(
            in: session.compiler.layout, model: session.store.model, entity: projection.fetch.entity)
        prepared = try PreparedProjection(tree)
        var names = ReadNames()
        for expression in tree.columns + tree.groups + tree.sorts.map(\.expression) { names.add(expression) }
        if let having = tree.having { names.add(having) }
        var request = projection.fetch
        // The limit and the offset of groups and of distinct rows apply after these are complete.
        var (limit, offset) = (tree.groupLimit, tree.groupOffset)
        if tree.form == .distinct {
            (limit, offset) = (request.limit > 0 ? request.limit : nil, request.offset)
            (request.limit, request.offset) = (0, 0)
        }
        search = try session.search(
            request, leavingComputations: leavesComputations, reading: names, because: reason, on: connection)
        guard tree.form != .plain else {
            keys = try search.matchingKeys().dropFirst(skipped)
            return
        }
        let token = session.token
        let all = try prepared.rows(of: search.matches { $0 }) { if let failure = token.failure { throw failure } }
        rows = all.dropFirst(offset).prefix(limit ?? .max).dropFirst(skipped)
    }

    /// Returns the next rows; nil after the last one.
    func next() throws -> PostgresResult? {
        if !keys.isEmpty {
            let portion = Array(keys.prefix(ResultSizes.portion))
            keys = keys.dropFirst(portion.count)
            return try result(prepared.rows(of: search.rows(withKeys: portion)))
        }
        guard !rows.isEmpty else { return nil }
        defer { rows = [] }
        return try result(Array(rows))
    }

    private func result(_ rows: [[AttributeValue]]) throws -> PostgresResult {
        var types = ComputedColumns.types(of: rows, count: columns.count)
        for (index, column) in columns.enumerated() {
            if case .object = column.content { types[index] = .int8 }
        }
        var maker = try ResultMaker(
            zip(columns, types).flatMap { column, type in
                if case .object = column.content { [type, .int8] } else { [type] }
            })
        for row in rows {
            for (index, value) in row.enumerated() {
                try maker.append(ComputedColumns.value(value, as: types[index]))
                guard case .object = columns[index].content else { continue }
                guard case .object(let reference) = value,
                    let entity = session.store.model.entity(named: reference.entityName)
                else {
                    try maker.append(.null)
                    continue
                }
                try maker.append(.integer(Int64(entity.number)))
            }
        }
        return try maker.finish()
    }
}
#endif
