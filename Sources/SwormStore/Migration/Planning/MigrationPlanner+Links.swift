extension MigrationPlanner {
    /// Writes the gathered links, removes those that would dangle, and sets the columns that accompany each remaining
    /// link: the entity number of the object, and the positions in ordered relationships.
    func writeLinks() -> [MigrationStatement] {
        var statements = feeds.gatherings.flatMap { clean($0) }
        for entity in map.destination.entities {
            for slot in map.destination.ownRelationships(of: entity) {
                let place = PropertyLocation(entity: entity.number, slot: slot)
                if let toOne = layout.toOne(slot, in: entity.number) {
                    statements += write(toOne, of: place)
                } else if case .oneWay(let column, let order)? = layout.toMany(slot, in: entity.number) {
                    statements += writeOwner(in: column, order: order, of: place)
                } else if case .join(let join)? = layout.toMany(slot, in: entity.number), join.isOwner {
                    statements += write(join, of: place)
                }
            }
        }
        return statements + feeds.gatherings.map { MigrationStatement("DROP TABLE \(Self.gatheringTable($0.number))") }
    }

    private func table(_ entity: Int) -> String { SQLName.quoted(layout.table(of: map.destination[entity])) }

    /// Returns a condition that restricts the rows of a table to those of an entity.
    private func condition(_ number: Int, prefix: String = "") -> String {
        let entity = map.destination[number]
        guard entity.root != entity.number else { return "" }
        return " AND \(prefix)Z_ENT BETWEEN \(entity.family.lowerBound) AND \(entity.family.upperBound)"
    }

    // MARK: Gathered links

    /// Removes the links of deleted rows, and all but one link if only one is allowed.
    private func clean(_ gathering: LinkSources.Gathering) -> [MigrationStatement] {
        let links = Self.gatheringTable(gathering.number)
        let relationship = feeds.relationship(gathering.place)
        let (owner, member) = (gathering.place.entity, relationship.destination)
        var statements: [MigrationStatement] = [
            """
            DELETE FROM \(links) WHERE NOT EXISTS (SELECT 1 FROM \(table(owner)) AS t WHERE t.Z_PK = O\(condition(owner, prefix: "t."))) \
            OR NOT EXISTS (SELECT 1 FROM \(table(member)) AS t WHERE t.Z_PK = M\(condition(member, prefix: "t.")))
            """
        ]
        func keepFirst(of column: String, by order: String) {
            statements.append(
                "DELETE FROM \(links) WHERE rowid IN (SELECT K FROM (SELECT rowid AS K, row_number() OVER (PARTITION BY \(column) ORDER BY \(order)) AS N FROM \(links)) WHERE N > 1)"
            )
        }
        let inverse = feeds.inverse(of: gathering.place).map { feeds.relationship($0) }
        let isOneWay = relationship.isToMany && relationship.inverse == nil
        if !relationship.isToMany { keepFirst(of: "O", by: "P, M") }
        if isOneWay || (!relationship.isToMany && inverse.map { !$0.isToMany } ?? false) {
            keepFirst(of: "M", by: "Q, O")
        }
        if !relationship.isToMany, inverse?.name == relationship.name, inverse?.owner == relationship.owner {
            // Two objects that point to each other have two rows in the table; an object that points to another one
            // without being pointed to is not a partner.
            statements.append(
                "DELETE FROM \(links) WHERE NOT EXISTS (SELECT 1 FROM \(links) AS l WHERE l.O = SwormLinks_\(gathering.number).M AND l.M = SwormLinks_\(gathering.number).O)"
            )
        }
        statements.append("CREATE INDEX \(links)_O ON SwormLinks_\(gathering.number) (O)")
        statements.append("CREATE INDEX \(links)_M ON SwormLinks_\(gathering.number) (M)")
        return statements
    }

    // MARK: To-one

    private func write(_ toOne: StoreLayout.ToOne, of place: PropertyLocation) -> [MigrationStatement] {
        let relationship = feeds.relationship(place)
        let entity = map.destination[place.entity]
        let (own, target) = (table(place.entity), table(relationship.destination))
        let key = SQLName.quoted(toOne.column)
        let order = layout.order(ofToOne: place.slot, in: entity).map { SQLName.quoted($0) }
        let number = toOne.entityColumn.map { SQLName.quoted($0) }
        var statements: [MigrationStatement] = []
        switch feeds[place] {
        case .none: return []
        case .direct:
            guard feeds.mayDangle(place) else { break }
            let columns = [key, number, order].compactMap { $0 }.map { "\($0) = NULL" }.joined(separator: ", ")
            statements.append(
                "UPDATE \(own) SET \(columns) WHERE \(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(target) AS t WHERE t.Z_PK = \(own).\(key)\(condition(relationship.destination, prefix: "t.")))"
            )
        case .gathered(let gathering):
            let links = Self.gatheringTable(gathering)
            var columns = "\(key) = (SELECT M FROM \(links) WHERE O = \(own).Z_PK)"
            if let order { columns += ", \(order) = (SELECT Q FROM \(links) WHERE O = \(own).Z_PK)" }
            statements.append("UPDATE \(own) SET \(columns) WHERE Z_PK IN (SELECT O FROM \(links))")
        case .partner:
            guard let inverse = feeds.inverse(of: place), case .gathered(let gathering) = feeds[inverse] else { break }
            let links = Self.gatheringTable(gathering)
            statements.append(
                "UPDATE \(own) SET \(key) = (SELECT O FROM \(links) WHERE M = \(own).Z_PK) WHERE Z_PK IN (SELECT M FROM \(links))"
            )
        }
        if let number = toOne.entityColumn, feeds.changesNumbers(place) || lacks(number, of: entity) {
            statements.append(
                "UPDATE \(own) SET \(SQLName.quoted(number)) = (SELECT t.Z_ENT FROM \(target) AS t WHERE t.Z_PK = \(own).\(key)) WHERE \(key) IS NOT NULL"
            )
        }
        if let name = layout.order(ofToOne: place.slot, in: entity), lacks(name, of: entity) {
            statements.append(arrange(own, by: key, in: SQLName.quoted(name)))
        }
        return statements
    }

    /// Returns whether some rows do not simply copy a column from the source.
    private func lacks(_ column: String, of entity: CompiledEntity) -> Bool {
        guard let plan = tables.first(where: { $0.root.number == entity.root }),
            let use = plan.uses.firstIndex(where: { $0.column == column })
        else { return false }
        return plan.cells[use].contains { $0.map { $0.column == nil } ?? false }
    }

    /// Numbers the members of each owner in their existing order, as if they had been appended.
    private func arrange(_ table: String, by key: String, in order: String) -> MigrationStatement {
        MigrationStatement(
            "UPDATE \(table) SET \(order) = \(place("N")) FROM (SELECT Z_PK AS K, row_number() OVER (PARTITION BY \(key) ORDER BY \(order), Z_PK) AS N FROM \(table) WHERE \(key) IS NOT NULL) WHERE Z_PK = K"
        )
    }

    /// Returns an expression for the order key of a member, given its position, which starts at 1.
    private func place(_ number: String) -> String {
        "\(OrderKeys.first - OrderKeys.step) + \(OrderKeys.step) * \(number)"
    }

    // MARK: To-many without inverse

    private func writeOwner(in column: String, order: String?, of place: PropertyLocation) -> [MigrationStatement] {
        let destination = map.destination[feeds.relationship(place).destination]
        let members = table(destination.number)
        let key = SQLName.quoted(column)
        var statements: [MigrationStatement] = []
        switch feeds[place] {
        case .direct:
            if feeds.mayLackOwner(place) {
                let columns = [key, order.map { SQLName.quoted($0) }].compactMap { $0 }.map { "\($0) = NULL" }
                statements.append(
                    "UPDATE \(members) SET \(columns.joined(separator: ", ")) WHERE \(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(table(place.entity)) AS t WHERE t.Z_PK = \(members).\(key)\(condition(place.entity, prefix: "t.")))"
                )
            }
        case .gathered(let gathering):
            let links = Self.gatheringTable(gathering)
            var columns = "\(key) = (SELECT O FROM \(links) WHERE M = \(members).Z_PK)"
            if let order {
                columns += ", \(SQLName.quoted(order)) = (SELECT P FROM \(links) WHERE M = \(members).Z_PK)"
            }
            statements.append("UPDATE \(members) SET \(columns) WHERE Z_PK IN (SELECT M FROM \(links))")
        case .none, .partner: return []
        }
        if let order, lacks(order, of: destination) {
            statements.append(arrange(members, by: key, in: SQLName.quoted(order)))
        }
        return statements
    }

    // MARK: Join tables

    private func write(_ join: StoreLayout.Join, of place: PropertyLocation) -> [MigrationStatement] {
        let table = SQLName.quoted(join.table)
        let (own, other) = (SQLName.quoted(join.ownColumn), SQLName.quoted(join.otherColumn))
        switch feeds[place] {
        case .none, .partner: return []
        case .direct:
            let sides = [
                (own, place.entity, feeds.mayLackOwner(place)),
                (other, feeds.relationship(place).destination, feeds.mayDangle(place)),
            ]
            return sides.filter(\.2).map { column, entity, _ in
                "DELETE FROM \(table) WHERE NOT EXISTS (SELECT 1 FROM \(self.table(entity)) AS t WHERE t.Z_PK = \(table).\(column)\(condition(entity, prefix: "t.")))"
            }
        case .gathered(let gathering):
            let links = Self.gatheringTable(gathering)
            if join.isReflexive, let order = join.orderColumn {
                // An ordered relationship has a row for each direction. A link that only the other direction provides
                // is appended.
                let number = self.place("row_number() OVER (PARTITION BY O ORDER BY min(P) IS NULL, min(P), M)")
                return [
                    MigrationStatement(
                        "INSERT INTO \(table) (\(own), \(other), \(SQLName.quoted(order))) SELECT O, M, \(number) FROM (SELECT O, M, P FROM \(links) UNION ALL SELECT M, O, Q FROM \(links)) GROUP BY O, M"
                    )
                ]
            }
            guard !join.isReflexive else {
                return ["INSERT INTO \(table) (\(own), \(other)) SELECT DISTINCT min(O, M), max(O, M) FROM \(links)"]
            }
            var columns = [own, other]
            var values = ["O", "M"]
            if let order = join.inverseOrderColumn {
                columns.append(SQLName.quoted(order))
                values.append(self.place("row_number() OVER (PARTITION BY M ORDER BY min(Q), O)"))
            }
            if let order = join.orderColumn {
                columns.append(SQLName.quoted(order))
                values.append(self.place("row_number() OVER (PARTITION BY O ORDER BY min(P), M)"))
            }
            // Several relationships may have become one, and have had links between the same two objects.
            return [
                MigrationStatement(
                    "INSERT INTO \(table) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) FROM \(links) GROUP BY O, M"
                )
            ]
        }
    }
}
