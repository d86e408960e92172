import SwormSQLite

/// The column that stores the order of the members of one owner.
struct OrderColumn: Hashable {
    /// The quoted name of the table. All names are quoted.
    var table: String
    /// The column that holds the owner's key.
    var owner: String
    var order: String
    /// The column that holds the member's key.
    var member: String
}

/// The members of one owner, in an order that a save changes.
private struct OrderedList: Hashable {
    var column: OrderColumn
    var owner: RowID
    var relationship: Int
}

/// A member of an ordered relationship that gets its owner in this save.
struct Unplaced {
    var member: Int64
    var owner: Int64
}

extension SaveTransaction {
    func leaveUnplaced(
        _ member: Int64, owner: Int64, in table: String, ownerColumn: String, orderColumn: String,
        member memberColumn: String = "Z_PK"
    ) {
        let column = OrderColumn(table: table, owner: ownerColumn, order: orderColumn, member: memberColumn)
        unplaced[column, default: []].append(Unplaced(member: member, owner: owner))
    }

    /// Writes the order keys of the request. Skips members that now have another owner.
    func writePositions() throws {
        var lists: [OrderedList: Set<Int64>] = [:]
        for position in request.positions {
            let link = position.link
            let (owner, destination) = (try key(link.owner), try key(link.destination))
            guard let column = orderColumn(of: link) else {
                let entity = model[link.owner.entity]
                let name = entity.relationships[link.relationship].name
                throw CoreDataError(
                    NSPersistentStoreSaveError, "'\(entity.name).\(name)' is not ordered and has no positions.",
                    entity: entity.name, key: name)
            }
            try connection.run(
                "UPDATE \(column.table) SET \(column.order) = ? WHERE \(column.member) = ? AND \(column.owner) = ?",
                binding: [.integer(position.orderKey), .integer(destination), .integer(owner)])
            guard connection.base.changes > 0 else {
                try requireNone(
                    "\(column.member) = ? AND \(column.owner) = ?", binding: [.integer(destination), .integer(owner)],
                    in: column.table, else: "order the members of \(model[link.owner.entity].name)",
                    of: model[link.owner.entity])
                continue
            }
            try note(position)
            // No other context can change the list of a new owner.
            guard link.owner.key >= 0 else { continue }
            lists[OrderedList(column: column, owner: link.owner, relationship: link.relationship), default: []]
                .insert(destination)
        }
        for (list, written) in lists { try separate(written, in: list) }
    }

    /// Assigns new order keys to members whose keys other contexts have used since the request was created.
    ///
    /// - Parameter written: The keys of the members whose positions come from the request.
    private func separate(_ written: Set<Int64>, in list: OrderedList) throws {
        let column = list.column
        var members: [(key: Int64, order: Int64)] = []
        var taken: Set<Int64> = []
        var isShared = false
        try connection.rows(
            "SELECT \(column.member), \(column.order) FROM \(column.table) WHERE \(column.owner) = ?",
            binding: [.integer(list.owner.key)]
        ) { statement in
            guard !statement.isNull(1) else { return }
            members.append((statement.int64(0), statement.int64(1)))
            if !taken.insert(statement.int64(1)).inserted { isShared = true }
        }
        guard isShared else { return }
        for (member, order) in OrderKeys.separated(members, moving: written) {
            try connection.run(
                "UPDATE \(column.table) SET \(column.order) = ? WHERE \(column.member) = ? AND \(column.owner) = ?",
                binding: [.integer(order), .integer(member), .integer(list.owner.key)])
        }
        result.rearranged.append((list.owner, list.relationship))
    }

    /// Appends the members that have no position in the request, so that every member of an ordered relationship has an
    /// order key.
    func placeTheRest() throws {
        for (column, members) in unplaced.sorted(by: { ($0.key.table, $0.key.order) < ($1.key.table, $1.key.order) }) {
            var last: [Int64: Int64] = [:]
            for member in members {
                let values: [StoredValue] = [.integer(member.member), .integer(member.owner)]
                let test = "\(column.member) = ? AND \(column.owner) = ?"
                guard
                    try connection.integer(
                        "SELECT 1 FROM \(column.table) WHERE \(test) AND \(column.order) IS NULL", binding: values)
                        != nil
                else { continue }
                let before =
                    try last[member.owner]
                    ?? connection.integer(
                        "SELECT max(\(column.order)) FROM \(column.table) WHERE \(column.owner) = ?",
                        binding: [.integer(member.owner)])
                let key = OrderKeys.next(after: before)
                try connection.run(
                    "UPDATE \(column.table) SET \(column.order) = ? WHERE \(test)", binding: [.integer(key)] + values)
                last[member.owner] = key
            }
        }
    }

    private func orderColumn(of link: SaveRequest.Link) -> OrderColumn? {
        switch layout.toMany(link.relationship, in: link.owner.entity) {
        case .inverse(let column, let order?)?, .oneWay(let column, let order?)?:
            return OrderColumn(
                table: columns(of: link.destination).table, owner: SQLName.quoted(column), order: SQLName.quoted(order),
                member: "Z_PK")
        case .join(let join)?:
            guard let order = join.orderColumn else { return nil }
            return OrderColumn(
                table: SQLName.quoted(join.table), owner: SQLName.quoted(join.ownColumn), order: SQLName.quoted(order),
                member: SQLName.quoted(join.otherColumn))
        default: return nil
        }
    }
}
