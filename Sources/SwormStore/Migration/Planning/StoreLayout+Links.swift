extension StoreLayout {
    /// Returns a query for the links of a relationship from the objects of one entity: the owner's key as `O`, the
    /// member's as `M`.
    func links(of slot: Int, in entity: CompiledEntity, _ model: CompiledModel) -> String? {
        func table(_ entity: CompiledEntity) -> String { SQLName.quoted(self.table(of: entity)) }
        let target = model[entity.relationships[slot].destination]
        let owners = "SELECT Z_PK FROM \(table(entity)) WHERE Z_ENT = \(entity.number)"
        if let toOne = toOne(slot, in: entity.number) {
            let column = SQLName.quoted(toOne.column)
            return
                "SELECT Z_PK AS O, \(column) AS M FROM \(table(entity)) WHERE Z_ENT = \(entity.number) AND \(column) IS NOT NULL"
        }
        switch toMany(slot, in: entity.number) {
        case .inverse(let name, _)?, .oneWay(let name, _)?:
            let column = SQLName.quoted(name)
            return
                "SELECT \(column) AS O, Z_PK AS M FROM \(table(target)) WHERE \(column) IN (\(owners)) AND Z_ENT BETWEEN \(target.family.lowerBound) AND \(target.family.upperBound)"
        case .join(let join)?:
            func read(_ one: String, _ two: String) -> String {
                let (one, two) = (SQLName.quoted(one), SQLName.quoted(two))
                return "SELECT \(one) AS O, \(two) AS M FROM \(SQLName.quoted(join.table)) WHERE \(one) IN (\(owners))"
            }
            // A pair of objects is stored in one of the two directions.
            return join.isReflexive
                ? "\(read(join.ownColumn, join.otherColumn)) UNION \(read(join.otherColumn, join.ownColumn))"
                : read(join.ownColumn, join.otherColumn)
        case nil: return nil
        }
    }
}
