#if PostgreSQL
import SwormPostgres
import SwormPredicates

extension ServerSave {
    /// The members of one owner, in an order that the save changes.
    private struct OrderedList: Hashable {
        var column: OrderColumn
        var owner: Int64
    }

    /// Writes the order keys of the request. Skips members that now have another owner.
    func writePositions() throws {
        guard !request.positions.isEmpty else { return }
        struct Place: Hashable {
            var owner: Int64
            var member: Int64
        }
        awaitsNotes = write.history != nil
        var positions: [OrderColumn: [Place: Int64]] = [:]
        var links: [OrderColumn: SaveRequest.Link] = [:]
        var owners: [OrderedList: (owner: RowID, relationship: Int)] = [:]
        for position in request.positions {
            let link = position.link
            guard let column = orderColumn(of: link) else {
                let entity = model[link.owner.entity]
                let name = entity.relationships[link.relationship].name
                throw CoreDataError(
                    NSPersistentStoreSaveError, "'\(entity.name).\(name)' is not ordered and has no positions.",
                    entity: entity.name, key: name)
            }
            let owner = try key(link.owner)
            links[column] = link
            positions[column, default: [:]][Place(owner: owner, member: try key(link.destination))] = position.orderKey
            // No other context can change the list of a new owner.
            if link.owner.key >= 0 {
                owners[OrderedList(column: column, owner: owner)] = (link.owner, link.relationship)
            }
        }
        var written: [OrderedList: Set<Int64>] = [:]
        for (column, places) in positions.sorted(by: { ($0.key.table, $0.key.order) < ($1.key.table, $1.key.order) }) {
            let list = places.sorted { ($0.key.owner, $0.key.member) < ($1.key.owner, $1.key.member) }
            addAssignment(
                list.map { (member: $0.key.member, owner: $0.key.owner, order: $0.value) }, column
            ) { [self] owner, member in
                written[OrderedList(column: column, owner: owner), default: []].insert(member)
                guard let notes = write.history, let link = links[column] else { return }
                // Another order does not change the members.
                let entity = model[link.owner.entity]
                notes.change(
                    .init(root: entity.root, key: owner),
                    properties: [entity.relationships[link.relationship].name])
            }
        }
        guard !owners.isEmpty else { return }
        var shared: Set<OrderedList> = []
        let lists = Dictionary(grouping: owners.keys, by: \.column)
        try send(
            followedBy: lists.map { column, lists in
                let parameters = Parameters()
                parameters.append(keys: lists.map(\.owner))
                return ServerWrite.Step(
                    "SELECT DISTINCT \(column.owner) FROM (SELECT \(column.owner) FROM \(column.table) WHERE \(column.owner) = ANY($1) AND \(column.order) IS NOT NULL GROUP BY \(column.owner), \(column.order) HAVING count(*) > 1) AS s",
                    with: parameters
                ) { for owner in try $0.keys() { shared.insert(OrderedList(column: column, owner: owner)) } }
            })
        // Only lists in which the save has changed a position.
        for list in shared.sorted(by: {
            ($0.column.table, $0.column.order, $0.owner) < ($1.column.table, $1.column.order, $1.owner)
        }) {
            guard let members = written[list], let (owner, relationship) = owners[list] else { continue }
            try separate(members, in: list)
            result.rearranged.append((owner, relationship))
        }
    }

    /// Assigns new order keys to members whose keys other contexts have used since the request was created.
    private func separate(_ written: Set<Int64>, in list: OrderedList) throws {
        let column = list.column
        var members: [(key: Int64, order: Int64)] = []
        let parameters = Parameters()
        parameters.append(list.owner)
        try write.run([
            ServerWrite.Step(
                "SELECT \(column.member), \(column.order) FROM \(column.table) WHERE \(column.owner) = $1 AND \(column.order) IS NOT NULL",
                with: parameters
            ) { result in
                for row in 0..<result.rowCount {
                    guard let key = try result.int64(row, column: 0), let order = try result.int64(row, column: 1)
                    else {
                        continue
                    }
                    members.append((key, order))
                }
            }
        ])
        let moved = OrderKeys.separated(members, moving: written)
        addAssignment(moved.map { (member: $0.key, owner: list.owner, order: $0.order) }, column)
    }

    private func addAssignment(
        _ places: [(member: Int64, owner: Int64, order: Int64)], _ column: OrderColumn,
        found: @escaping (_ owner: Int64, _ member: Int64) -> Void = { _, _ in }
    ) {
        let parameters = Parameters()
        parameters.append(keys: places.map(\.member))
        parameters.append(keys: places.map(\.owner))
        parameters.append(keys: places.map(\.order))
        add(
            .init(
                "UPDATE \(column.table) AS r SET \(column.order) = u.n FROM unnest($1, $2, $3) AS u(m, o, n) WHERE r.\(column.member) = u.m AND r.\(column.owner) = u.o RETURNING r.\(column.member), r.\(column.owner)",
                with: parameters
            ) { [self] result in
                for row in 0..<result.rowCount {
                    if let member = try result.int64(row, column: 0), let owner = try result.int64(row, column: 1) {
                        found(owner, member)
                    }
                }
                try notePlaced(result.keys(), column: column)
            })
    }

    /// Appends the members that have no position in the request, so that every member of an ordered relationship has an
    /// order key.
    func placeTheRest() {
        for (column, members) in unplaced.sorted(by: { ($0.key.table, $0.key.order) < ($1.key.table, $1.key.order) }) {
            let parameters = Parameters()
            parameters.append(keys: members.map(\.member))
            parameters.append(keys: members.map(\.owner))
            // The keys that `OrderKeys.next(after:)` gives one after another, which end at the largest integer.
            let (first, step) = (OrderKeys.first, OrderKeys.step)
            let sql = """
                WITH u AS (SELECT l.m, l.o, min(l.n) AS n FROM unnest($1, $2) WITH ORDINALITY AS l(m, o, n) GROUP BY l.m, l.o), \
                f AS (SELECT u.m, u.o, row_number() OVER (PARTITION BY u.o ORDER BY u.n) AS n FROM u JOIN \(column.table) AS r ON r.\(column.member) = u.m AND r.\(column.owner) = u.o WHERE r.\(column.order) IS NULL), \
                l AS (SELECT r.\(column.owner) AS o, max(r.\(column.order)) AS last FROM \(column.table) AS r WHERE r.\(column.owner) IN (SELECT f.o FROM f) GROUP BY r.\(column.owner)) \
                UPDATE \(column.table) AS r SET \(column.order) = LEAST(GREATEST(COALESCE(l.last::numeric + \(step), \(first)), \(first)) + (f.n - 1) * \(step), 9223372036854775807)::bigint \
                FROM f JOIN l ON l.o = f.o WHERE r.\(column.member) = f.m AND r.\(column.owner) = f.o RETURNING r.\(column.member)
                """
            add(.init(sql, with: parameters) { [self] result in try notePlaced(result.keys(), column: column) })
        }
    }

    /// Notes the rows of members that have a new position. A join table has none.
    private func notePlaced(_ members: [Int64], column: OrderColumn) {
        guard let changes = write.changes, column.member == key,
            let columns = schema.columns.first(where: { $0.table == column.table })
        else { return }
        changes.note(.update, of: members, root: columns.entity.root)
    }

    func orderColumn(of link: SaveRequest.Link) -> OrderColumn? {
        switch layout.toMany(link.relationship, in: link.owner.entity) {
        case .inverse(let column, let order?)?, .oneWay(let column, let order?)?:
            return OrderColumn(
                table: columns(of: link.destination).table, owner: SQLName.alwaysQuoted(column),
                order: SQLName.alwaysQuoted(order), member: key)
        case .join(let join)?:
            guard let order = join.orderColumn else { return nil }
            return OrderColumn(
                table: ServerColumns.table(named: join.table, layout), owner: SQLName.alwaysQuoted(join.ownColumn),
                order: SQLName.alwaysQuoted(order), member: SQLName.alwaysQuoted(join.otherColumn))
        default: return nil
        }
    }
}
#endif
