#if PostgreSQL
import SwormPredicates

// Links that are stored in another way than before: they are gathered in a temporary table before the tables change, and
// written afterwards. In that table, `o` is the key of the owner, `m` that of the member, `p` the position of the member
// among the owner's members, and `q` that of the owner among the member's owners.
extension ServerMigrationPlanner {
    private var moved: [LinkSources.Gathering] { feeds.gatherings.filter { !isKept($0) } }

    private func links(_ number: Int) -> String { "pg_temp.\"_sworm_links_\(number)\"" }

    private func quoted(_ name: String) -> String { SQLName.alwaysQuoted(name) }

    /// Returns the statements that gather the links of the old version.
    func gatherings() -> [String] {
        moved.flatMap { gathering -> [String] in
            let columns = gathering.isSwapped ? "m, o, q, p" : "o, m, p, q"
            return [
                "CREATE TEMP TABLE \"_sworm_links_\(gathering.number)\" (o bigint, m bigint, p bigint, q bigint) ON COMMIT DROP"
            ]
                + selections(of: gathering.teller).map {
                    "INSERT INTO \(links(gathering.number)) (\(columns)) \($0)"
                }
        }
    }

    // MARK: The old version

    private func selections(of place: PropertyLocation) -> [String] {
        var found: [LinkSources.Origin: (pair: MigrationMap.Pair, slot: Int, numbers: [Int])] = [:]
        var order: [LinkSources.Origin] = []
        for (pair, slot) in feeds.sources(of: place) {
            let relationship = pair.source.relationships[slot]
            let origin = LinkSources.Origin(owner: relationship.owner, name: relationship.name)
            if found[origin] == nil { order.append(origin) }
            found[origin, default: (pair, slot, [])].numbers.append(pair.source.number)
        }
        return order.compactMap { origin in
            found[origin].flatMap { selection($0.slot, of: $0.pair.source, numbers: $0.numbers) }
        }
    }

    private func selection(_ slot: Int, of entity: CompiledEntity, numbers: [Int]) -> String? {
        let (relationship, layout) = (entity.relationships[slot], old.layout)
        let (table, key) = (oldTable(entity), SystemColumns.postgres.key)
        let family = old.model[relationship.owner].family.filter { !old.model[$0].isAbstract }
        let stored = numbers.map { String(layout.storedNumber(of: $0)) }.joined(separator: ", ")
        let isWhole = Set(family).isSubset(of: numbers)
        let restriction = "\(SystemColumns.postgres.entity) IN (\(stored))"
        func owned(by column: String) -> String {
            isWhole ? "" : " AND \(column) IN (SELECT \(key) FROM \(table) WHERE \(restriction))"
        }
        if let toOne = layout.toOne(slot, in: entity.number) {
            let column = quoted(toOne.column)
            let place = layout.order(ofToOne: slot, in: entity).map(quoted) ?? "NULL::bigint"
            return
                "SELECT \(key), \(column), NULL::bigint, \(place) FROM \(table) WHERE \(column) IS NOT NULL\(isWhole ? "" : " AND " + restriction)"
        }
        switch layout.toMany(slot, in: entity.number) {
        case .inverse(let name, let order)?, .oneWay(let name, let order)?:
            let (column, members) = (quoted(name), oldTable(old.model[relationship.destination]))
            return
                "SELECT \(column), \(key), \(order.map(quoted) ?? "NULL::bigint"), NULL::bigint FROM \(members) WHERE \(column) IS NOT NULL\(owned(by: column))"
        case .join(let join)?:
            let orders = [join.orderColumn, join.inverseOrderColumn].map { $0.map(quoted) ?? "NULL::bigint" }
            func read(_ one: String, _ two: String) -> String {
                "SELECT \(quoted(one)), \(quoted(two)), \(orders[0]), \(orders[1]) FROM \(prefix)\(quoted(join.table)) WHERE TRUE\(owned(by: quoted(one)))"
            }
            // A pair may be stored in one direction only.
            guard join.isReflexive, join.orderColumn == nil else { return read(join.ownColumn, join.otherColumn) }
            return "\(read(join.ownColumn, join.otherColumn)) UNION \(read(join.otherColumn, join.ownColumn))"
        case nil: return nil
        }
    }

    private func oldTable(_ entity: CompiledEntity) -> String { prefix + quoted(old.layout.table(of: entity)) }

    // MARK: The new version

    private func newTable(_ entity: Int) -> String { prefix + quoted(new.layout.table(of: new.model[entity])) }

    /// Returns the statements that write the gathered links.
    func linkStatements() -> [String] {
        moved.flatMap { gathering -> [String] in
            let place = gathering.place
            let (links, key) = (links(gathering.number), SystemColumns.postgres.key)
            var statements = clean(gathering)
            if let toOne = new.layout.toOne(place.slot, in: place.entity) {
                let order = new.layout.order(ofToOne: place.slot, in: new.model[place.entity])
                statements.append(
                    "UPDATE \(newTable(place.entity)) AS t SET \(quoted(toOne.column)) = l.m\(order.map { ", \(quoted($0)) = l.q" } ?? "") FROM \(links) AS l WHERE t.\(key) = l.o"
                )
                // Both objects of a pair have a column.
                if let inverse = feeds.inverse(of: place), inverse != place,
                    let other = new.layout.toOne(inverse.slot, in: inverse.entity)
                {
                    statements.append(
                        "UPDATE \(newTable(inverse.entity)) AS t SET \(quoted(other.column)) = l.o FROM \(links) AS l WHERE t.\(key) = l.m"
                    )
                }
            }
            switch new.layout.toMany(place.slot, in: place.entity) {
            case .oneWay(let column, let order)?:
                let members = newTable(feeds.relationship(place).destination)
                statements.append(
                    "UPDATE \(members) AS t SET \(quoted(column)) = l.o\(order.map { ", \(quoted($0)) = l.p" } ?? "") FROM \(links) AS l WHERE t.\(key) = l.m"
                )
            case .join(let join)?: statements.append(insertion(into: join, links))
            case .inverse?, nil: break
            }
            return statements
        }
    }

    /// Removes the links of rows that do not exist, and all but one link where only one is allowed.
    private func clean(_ gathering: LinkSources.Gathering) -> [String] {
        let links = links(gathering.number)
        let relationship = feeds.relationship(gathering.place)
        func missing(_ column: String, of entity: Int) -> String {
            let numbers = new.model[entity].family.map { String(number(of: new.model[$0])) }.joined(separator: ", ")
            let restriction =
                new.model[entity].root == entity ? "" : " AND t.\(SystemColumns.postgres.entity) IN (\(numbers))"
            return
                "NOT EXISTS (SELECT 1 FROM \(newTable(entity)) AS t WHERE t.\(SystemColumns.postgres.key) = \(column)\(restriction))"
        }
        var statements = [
            "DELETE FROM \(links) WHERE \(missing("o", of: gathering.place.entity)) OR \(missing("m", of: relationship.destination))"
        ]
        func keepFirst(of column: String, by order: String) {
            statements.append(
                "DELETE FROM \(links) WHERE ctid IN (SELECT c FROM (SELECT ctid AS c, pg_catalog.row_number() OVER (PARTITION BY \(column) ORDER BY \(order)) AS n FROM \(links)) AS r WHERE n > 1)"
            )
        }
        let inverse = feeds.inverse(of: gathering.place).map { feeds.relationship($0) }
        if !relationship.isToMany { keepFirst(of: "o", by: "p NULLS FIRST, m") }
        if relationship.isToMany && relationship.inverse == nil
            || !relationship.isToMany && inverse.map({ !$0.isToMany }) ?? false
        {
            keepFirst(of: "m", by: "q NULLS FIRST, o")
        }
        if !relationship.isToMany, inverse?.name == relationship.name, inverse?.owner == relationship.owner {
            // An object that points to another one without being pointed to is not its partner.
            statements.append(
                "DELETE FROM \(links) AS l WHERE NOT EXISTS (SELECT 1 FROM \(links) AS r WHERE r.o = l.m AND r.m = l.o)"
            )
        }
        return statements
    }

    private func insertion(into join: StoreLayout.Join, _ links: String) -> String {
        let (table, own, other) = (prefix + quoted(join.table), quoted(join.ownColumn), quoted(join.otherColumn))
        if join.isReflexive {
            guard let order = join.orderColumn else {
                return
                    "INSERT INTO \(table) (\(own), \(other)) SELECT DISTINCT LEAST(o, m), GREATEST(o, m) FROM \(links)"
            }
            // An ordered relationship has a row for each direction.
            let number = place("o", by: "min(p) NULLS LAST, m")
            return
                "INSERT INTO \(table) (\(own), \(other), \(quoted(order))) SELECT o, m, \(number) FROM (SELECT o, m, p FROM \(links) UNION ALL SELECT m, o, q FROM \(links)) AS l GROUP BY o, m"
        }
        var columns = [own, other]
        var values = ["o", "m"]
        if let order = join.inverseOrderColumn {
            columns.append(quoted(order))
            values.append(place("m", by: "min(q) NULLS FIRST, o"))
        }
        if let order = join.orderColumn {
            columns.append(quoted(order))
            values.append(place("o", by: "min(p) NULLS FIRST, m"))
        }
        // Several relationships may have become one, and have had links between the same two objects.
        return
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) FROM \(links) GROUP BY o, m"
    }

    /// Returns an expression for the order keys of members that were appended one after the other.
    private func place(_ partition: String, by order: String) -> String {
        "\(OrderKeys.first - OrderKeys.step) + \(OrderKeys.step) * pg_catalog.row_number() OVER (PARTITION BY \(partition) ORDER BY \(order))"
    }
}
#endif
