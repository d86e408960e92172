#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

extension ServerSave {
    /// Updates that set the same properties of one entity.
    private struct UpdateGroup: Hashable {
        var entity: Int
        var attributes: [Int]
        var toOnes: [Int]
    }

    private func group(of update: SaveRequest.Update) -> UpdateGroup {
        UpdateGroup(
            entity: update.row.entity, attributes: update.attributes.map(\.slot), toOnes: update.toOnes.map(\.slot))
    }

    /// Writes the updates by one statement for each row, in the order in which other saves lock the rows.
    private func updateInOrder() throws {
        result.updatedVersions = Array(repeating: 0, count: request.updates.count)
        let rows = request.updates.map { model.identity(of: $0.row) }
        let order = rows.indices.sorted { (rows[$0].entity, rows[$0].key) < (rows[$1].entity, rows[$1].key) }
        for index in order { try update(group(of: request.updates[index]), [index]) }
    }

    /// Writes the updates, by one statement for each set of properties.
    func update() throws {
        if write.continuesView { return try updateInOrder() }
        var groups: [UpdateGroup: [Int]] = [:]
        var order: [UpdateGroup] = []
        for (index, update) in request.updates.enumerated() {
            let group = group(of: update)
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(index)
        }
        result.updatedVersions = Array(repeating: 0, count: request.updates.count)
        for group in order { try update(group, groups[group] ?? []) }
        // Members get positions in the order of the request, whichever properties are written beside.
        for update in request.updates {
            let columns = columns(of: update.row)
            for (slot, owner) in update.toOnes {
                guard let owner, let toOne = columns.toOne(slot), let order = toOne.orderColumn else { continue }
                leaveUnplaced(
                    update.row.key, owner: try key(owner), in: columns.table, ownerColumn: toOne.column,
                    orderColumn: order)
            }
        }
    }

    private func update(_ group: UpdateGroup, _ indexes: [Int]) throws {
        let columns = schema.columns[group.entity - 1]
        let attributes = group.attributes.enumerated().compactMap { place, slot in
            columns.attribute(slot).map { (place: place, column: $0) }
        }
        let toOnes = group.toOnes.enumerated().compactMap { place, slot in
            columns.toOne(slot).map { (place: place, column: $0) }
        }
        let derived = columns.derived.filter { derived in
            derived.source.map { group.attributes.contains($0) } ?? false
        }
        let times = columns.derived.filter { $0.source == nil }
        var rows = WrittenColumns(
            [.init(type: .int8), .init(type: .int8), .init(name: SystemColumns.postgres.version, type: .int8)]
                + attributes.map { .init(name: $0.column.column, type: $0.column.type) }
                + derived.map { .init(name: $0.place.column, type: $0.place.type) }
                + toOnes.map { .init(name: $0.column.column, type: .int8) })
        let reordered = toOnes.enumerated().compactMap { index, toOne in
            toOne.column.orderColumn.map {
                (order: $0, owner: toOne.column.column, place: rows.columns.count - toOnes.count + index)
            }
        }
        var isAsked = false
        var keys: [Int64] = []
        func flush() throws {
            guard rows.rowCount > 0 else { return }
            try addUpdate(rows, of: columns, reordered: reordered, times: times, isAsked: isAsked)
            noteUpdated(
                keys, of: columns,
                names: attributes.map(\.column.column) + derived.map(\.place.column) + toOnes.map(\.column.column)
                    + times.map(\.place.column))
            rows.removeAll()
            keys = []
        }
        for index in indexes {
            let update = request.updates[index]
            let (version, asks) = version(before: update)
            isAsked = asks
            let next = Self.version(after: version)
            result.updatedVersions[index] = next
            var row: [ServerValue] = [.integer(update.row.key), .integer(version), .integer(next)]
            for (place, column) in attributes {
                row.append(try value(update.attributes.values[place], for: column, of: update.row, in: columns))
            }
            for derived in derived {
                row.append(
                    try value(derived, from: update.attributes[derived.source ?? -1] ?? .null, row: update.row, columns)
                )
            }
            for (place, _) in toOnes {
                row.append(try update.toOnes[place].destination.map { .integer(try key($0)) } ?? .null)
            }
            for time in times { try noteTime(time, of: update.row) }
            rows.append(row)
            keys.append(update.row.key)
            if rows.isFull { try flush() }
        }
        try flush()
    }

    private func addUpdate(
        _ rows: WrittenColumns, of columns: ServerColumns,
        reordered: [(order: String, owner: String, place: Int)], times: [ServerColumns.Derived], isAsked: Bool
    ) throws {
        var assignments = rows.columns.enumerated().compactMap { index, column in
            column.name.map { "\($0) = \(rows.value(index))" }
        }
        for (order, owner, place) in reordered {
            // The position in the old owner's order has no meaning for the new owner.
            assignments.append(
                "\(order) = CASE WHEN r.\(owner) IS NOT DISTINCT FROM \(rows.value(place)) THEN r.\(order) END")
        }
        for time in times { assignments.append("\(time.place.column) = \(Self.now(for: time.place))") }
        let source = rows.rowCount == 1 ? "" : " FROM \(rows.source)"
        let sql =
            "UPDATE \(columns.table) AS r SET \(assignments.joined(separator: ", "))\(source) WHERE r.\(key) = \(rows.value(0)) AND r.\(SystemColumns.postgres.version) = \(rows.value(1))\(columns.entityTest("r."))"
        let count = rows.rowCount
        add(
            .init(sql, with: try rows.parameters(of: columns.entity)) { [self] result in
                guard result.affectedRows != count else { return }
                // The row exists if its version was compared before.
                throw isAsked ? StaleUpdate() : ignoredChange("change", of: columns)
            })
    }

    private func noteUpdated(_ keys: [Int64], of columns: ServerColumns, names: [String]) {
        write.changes?.note(.update, of: keys, root: columns.entity.root)
        write.derivation?.noteChanged(
            keys, root: columns.entity.root, columns: names, ownValuesAreWritten: true)
    }

    // MARK: Derived values

    /// The time of the transaction, for a column.
    static func now(for place: ServerColumns.Attribute) -> String {
        place.type == .float8 ? ServerDate.seconds(ofColumn: "pg_catalog.now()") : "pg_catalog.now()"
    }

    /// Returns the value of a derived attribute that depends on a value of the same row, and notes it.
    func value(
        _ derived: ServerColumns.Derived, from source: AttributeValue, row: RowID, _ columns: ServerColumns
    ) throws -> ServerValue {
        let stored = try derived.value(of: source, in: columns.entity)
        if let noted = stored.value(as: derived.place.attribute.type) {
            try note(noted, slot: derived.place.slot, of: row)
        }
        return stored
    }

    /// Notes that an attribute has the time of the transaction.
    func noteTime(_ derived: ServerColumns.Derived, of row: RowID) throws {
        timed.append((row: RowID(entity: row.entity, key: try key(row)), slot: derived.place.slot))
    }

    /// Adds the time of the transaction to the values that the store has computed.
    func noteTimes() throws {
        guard !timed.isEmpty else { return }
        let time = try write.time()
        for (row, slot) in timed { result.derived[row, default: [:]][slot] = .date(time) }
    }
}
#endif
