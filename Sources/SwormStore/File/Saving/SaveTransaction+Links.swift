import SwormSQLite

extension SaveTransaction {
    /// Writes the relationships that are stored in join tables, or in a column of the destination without an inverse.
    func writeLinks() throws {
        for link in request.removedLinks { try remove(link) }
        for link in request.addedLinks { try add(link) }
    }

    private func remove(_ link: SaveRequest.Link) throws {
        let (owner, destination) = (try key(link.owner), try key(link.destination))
        switch layout.toMany(link.relationship, in: link.owner.entity) {
        case .join(let join)?:
            let sql =
                "DELETE FROM \(SQLName.quoted(join.table)) WHERE \(SQLName.quoted(join.ownColumn)) = ? AND \(SQLName.quoted(join.otherColumn)) = ?"
            let sides = join.isReflexive ? [(owner, destination), (destination, owner)] : [(owner, destination)]
            for (own, other) in sides {
                try connection.run(sql, binding: [.integer(own), .integer(other)])
                if try noteIfChanged(link) { continue }
                try requireNone(
                    "\(SQLName.quoted(join.ownColumn)) = ? AND \(SQLName.quoted(join.otherColumn)) = ?",
                    binding: [.integer(own), .integer(other)], in: SQLName.quoted(join.table),
                    else: change(link, verb: "remove"),
                    of: model[link.owner.entity])
            }
        case .oneWay(let column, let order)?:
            let name = SQLName.quoted(column)
            let reset = order.map { ", \(SQLName.quoted($0)) = NULL" } ?? ""
            try connection.run(
                "UPDATE \(columns(of: link.destination).table) SET \(name) = NULL\(reset) WHERE Z_PK = ? AND \(name) = ?",
                binding: [.integer(destination), .integer(owner)])
            if try noteIfChanged(link) { return }
            try requireNone(
                "Z_PK = ? AND \(name) = ?", binding: [.integer(destination), .integer(owner)],
                in: columns(of: link.destination).table, else: change(link, verb: "remove"),
                of: model[link.owner.entity])
        case .inverse?, nil: throw misplaced(link)
        }
    }

    private func add(_ link: SaveRequest.Link) throws {
        let (owner, destination) = (try key(link.owner), try key(link.destination))
        switch layout.toMany(link.relationship, in: link.owner.entity) {
        case .join(let join)?:
            let table = SQLName.quoted(join.table)
            let (own, other) = (SQLName.quoted(join.ownColumn), SQLName.quoted(join.otherColumn))
            let sql = "INSERT OR IGNORE INTO \(table) (\(own), \(other)) VALUES (?, ?)"
            try connection.run(sql, binding: [.integer(owner), .integer(destination)])
            if try !noteIfChanged(link) {
                let present = "SELECT 1 FROM \(table) WHERE \(own) = ? AND \(other) = ?"
                guard try connection.integer(present, binding: [.integer(owner), .integer(destination)]) != nil else {
                    throw ignoredChange(change(link, verb: "add"), of: model[link.owner.entity], in: table)
                }
            }
            if let order = join.orderColumn {
                leaveUnplaced(
                    destination, owner: owner, in: table, ownerColumn: own, orderColumn: SQLName.quoted(order),
                    member: other)
            }
            if let order = join.inverseOrderColumn {
                leaveUnplaced(
                    owner, owner: destination, in: table, ownerColumn: other, orderColumn: SQLName.quoted(order),
                    member: own)
            }
        case .oneWay(let column, let order)?:
            let name = SQLName.quoted(column)
            let table = columns(of: link.destination).table
            let reset =
                order.map { ", \(SQLName.quoted($0)) = CASE WHEN \(name) IS ?1 THEN \(SQLName.quoted($0)) END" } ?? ""
            try connection.run(
                "UPDATE \(table) SET \(name) = ?1\(reset) WHERE Z_PK = ?2",
                binding: [.integer(owner), .integer(destination)])
            // The version of its row was checked before.
            guard try noteIfChanged(link) else {
                throw ignoredChange(change(link, verb: "add"), of: model[link.owner.entity], in: table)
            }
            if let order {
                leaveUnplaced(
                    destination, owner: owner, in: table, ownerColumn: name, orderColumn: SQLName.quoted(order))
            }
        case .inverse?, nil: throw misplaced(link)
        }
    }

    /// Notes a link if the preceding statement changed it. A link that already existed, or was already deleted, is not
    /// a change.
    ///
    /// - Returns: Whether the link was changed.
    private func noteIfChanged(_ link: SaveRequest.Link) throws -> Bool {
        guard connection.base.changes > 0 else { return false }
        try note(link)
        return true
    }

    private func change(_ link: SaveRequest.Link, verb: String) -> String {
        let entity = model[link.owner.entity]
        return "\(verb) a link of \(entity.name).\(entity.relationships[link.relationship].name)"
    }

    private func misplaced(_ link: SaveRequest.Link) -> CoreDataError {
        let entity = model[link.owner.entity]
        return CoreDataError(
            NSPersistentStoreSaveError,
            "'\(entity.name).\(entity.relationships[link.relationship].name)' is stored by its to-one inverse. Change the inverse.",
            entity: entity.name, key: entity.relationships[link.relationship].name)
    }
}
