import SwormPredicates
import SwormSQLite

/// A survey of the effects of a mapping on the objects, values and links of a store. It only reads the store.
struct MigrationSurvey {
    typealias Finding = RehearsalReport.Finding

    /// A count over the rows of one entity.
    private struct Question {
        var sql: String
        var kind: Finding.Kind
        var entity: String
        var property: String
        var message: (Int64) -> String
    }

    let map: MigrationMap
    let layout: StoreLayout
    /// The number of objects, by entity number.
    let counts: [Int: Int64]
    /// The plans of the tables; empty if none were made.
    let tables: [TablePlan]
    let feeds: LinkSources
    let connection: StoreConnection

    func findings() throws -> [Finding] {
        var findings: [Finding] = []
        for entity in map.source.entities where !entity.isAbstract {
            guard let count = counts[entity.number], count > 0 else { continue }
            guard let pair = map.pairs.first(where: { $0.source.number == entity.number }) else {
                findings.append(
                    Finding(
                        kind: .lost, entity: entity.name, count: count,
                        message:
                            "\(Self.objects(count)) of '\(entity.name)' would be deleted: the new model has no such entity"
                    ))
                continue
            }
            findings += try answers(to: droppedValues(of: pair) + defaults(of: pair) + missing(of: pair), pair)
            for slot in entity.relationships.indices { findings += try links(of: slot, pair) }
        }
        return findings
    }

    // MARK: Values

    /// Answers all questions by reading the rows once.
    private func answers(to questions: [Question], _ pair: MigrationMap.Pair) throws -> [Finding] {
        var findings: [Finding] = []
        var rest = questions[...]
        // SQLite limits the number of columns of a statement.
        while !rest.isEmpty {
            let some = rest.prefix(500)
            rest = rest.dropFirst(500)
            try connection.rows(
                "SELECT \(some.map(\.sql).joined(separator: ", ")) FROM \(table(pair.source)) WHERE Z_ENT = \(pair.source.number)"
            ) { row in
                for (index, question) in some.enumerated() {
                    let count = row.int64(index)
                    guard count > 0 else { continue }
                    findings.append(
                        Finding(
                            kind: question.kind, entity: question.entity, property: question.property, count: count,
                            message: question.message(count)))
                }
            }
        }
        return findings
    }

    private func droppedValues(of pair: MigrationMap.Pair) -> [Question] {
        let kept = Set(pair.attributes)
        let entity = pair.source
        return entity.attributes.enumerated().compactMap { slot, attribute in
            guard !kept.contains(slot), attribute.derivation == nil,
                let column = layout.column(ofAttribute: slot, in: entity.number)
            else { return nil }
            return Question(
                sql: "count(\(SQLName.quoted(column)))", kind: .lost, entity: entity.name, property: attribute.name
            ) {
                "the values of '\(entity.name).\(attribute.name)', which \(Self.objects($0, have: true)), would be deleted"
            }
        }
    }

    private func defaults(of pair: MigrationMap.Pair) -> [Question] {
        guard let plan = tables.first(where: { $0.root.number == pair.destination.root }),
            let place = plan.pairs.firstIndex(where: { $0.source.number == pair.source.number })
        else { return [] }
        let entity = pair.destination
        return plan.uses.indices.compactMap { index in
            guard case .attribute(let slot) = plan.uses[index].role, let cell = plan.cells[index][place],
                cell.fill != nil
            else { return nil }
            let name = entity.attributes[slot].name
            guard let column = cell.column else {
                let sql =
                    cell.witnesses.isEmpty ? "count(*)" : "count(\(TablePlan.Cell.given("1", by: cell.witnesses)))"
                return Question(sql: sql, kind: .defaulted, entity: entity.name, property: name) {
                    "\(Self.objects($0)) of '\(entity.name)' would get the default value of the new attribute '\(name)'"
                }
            }
            let sql = "count(*) - count(\(SQLName.quoted(column)))"
            return Question(sql: sql, kind: .defaulted, entity: entity.name, property: name) {
                "\(Self.objects($0)) of '\(entity.name)' without '\(name)', which is now required, would get the default value"
            }
        }
    }

    /// Returns the questions about properties that are now required and have no default value.
    private func missing(of pair: MigrationMap.Pair) -> [Question] {
        let (old, new) = (pair.source, pair.destination)
        func question(_ name: String, _ column: String?) -> Question {
            Question(
                sql: column.map { "count(*) - count(\(SQLName.quoted($0)))" } ?? "count(*)", kind: .missing,
                entity: new.name, property: name
            ) { "\(Self.objects($0)) of '\(new.name)' without '\(name)', which is now required" }
        }
        let attributes = new.attributes.enumerated().compactMap { slot, attribute -> Question? in
            guard !attribute.isOptional, !attribute.isTransient, attribute.derivation == nil,
                attribute.defaultValue == .null
            else { return nil }
            guard let own = pair.attributes[slot] else { return question(attribute.name, nil) }
            guard old.attributes[own].isOptional else { return nil }
            return question(attribute.name, layout.column(ofAttribute: own, in: old.number))
        }
        let relationships = new.relationships.enumerated().compactMap { slot, relationship -> Question? in
            guard !relationship.isOptional, !relationship.isTransient, !relationship.isToMany else { return nil }
            guard let own = pair.relationships[slot] else { return question(relationship.name, nil) }
            guard old.relationships[own].isOptional, let toOne = layout.toOne(own, in: old.number) else { return nil }
            return question(relationship.name, toOne.column)
        }
        return attributes + relationships
    }

    // MARK: Links

    private func links(of slot: Int, _ pair: MigrationMap.Pair) throws -> [Finding] {
        let relationship = pair.source.relationships[slot]
        guard let links = layout.links(of: slot, in: pair.source, map.source) else { return [] }
        let name = "\(pair.source.name).\(relationship.name)"
        func finding(_ kind: Finding.Kind, by sql: String, _ message: (Int64) -> String) throws -> [Finding] {
            guard let count = try connection.integer(sql), count > 0 else { return [] }
            return [
                Finding(
                    kind: kind, entity: pair.source.name, property: relationship.name, count: count,
                    message: message(count))
            ]
        }
        guard let new = pair.relationships.firstIndex(of: slot).map({ pair.destination.relationships[$0] }) else {
            guard holds(slot, of: pair.source), !inverseStays(relationship) else { return [] }
            return try finding(.lost, by: "SELECT count(*) FROM (\(links))") {
                "\(Self.links($0)) of '\(name)' would be deleted: the new model has no such relationship"
            }
        }
        var findings: [Finding] = []
        if relationship.isToMany, !new.isToMany {
            findings += try finding(.truncated, by: "SELECT count(*) - count(DISTINCT O) FROM (\(links))") {
                "\(Self.links($0)) of '\(name)' would be deleted: the relationship is now to-one"
            }
        }
        let inverse = map.destination.inverse(of: new)
        // The links that the inverse had before are reported with the inverse.
        if inverse.map({ !$0.isToMany && !inverseStays(relationship) }) ?? new.isToMany {
            findings += try finding(.truncated, by: sharedMembers(of: new.name, pair)) {
                "\(Self.links($0)) of '\(name)' would be deleted: its inverse is now to-one"
            }
        }
        guard !staysAsItIs(new, of: pair.destination) else { return findings }
        let target = map.source[relationship.destination]
        let family = map.destination[new.destination].family
        let staying = target.family.filter { number in
            !map.source[number].isAbstract && map.destination(of: number).map { family.contains($0) } ?? false
        }
        let numbers = staying.map(String.init).joined(separator: ", ")
        findings += try finding(
            .orphan,
            by:
                "SELECT count(*) FROM (\(links)) WHERE NOT EXISTS (SELECT 1 FROM \(table(target)) AS t WHERE t.Z_PK = M AND t.Z_ENT IN (\(numbers)))"
        ) { "\(Self.links($0)) of '\(name)' would be deleted: they point to deleted or missing objects" }
        return findings
    }

    /// Returns a query that counts the links of one entity's objects whose target is already the target of another
    /// link.
    ///
    /// - Parameter name: The relationship of the destination; other relationships may become the same one.
    private func sharedMembers(of name: String, _ pair: MigrationMap.Pair) -> String {
        guard let place = pair.destination.relationships.firstIndex(where: { $0.name == name }) else {
            return "SELECT 0"
        }
        let relationship = pair.destination.relationships[place]
        let all = map.pairs(intoFamily: map.destination[relationship.owner]).compactMap { other -> String? in
            guard let slot = other.relationships[place],
                var links = layout.links(of: slot, in: other.source, map.source)
            else {
                return nil
            }
            let old = other.source.relationships[slot]
            // If an object retains only one link, the other links are already counted as truncated.
            if old.isToMany, !relationship.isToMany { links = "SELECT O, min(M) AS M FROM (\(links)) GROUP BY O" }
            return
                "SELECT \(other.source.number) AS E, \(map.source[old.destination].root) AS T, O, M FROM (\(links))"
        }
        return
            "SELECT count(*) FROM (SELECT E, row_number() OVER (PARTITION BY T, M ORDER BY E, O) AS N FROM (\(all.joined(separator: " UNION ALL ")))) WHERE E = \(pair.source.number) AND N > 1"
    }

    /// Returns whether all links of a relationship of the destination remain in place, including those that already
    /// point to a missing object.
    private func staysAsItIs(_ relationship: CompiledRelationship, of entity: CompiledEntity) -> Bool {
        guard let slot = entity.relationships.firstIndex(where: { $0.name == relationship.name }) else { return false }
        let place = PropertyLocation(entity: relationship.owner, slot: slot)
        if case .join(let join)? = feeds.new.toMany(slot, in: relationship.owner) {
            let owner = join.isOwner ? place : feeds.inverse(of: place)
            guard let owner, feeds[owner] == .direct else { return false }
            let (leads, comes) = (!feeds.mayDangle(owner), !feeds.mayLackOwner(owner))
            return join.isReflexive ? leads && comes : join.isOwner ? leads : comes
        }
        // Other to-many relationships are determined by the rows of their members, which exist.
        return !relationship.isToMany && feeds[place] == .direct && !feeds.mayDangle(place)
    }

    /// Returns whether the links are counted on this side. Both sides of a pair hold the same links.
    private func holds(_ slot: Int, of entity: CompiledEntity) -> Bool {
        switch layout.toMany(slot, in: entity.number) {
        case .inverse?: false
        case .join(let join)?: join.isOwner
        case .oneWay?, nil: true
        }
    }

    private func inverseStays(_ relationship: CompiledRelationship) -> Bool {
        guard let inverse = relationship.inverse else { return false }
        let family = map.source[relationship.destination].family
        return map.pairs.contains { family.contains($0.source.number) && $0.relationships.contains(inverse) }
    }

    // MARK: Words

    private func table(_ entity: CompiledEntity) -> String { SQLName.quoted(layout.table(of: entity)) }

    private static func objects(_ count: Int64, have: Bool = false) -> String {
        count == 1 ? "1 object\(have ? " has" : "")" : "\(count) objects\(have ? " have" : "")"
    }

    private static func links(_ count: Int64) -> String { count == 1 ? "1 link" : "\(count) links" }
}
