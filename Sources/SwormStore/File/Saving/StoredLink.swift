/// A stored relationship, as SQL that leads from rows to their destinations.
struct StoredLink {
    private enum Place {
        case ownColumn(table: String, column: String)
        case farColumn(String)
        case join(StoreLayout.Join)
    }

    /// The entity that declares the relationship.
    let entity: CompiledEntity
    let slot: Int
    let relationship: CompiledRelationship
    let destination: CompiledEntity
    /// The quoted name of the destination's table.
    let table: String
    private let place: Place

    /// - Returns: Nil for a relationship that no table stores.
    init?(_ slot: Int, of entity: CompiledEntity, in transaction: SaveTransaction) {
        relationship = entity.relationships[slot]
        self.entity = entity
        self.slot = slot
        destination = transaction.model[relationship.destination]
        table = transaction.columns[destination.number - 1].table
        if let toOne = transaction.columns[entity.number - 1].toOne(slot) {
            place = .ownColumn(table: transaction.columns[entity.number - 1].table, column: toOne.column)
            return
        }
        switch transaction.layout.toMany(slot, in: entity.number) {
        case .inverse(let column, _)?, .oneWay(let column, _)?: place = .farColumn(SQLName.quoted(column))
        case .join(let join)?: place = .join(join)
        case nil: return nil
        }
    }

    /// Returns the inverse relationship.
    func inverse(_ transaction: SaveTransaction) -> StoredLink? {
        relationship.inverse.flatMap { StoredLink($0, of: destination, in: transaction) }
    }

    /// Returns the SQL condition that the destination row `t0` is linked to one of the given owners.
    ///
    /// - Parameter owners: A SELECT of keys, or one key.
    func leads(from owners: String) -> String {
        switch place {
        case .farColumn(let column): return "t0.\(column) IN (\(owners))"
        case .ownColumn(let table, let column):
            return "t0.Z_PK IN (SELECT \(column) FROM \(table) WHERE Z_PK IN (\(owners)))"
        case .join(let join):
            let (own, other) = (SQLName.quoted(join.ownColumn), SQLName.quoted(join.otherColumn))
            let sides = join.isReflexive && join.orderColumn == nil ? [(own, other), (other, own)] : [(own, other)]
            let tests = sides.map {
                "t0.Z_PK IN (SELECT \($0.1) FROM \(SQLName.quoted(join.table)) WHERE \($0.0) IN (\(owners)))"
            }
            return tests.count == 1 ? tests[0] : "(\(tests.joined(separator: " OR ")))"
        }
    }
}
