extension MigrationPlanner {
    /// Returns the name of the table in which links are gathered. Its columns are the owner's key, the member's key,
    /// the member's index among the owner's members, and the owner's index among the member's owners. The keys are
    /// those that the rows will have after the migration.
    static func gatheringTable(_ number: Int) -> String { "temp.SwormLinks_\(number)" }

    func gather(_ gathering: LinkSources.Gathering) -> [MigrationStatement] {
        let table = Self.gatheringTable(gathering.number)
        let columns = gathering.isSwapped ? "M, O, Q, P" : "O, M, P, Q"
        let selections = selections(of: gathering.teller)
        return [MigrationStatement("CREATE TABLE \(table) (O INTEGER, M INTEGER, P INTEGER, Q INTEGER)")]
            + selections.map { MigrationStatement("INSERT INTO \(table) (\(columns)) \($0)") }
    }

    /// Returns queries for the links of a relationship in the source: one for every relationship that becomes this one.
    private func selections(of place: PropertyLocation) -> [String] {
        struct Source: Hashable {
            var origin: LinkSources.Origin
            var root: Int
        }
        var order: [Source] = []
        var members: [Source: [(pair: MigrationMap.Pair, slot: Int)]] = [:]
        for (pair, slot) in feeds.sources(of: place) {
            let relationship = pair.source.relationships[slot]
            let source = Source(
                origin: .init(owner: relationship.owner, name: relationship.name), root: pair.source.root)
            if members[source] == nil { order.append(source) }
            members[source, default: []].append((pair, slot))
        }
        return order.compactMap { source in
            guard let group = members[source], let first = group.first else { return nil }
            return selection(
                first.slot, of: first.pair.source, numbers: group.map(\.pair.source.number), into: place)
        }
    }

    private func selection(
        _ slot: Int, of entity: CompiledEntity, numbers: [Int], into place: PropertyLocation
    ) -> String? {
        let relationship = entity.relationships[slot]
        let target = map.source[relationship.destination]
        let destination = feeds.relationship(place)
        guard
            let own = offsets.offset(from: entity.root, into: map.destination[place.entity].root),
            let other = offsets.offset(from: target.root, into: map.destination[destination.destination].root)
        else { return nil }
        let table = SQLName.quoted(source.layout.table(of: entity))
        let family = map.source[relationship.owner].family.filter { !map.source[$0].isAbstract }
        let all = Set(family).isSubset(of: numbers)
        func plus(_ column: String, _ offset: Int64) -> String { offset == 0 ? column : "\(column) + \(offset)" }
        func owned(by column: String) -> String {
            all ? "" : " AND \(column) IN (SELECT Z_PK FROM \(table) WHERE Z_ENT IN (\(list(numbers))))"
        }
        if let toOne = source.layout.toOne(slot, in: entity.number) {
            let column = SQLName.quoted(toOne.column)
            let place = source.layout.order(ofToOne: slot, in: entity).map { SQLName.quoted($0) } ?? "NULL"
            let condition = all ? "" : " AND Z_ENT IN (\(list(numbers)))"
            return
                "SELECT \(plus("Z_PK", own)), \(plus(column, other)), NULL, \(place) FROM \(table) WHERE \(column) IS NOT NULL\(condition)"
        }
        switch source.layout.toMany(slot, in: entity.number) {
        case .inverse(let name, let order)?, .oneWay(let name, let order)?:
            let column = SQLName.quoted(name)
            let place = order.map { SQLName.quoted($0) } ?? "NULL"
            return
                "SELECT \(plus(column, own)), \(plus("Z_PK", other)), \(place), NULL FROM \(SQLName.quoted(source.layout.table(of: target))) WHERE \(column) IS NOT NULL\(owned(by: column))"
        case .join(let join)?:
            let (one, two) = (SQLName.quoted(join.ownColumn), SQLName.quoted(join.otherColumn))
            let (order, back) = (
                join.orderColumn.map { SQLName.quoted($0) } ?? "NULL",
                join.inverseOrderColumn.map { SQLName.quoted($0) } ?? "NULL"
            )
            func read(_ one: String, _ two: String) -> String {
                "SELECT \(plus(one, own)), \(plus(two, other)), \(order), \(back) FROM \(SQLName.quoted(join.table)) WHERE \(one) IS NOT NULL\(owned(by: one))"
            }
            // A pair of objects is stored in one of the two directions; in an ordered relationship it is stored in
            // both.
            guard join.isReflexive, join.orderColumn == nil else { return read(one, two) }
            return "\(read(one, two)) UNION \(read(two, one))"
        case nil: return nil
        }
    }
}
