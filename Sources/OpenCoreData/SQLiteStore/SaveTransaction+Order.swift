import SwormSQLite

/// The column that keeps an order, for the members of the same owner.
struct OrderColumn: Hashable {
    /// All names are quoted.
    var table: String
    /// Holds the owner's key.
    var owner: String
    var order: String
    /// Holds the member's key.
    var member: String
}

/// A member of an ordered relationship that got its owner in this save.
struct Unplaced {
    var member: Int64
    var owner: Int64
}

extension SaveTransaction {
    func leaveUnplaced(
        _ member: Int64, owner: Int64, in table: String, _ ownerColumn: String, _ orderColumn: String,
        member memberColumn: String = "Z_PK"
    ) {
        let column = OrderColumn(table: table, owner: ownerColumn, order: orderColumn, member: memberColumn)
        unplaced[column, default: []].append(Unplaced(member: member, owner: owner))
    }

    /// Writes the order keys of the request. A member that has another owner by now is passed over.
    func writePositions() throws {
        for position in request.positions {
            let link = position.link
            let (owner, destination) = (try key(link.owner), try key(link.destination))
            guard let column = orderColumn(of: link) else {
                let entity = model[link.owner.entity]
                let name = entity.relationships[link.relationship].name
                throw CoreDataError(
                    NSPersistentStoreSaveError, "“\(entity.name).\(name)” is not ordered, and keeps no positions.",
                    entity: entity.name, key: name)
            }
            try connection.run(
                "UPDATE \(column.table) SET \(column.order) = ? WHERE \(column.member) = ? AND \(column.owner) = ?",
                [.integer(position.orderKey), .integer(destination), .integer(owner)])
            if connection.base.changes > 0 { try note(position) }
        }
    }

    /// Appends the members to which the request gave no place: no member of an ordered relationship is without a key.
    func placeTheRest() throws {
        for (column, members) in unplaced.sorted(by: { ($0.key.table, $0.key.order) < ($1.key.table, $1.key.order) }) {
            var last: [Int64: Int64] = [:]
            for member in members {
                let values: [StoredValue] = [.integer(member.member), .integer(member.owner)]
                let test = "\(column.member) = ? AND \(column.owner) = ?"
                guard
                    try connection.integer(
                        "SELECT 1 FROM \(column.table) WHERE \(test) AND \(column.order) IS NULL", values) != nil
                else { continue }
                let before =
                    try last[member.owner]
                    ?? connection.integer(
                        "SELECT max(\(column.order)) FROM \(column.table) WHERE \(column.owner) = ?",
                        [.integer(member.owner)])
                let key = OrderKeys.next(after: before)
                try connection.run(
                    "UPDATE \(column.table) SET \(column.order) = ? WHERE \(test)", [.integer(key)] + values)
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
