#if PostgreSQL
import SwormPostgres
import SwormPredicates

extension ServerSave {
    /// The largest number of rows, and the approximate largest number of bytes, of one statement.
    static var longestList: Int { 1000 }
    static var longestMessage: Int { 16 << 20 }

    // MARK: Deletions

    func delete() {
        var groups: [Int: [SaveRequest.Deletion]] = [:]
        for deletion in request.deletions { groups[deletion.row.entity, default: []].append(deletion) }
        for (_, deletions) in groups.sorted(by: { $0.key < $1.key }) {
            let columns = columns(of: deletions[0].row)
            // Rows without a version may be missing already, or be rows of another entity.
            let keys = deletions.map(\.row.key).filter {
                present[RowID(entity: columns.entity.root, key: $0)]?.entity == columns.entity.number
            }
            guard !keys.isEmpty else { continue }
            let noted = write.history.map { _ in DeletedRows(model[columns.entity.root], in: schema) }
            awaitsNotes = noted != nil
            for slot in columns.entity.relationships.indices { unlink(keys, slot: slot, of: columns) }
            let parameters = Parameters()
            parameters.append(keys: keys)
            add(
                .init(
                    "DELETE FROM \(columns.table) WHERE \(key) = ANY($1)\(columns.entityTest()) RETURNING \(key)\(noted?.list ?? "")",
                    with: parameters
                ) { [self] result in
                    if let notes = write.history { try noted?.note(result, in: notes) }
                    let deleted = try result.keys()
                    guard Set(keys).isSubset(of: deleted) else { throw ignoredChange("delete", of: columns) }
                    write.changes?.note(.deletion, of: deleted, root: columns.entity.root)
                })
        }
    }

    /// Removes the links of rows to be deleted that are stored in a join table, or in a column of the members.
    private func unlink(_ keys: [Int64], slot: Int, of columns: ServerColumns) {
        let parameters = Parameters()
        parameters.append(keys: keys)
        switch layout.toMany(slot, in: columns.entity.number) {
        case .join(let layout)?:
            let join = ServerDerivations.Join(layout, self.layout)
            let test = join.isReflexive ? "\(join.own) = ANY($1) OR \(join.other) = ANY($1)" : "\(join.own) = ANY($1)"
            add(
                .init(
                    "DELETE FROM \(join.table) WHERE \(test) RETURNING \(join.own), \(join.other)", with: parameters
                ) { [self] result in
                    try notePartners(
                        of: keys, slot: slot, in: columns.entity, isReflexive: join.isReflexive, result)
                    guard let derivation = write.derivation else { return }
                    var other: [Int64] = []
                    for row in 0..<result.rowCount {
                        if let key = try result.int64(row, column: 1) { other.append(key) }
                    }
                    derivation.noteLinks(join, own: try result.keys(), other: other)
                })
        case .oneWay(let column, let order)?:
            let members = schema.columns[columns.entity.relationships[slot].destination - 1]
            let name = SQLName.alwaysQuoted(column)
            let reset = order.map { ", \(SQLName.alwaysQuoted($0)) = NULL" } ?? ""
            add(
                .init(
                    "UPDATE \(members.table) SET \(name) = NULL\(reset) WHERE \(name) = ANY($1) RETURNING \(key)",
                    with: parameters
                ) { [self] result in try noteLinked(result.keys(), by: name, columns: members) })
        case .inverse?, nil: break
        }
    }

    /// Notes rows whose column of a relationship changed without being a part of the request.
    func noteLinked(_ keys: [Int64], by column: String, columns: ServerColumns) {
        write.changes?.note(.update, of: keys, root: columns.entity.root)
        write.derivation?.noteChanged(
            keys, root: columns.entity.root, columns: CollectionOfOne(column), ownValuesAreWritten: true, isSave: false)
    }

    // MARK: Keys

    /// Checks that the rows do not exist which the save inserts under keys that it has. Otherwise the primary key rejects
    /// them, which does not say whether another transaction has inserted them since.
    func checkKeys() throws {
        var keys: [Int: Set<Int64>] = [:]
        for insertion in request.insertions where insertion.row.key >= 0 {
            keys[model[insertion.row.entity].root, default: []].insert(insertion.row.key)
        }
        for deletion in request.deletions {
            let row = model.identity(of: deletion.row)
            if present[row]?.entity == deletion.row.entity { keys[row.entity]?.remove(row.key) }
        }
        try write.run(
            keys.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { root, keys in
                let parameters = Parameters()
                parameters.append(keys: keys)
                let sql =
                    "SELECT \(key) FROM \(schema.columns[root - 1].table) WHERE \(key) = ANY($1) ORDER BY 1 LIMIT 1"
                return ServerWrite.Step(sql, with: parameters) { [model] result in
                    guard let present = try result.keys().first else { return }
                    throw CoreDataError(
                        NSManagedObjectConstraintMergeError,
                        "The store has an object of '\(model[root].name)' with the key \(present) already, so it cannot be inserted. Nothing was saved."
                    )
                }
            })
    }

    // MARK: Unique values

    /// Sets the constrained columns to NULL in the rows to which the save assigns other values.
    func clearUniqueValues() {
        struct Group: Hashable {
            var table: String
            var columns: [String]
        }
        var groups: [Group: [Int64]] = [:]
        for update in request.updates {
            let columns = columns(of: update.row)
            let written = Set(
                update.attributes.compactMap { columns.attribute($0.slot)?.column }
                    + update.toOnes.compactMap { columns.toOne($0.slot)?.column })
            let constrained = Set(columns.uniqueConstraints(in: model).flatMap(\.columns)).intersection(written)
            guard !constrained.isEmpty else { continue }
            groups[Group(table: columns.table, columns: constrained.sorted()), default: []].append(update.row.key)
        }
        for (group, keys) in groups.sorted(by: { ($0.key.table, $0.key.columns[0]) < ($1.key.table, $1.key.columns[0]) }
        ) {
            let parameters = Parameters()
            parameters.append(keys: keys)
            let list = group.columns.map { "\($0) = NULL" }.joined(separator: ", ")
            add(.init("UPDATE \(group.table) SET \(list) WHERE \(key) = ANY($1)", with: parameters))
        }
    }

    // MARK: Versions

    /// Returns the version after the given one, or 1 after the largest number: a store can contain any number.
    static func version(after last: Int64) -> Int64 { last < .max ? max(last, 0) + 1 : 1 }

    /// Returns the version of a row that is inserted again after its deletion. The deleted row may have had later versions
    /// than the last known one, and other contexts may have read them, so the new version is far above that one.
    static func version(anewAfter last: Int64) -> Int64 {
        let gap: Int64 = 1 << 20
        return last < .max - gap ? version(after: max(last, 0) + gap) : 1
    }

    // MARK: Positions

    func leaveUnplaced(
        _ member: Int64, owner: Int64, in table: String, ownerColumn: String, orderColumn: String,
        member memberColumn: String? = nil
    ) {
        let column = OrderColumn(table: table, owner: ownerColumn, order: orderColumn, member: memberColumn ?? key)
        unplaced[column, default: []].append(Unplaced(member: member, owner: owner))
    }
}
#endif
