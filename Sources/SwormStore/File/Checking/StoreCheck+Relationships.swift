extension StoreCheck {
    func checkRelationship(_ slot: Int, of entity: CompiledEntity) throws {
        if let toOne = layout.toOne(slot, in: entity.number) {
            try checkToOne(toOne, slot: slot, of: entity)
            return
        }
        let destination = table(entity.relationships[slot].destination)
        switch layout.toMany(slot, in: entity.number) {
        case .inverse(let column, let order)?:
            if let order { try checkOrder(order, owner: column, in: destination, slot: slot, of: entity) }
        case .oneWay(let column, let order)?:
            if let order { try checkOrder(order, owner: column, in: destination, slot: slot, of: entity) }
            let key = SQLName.quoted(column)
            try count(
                "SELECT count(*) FROM \(destination) d WHERE d.\(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(table(entity.number)) o WHERE o.Z_PK = d.\(key))"
            ) { issue(.dangling, slot: slot, of: entity, message: "\($0) rows belong to a missing object") }
        case .join(let join)?: try checkJoin(join, slot: slot, of: entity)
        case nil: return
        }
    }

    private func issue(_ kind: StoreIssue.Kind, slot: Int, of entity: CompiledEntity, message what: String)
        -> StoreIssue
    {
        let property = entity.relationships[slot].name
        return StoreIssue(kind, "\(entity.name).\(property): \(what)", entity: entity.name, property: property)
    }

    private func checkToOne(_ toOne: StoreLayout.ToOne, slot: Int, of entity: CompiledEntity) throws {
        let relationship = entity.relationships[slot]
        let own = table(entity.number)
        let destination = table(relationship.destination)
        let key = SQLName.quoted(toOne.column)
        try count(
            "SELECT count(*) FROM \(own) s WHERE s.\(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination) d WHERE d.Z_PK = s.\(key))"
        ) { issue(.dangling, slot: slot, of: entity, message: "\($0) rows point to a missing object") }
        if let inverse = relationship.inverse,
            let back = layout.toOne(inverse, in: relationship.destination).map({ SQLName.quoted($0.column) })
        {
            try count(
                "SELECT count(*) FROM \(own) s JOIN \(destination) d ON d.Z_PK = s.\(key) WHERE d.\(back) IS NOT s.Z_PK"
            ) {
                issue(
                    .inverse, slot: slot, of: entity, message: "\($0) rows point to an object that does not point back")
            }
        }
        if let column = toOne.entityColumn.map(SQLName.quoted) {
            try count(
                "SELECT count(*) FROM \(own) s JOIN \(destination) d ON d.Z_PK = s.\(key) WHERE s.\(column) IS NOT d.Z_ENT"
            ) {
                issue(
                    .destinationRecord, slot: slot, of: entity,
                    message: "\($0) rows name an entity that differs from their object's")
            }
        }
        let allowed = model[relationship.destination]
        guard allowed.number != allowed.root else { return }
        try count(
            "SELECT count(*) FROM \(own) s JOIN \(destination) d ON d.Z_PK = s.\(key) WHERE d.Z_ENT NOT BETWEEN \(allowed.family.lowerBound) AND \(allowed.family.upperBound)"
        ) {
            issue(
                .destination, slot: slot, of: entity,
                message: "\($0) rows point to an object that is not of the entity \(allowed.name)")
        }
    }

    private func checkJoin(_ join: StoreLayout.Join, slot: Int, of entity: CompiledEntity) throws {
        let relationship = entity.relationships[slot]
        let table = SQLName.quoted(join.table)
        // The entity that declares the relationship, and its destination.
        let sides = [(join.ownColumn, model[relationship.owner]), (join.otherColumn, model[relationship.destination])]
        for (column, side) in sides {
            let key = SQLName.quoted(column)
            let other = self.table(side.number)
            try count(
                "SELECT count(*) FROM \(table) j WHERE NOT EXISTS (SELECT 1 FROM \(other) o WHERE o.Z_PK = j.\(key))"
            ) {
                issue(
                    .dangling, slot: slot, of: entity,
                    message: "\($0) rows of \(join.table) point to a missing object (\(column))")
            }
            guard side.number != side.root else { continue }
            try count(
                "SELECT count(*) FROM \(table) j JOIN \(other) o ON o.Z_PK = j.\(key) WHERE o.Z_ENT NOT BETWEEN \(side.family.lowerBound) AND \(side.family.upperBound)"
            ) {
                issue(
                    .destination, slot: slot, of: entity,
                    message:
                        "\($0) rows of \(join.table) point to an object that is not of the entity \(side.name) (\(column))"
                )
            }
        }
        for (owner, order) in [(join.ownColumn, join.orderColumn), (join.otherColumn, join.inverseOrderColumn)] {
            guard let order else { continue }
            try countSharedPlaces(table, owner: owner, order: order, slot: slot, of: entity)
            try count("SELECT count(*) FROM \(table) WHERE \(SQLName.quoted(order)) IS NULL") {
                issue(
                    .orderMissing, slot: slot, of: entity,
                    message: "\($0) rows of \(join.table) without a position (\(order))")
            }
        }
    }

    private func checkOrder(
        _ order: String, owner column: String, in table: String, slot: Int, of entity: CompiledEntity
    ) throws {
        try count(
            "SELECT count(*) FROM \(table) WHERE (\(SQLName.quoted(column)) IS NULL) <> (\(SQLName.quoted(order)) IS NULL)"
        ) {
            issue(
                .orderMissing, slot: slot, of: entity,
                message: "\($0) rows have an owner without a position, or a position without an owner")
        }
        try countSharedPlaces(table, owner: column, order: order, slot: slot, of: entity)
    }

    /// Reports order positions that several members of one owner share.
    ///
    /// - Parameters:
    ///   - table: The quoted name of the table that stores the positions.
    ///   - owner: The column with the owner's key.
    ///   - order: The column with the position.
    private func countSharedPlaces(
        _ table: String, owner: String, order: String, slot: Int, of entity: CompiledEntity
    ) throws {
        let (owner, order) = (SQLName.quoted(owner), SQLName.quoted(order))
        try count(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(owner) IS NOT NULL AND \(order) IS NOT NULL GROUP BY \(owner), \(order) HAVING count(*) > 1)"
        ) { issue(.orderShared, slot: slot, of: entity, message: "\($0) positions are shared by several rows") }
    }
}
