#if PostgreSQL
import SwormPostgres
import SwormPredicates

extension ServerSave {
    /// A relationship, seen from one of its sides.
    private struct LinkGroup: Hashable {
        var entity: Int
        var relationship: Int
        /// The hierarchy of the members, which has the table.
        var root: Int
    }

    /// Writes the relationships that are stored in join tables, or in a column of the destination without an inverse.
    func writeLinks() throws {
        if write.history != nil, !request.removedLinks.isEmpty || !request.addedLinks.isEmpty { awaitsNotes = true }
        for (group, links) in groups(request.removedLinks) { try remove(links, group: group) }
        for (group, links) in groups(request.addedLinks) { try insert(links, group: group) }
        // A relationship may be named from both of its sides.
        for link in request.addedLinks { try leaveUnplaced(link) }
    }

    /// Notes the members of a link that need a position.
    private func leaveUnplaced(_ link: SaveRequest.Link) throws {
        let (owner, member) = (try key(link.owner), try key(link.destination))
        switch layout.toMany(link.relationship, in: link.owner.entity) {
        case .join(let layout)?:
            let join = ServerDerivations.Join(layout, self.layout)
            if let order = layout.orderColumn {
                leaveUnplaced(
                    member, owner: owner, in: join.table, ownerColumn: join.own,
                    orderColumn: SQLName.alwaysQuoted(order), member: join.other)
            }
            if let order = layout.inverseOrderColumn {
                leaveUnplaced(
                    owner, owner: member, in: join.table, ownerColumn: join.other,
                    orderColumn: SQLName.alwaysQuoted(order), member: join.own)
            }
        case .oneWay(let column, let order?)?:
            leaveUnplaced(
                member, owner: owner, in: columns(of: link.destination).table,
                ownerColumn: SQLName.alwaysQuoted(column), orderColumn: SQLName.alwaysQuoted(order))
        default: break
        }
    }

    private func groups(_ links: [SaveRequest.Link]) -> [(LinkGroup, [SaveRequest.Link])] {
        var groups: [LinkGroup: [SaveRequest.Link]] = [:]
        var order: [LinkGroup] = []
        for link in links {
            // Inherited relationships have one table for all entities.
            let owner = model[link.owner.entity].relationships[link.relationship].owner
            let group = LinkGroup(
                entity: owner, relationship: link.relationship, root: model[link.destination.entity].root)
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(link)
        }
        return order.map { ($0, groups[$0] ?? []) }
    }

    private func keys(_ links: [SaveRequest.Link]) throws -> (owners: [Int64], members: [Int64]) {
        (try links.map { try key($0.owner) }, try links.map { try key($0.destination) })
    }

    /// Returns the end of a statement whose result only the history needs.
    private func returning(_ list: String) -> String { write.history == nil ? "" : " RETURNING \(list)" }

    private func parameters(_ owners: [Int64], members: [Int64]) -> Parameters {
        let parameters = Parameters()
        parameters.append(keys: owners)
        parameters.append(keys: members)
        return parameters
    }

    private func remove(_ links: [SaveRequest.Link], group: LinkGroup) throws {
        let (owners, members) = try keys(links)
        switch layout.toMany(group.relationship, in: group.entity) {
        case .join(let layout)?:
            let join = ServerDerivations.Join(layout, self.layout)
            // A pair may have been written from either side.
            let (first, second) = join.isReflexive ? (owners + members, members + owners) : (owners, members)
            add(
                .init(
                    "DELETE FROM \(join.table) AS r USING unnest($1, $2) AS u(a, b) WHERE r.\(join.own) = u.a AND r.\(join.other) = u.b\(returning("r.\(join.own), r.\(join.other)"))",
                    with: parameters(first, members: second)
                ) { [self] in try note(links, foundIn: $0, inEitherOrder: join.isReflexive) })
            write.derivation?.noteLinks(join, own: owners, other: members)
        case .oneWay(let column, let order)?:
            let columns = schema.columns[group.root - 1]
            let name = SQLName.alwaysQuoted(column)
            let reset = order.map { ", \(SQLName.alwaysQuoted($0)) = NULL" } ?? ""
            noteOwners(owners, of: name, root: group.root)
            add(
                .init(
                    "UPDATE \(columns.table) AS r SET \(name) = NULL\(reset) FROM unnest($1, $2) AS u(a, b) WHERE r.\(key) = u.b AND r.\(name) = u.a RETURNING r.\(key), u.a",
                    with: parameters(owners, members: members)
                ) { [self] result in
                    try note(links, foundIn: result, inEitherOrder: true)
                    try noteLinked(result.keys(), by: name, columns: columns)
                })
        case .inverse?, nil: throw misplaced(links[0])
        }
    }

    private func insert(_ links: [SaveRequest.Link], group: LinkGroup) throws {
        let (owners, members) = try keys(links)
        switch layout.toMany(group.relationship, in: group.entity) {
        case .join(let layout)?:
            let join = ServerDerivations.Join(layout, self.layout)
            add(
                .init(
                    "INSERT INTO \(join.table) (\(join.own), \(join.other)) SELECT u.a, u.b FROM unnest($1, $2) AS u(a, b) ON CONFLICT DO NOTHING\(returning("\(join.own), \(join.other)"))",
                    with: parameters(owners, members: members)
                ) { [self] in try note(links, foundIn: $0, inEitherOrder: false) })
            write.derivation?.noteLinks(join, own: owners, other: members)
        case .oneWay(let column, let order)?:
            let columns = schema.columns[group.root - 1]
            let name = SQLName.alwaysQuoted(column)
            // The last owner counts.
            let last = Dictionary(zip(members, owners), uniquingKeysWith: { $1 })
            let written = last.keys.sorted()
            let reset =
                order.map(SQLName.alwaysQuoted)
                .map { ", \($0) = CASE WHEN r.\(name) IS NOT DISTINCT FROM u.a THEN r.\($0) END" } ?? ""
            add(
                .init(
                    "UPDATE \(columns.table) AS r SET \(name) = u.a\(reset) FROM unnest($1, $2) AS u(a, b) WHERE r.\(key) = u.b RETURNING r.\(key)",
                    with: parameters(written.map { last[$0] ?? 0 }, members: written)
                ) { [self] result in
                    let found = try result.keys()
                    guard found.count == written.count else { throw ignoredChange("link", of: columns) }
                    for link in links { try note(link) }
                    noteLinked(found, by: name, columns: columns)
                })
        case .inverse?, nil: throw misplaced(links[0])
        }
    }

    /// Notes objects that lose members, which are no longer found when derived values are computed.
    private func noteOwners(_ owners: [Int64], of column: String, root: Int) {
        write.derivation?.noteOwners(owners, of: .init(root: root, name: column))
    }

    private func misplaced(_ link: SaveRequest.Link) -> CoreDataError {
        let entity = model[link.owner.entity]
        return CoreDataError(
            NSPersistentStoreSaveError,
            "'\(entity.name).\(entity.relationships[link.relationship].name)' is stored by its to-one inverse. Change the inverse.",
            entity: entity.name, key: entity.relationships[link.relationship].name)
    }
}
#endif
