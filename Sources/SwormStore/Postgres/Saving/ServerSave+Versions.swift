#if PostgreSQL
import SwormPostgres

// The comparison of the request with the rows, before anything is written. It takes one trip to the server.
extension ServerSave {
    /// Locks the rows that the save changes, and compares them with the request.
    ///
    /// - Throws: ``SaveConflicts``, ``LinkConflicts`` or ``UniquenessConflicts`` with everything that differs. Versions count
    ///   for more than links, links for more than values that cannot be written, and those for more than unique values.
    func checkRows() throws {
        do {
            try compareRows()
        } catch  where asksForVersion && !(error is ServerError) {
            // The row of the update was not compared, and may have a conflict too.
            isThorough = true
            try compareRows()
        }
    }

    private func compareRows() throws {
        var missing: [RowID] = []
        var members: [LinkConflicts.Member] = []
        let unique = UniqueCheck(self)
        var steps = lockingSteps() + destinationSteps { missing.append($0) } + memberSteps { members.append($0) }
        steps += ownerSteps()
        steps += try ownerNoteSteps()
        steps += unique.steps(afterValues: false)
        try send(followedBy: steps)
        try checkVersions(missing)
        guard missing.isEmpty else {
            throw SaveConflicts(conflicts: missing.map { .init(row: $0, expected: 0, exists: false) })
        }
        guard members.isEmpty else { throw LinkConflicts(members: members) }
        try write.run(unique.steps(afterValues: true))
        try unique.check()
        if isThorough { try checkKeys() }
    }

    /// Adds the checks of a save that continues a view. They are sent with its changes.
    ///
    /// - Returns: A closure that throws if a check has failed.
    func addChecks() throws -> () throws -> Void {
        var missing: [RowID] = []
        let unique = UniqueCheck(self)
        let notes = try ownerNoteSteps()
        // The answers have the names of the changed properties.
        awaitsNotes = !notes.isEmpty
        let values = unique.indexSteps() + unique.steps(afterValues: false)
        for step in destinationSteps(missing: { missing.append($0) }) + notes + values { add(step) }
        return {
            guard missing.isEmpty, !unique.needsValues else { throw StaleUpdate() }
            try unique.check()
        }
    }

    /// Whether the rows that the save changes are found by their versions, so that they need not be locked before.
    var asksForVersion: Bool {
        if write.continuesView { return true }
        return !isThorough && request.updates.count == 1 && request.updates[0].version != nil
            && request.deletions.isEmpty && request.expectations.isEmpty
    }

    /// The version that an update replaces, and whether its statement has to compare it.
    func version(before update: SaveRequest.Update) -> (version: Int64, isAsked: Bool) {
        if asksForVersion { return (update.version ?? 0, true) }
        return (present[model.identity(of: update.row)]?.version ?? 0, false)
    }

    // MARK: Versions

    private func version(of row: RowID) -> Int64? {
        guard let found = present[model.identity(of: row)], found.entity == row.entity else { return nil }
        return found.version
    }

    /// - Parameter missing: The missing rows to which the request refers.
    private func checkVersions(_ missing: [RowID]) throws {
        var conflicts: [SaveConflicts.Conflict] = []
        if !asksForVersion {
            for update in request.updates {
                guard let found = version(of: update.row) else {
                    conflicts.append(.init(row: update.row, expected: update.version ?? 0, exists: false))
                    continue
                }
                if let expected = update.version, expected != found {
                    conflicts.append(.init(row: update.row, expected: expected, exists: true))
                }
            }
        }
        for deletion in request.deletions {
            guard let expected = deletion.version else { continue }
            let found = version(of: deletion.row)
            if found != expected {
                conflicts.append(.init(row: deletion.row, expected: expected, exists: found != nil))
            }
        }
        for expectation in request.expectations {
            let found = version(of: expectation.row)
            if found != expectation.version {
                conflicts.append(.init(row: expectation.row, expected: expectation.version, exists: found != nil))
            }
        }
        if conflicts.isEmpty { return }
        let known = Set(conflicts.map { model.identity(of: $0.row) })
        for row in missing where !known.contains(model.identity(of: row)) {
            conflicts.append(.init(row: row, expected: 0, exists: false))
        }
        throw SaveConflicts(conflicts: conflicts)
    }

    // MARK: Destinations

    /// Checks that the rows exist to which the request refers. A row that another context has deleted is a conflict, as is a
    /// changed one.
    ///
    /// The rows are not locked, because a role need not have the right to change them. Foreign keys keep a transaction that
    /// deletes them later from being committed as well.
    private func destinationSteps(missing: @escaping (RowID) -> Void) -> [ServerWrite.Step] {
        var seen: Set<RowID> = []
        if !asksForVersion { for update in request.updates { seen.insert(model.identity(of: update.row)) } }
        for insertion in request.insertions where insertion.row.key >= 0 {
            seen.insert(model.identity(of: insertion.row))
        }
        var rows: [Int: [RowID]] = [:]
        func check(_ row: RowID?) {
            guard let row, row.key >= 0, seen.insert(model.identity(of: row)).inserted else { return }
            rows[model[row.entity].root, default: []].append(row)
        }
        for insertion in request.insertions { for row in insertion.toOnes { check(row) } }
        for update in request.updates { for (_, row) in update.toOnes { check(row) } }
        for link in request.addedLinks {
            // A relationship that a to-one inverse stores is rejected when it is written.
            if case .inverse? = layout.toMany(link.relationship, in: link.owner.entity) { continue }
            check(link.owner)
            check(link.destination)
        }
        return rows.sorted { $0.key < $1.key }.map { root, rows in
            let parameters = Parameters()
            parameters.append(keys: rows.map(\.key))
            return ServerWrite.Step(
                "SELECT \(key) FROM \(schema.columns[root - 1].table) WHERE \(key) = ANY($1)",
                with: parameters
            ) { result in
                let found = Set(try result.keys())
                for row in rows where !found.contains(row.key) { missing(row) }
            }
        }
    }

    // MARK: Members

    /// Checks for members of deleted objects that other contexts have linked, if the delete rule requires it. Links in a
    /// join table do not affect the version of any row, and are deleted with the row.
    private func memberSteps(conflict: @escaping (LinkConflicts.Member) -> Void) -> [ServerWrite.Step] {
        struct List: Hashable {
            var entity: Int
            var slot: Int
        }
        var owners: [List: [(row: RowID, unlinked: Set<Int64>)]] = [:]
        var order: [List] = []
        for deletion in request.deletions {
            for emptied in deletion.emptied {
                let entity = model[deletion.row.entity]
                guard entity.relationships.indices.contains(emptied.relationship) else { continue }
                let list = List(entity: entity.number, slot: emptied.relationship)
                if owners[list] == nil { order.append(list) }
                owners[list, default: []].append((deletion.row, emptied.unlinked))
            }
        }
        let deleted = Set(request.deletions.map { model.identity(of: $0.row) })
        return order.compactMap { list in
            let destination = model[model[list.entity].relationships[list.slot].destination].number
            guard let owners = owners[list], let sql = members(of: list.slot, in: list.entity) else { return nil }
            let known = Dictionary(owners.map { ($0.row.key, $0) }, uniquingKeysWith: { first, _ in first })
            let parameters = Parameters()
            parameters.append(keys: known.keys)
            return ServerWrite.Step(sql, with: parameters) { [self] result in
                for row in 0..<result.rowCount {
                    guard let owner = try result.int64(row, column: 0).flatMap({ known[$0] }),
                        let key = try result.int64(row, column: 1)
                    else { continue }
                    let member = RowID(
                        entity: schema.entity(stored: try result.int64(row, column: 2), in: destination), key: key)
                    guard !owner.unlinked.contains(key), !deleted.contains(model.identity(of: member)) else { continue }
                    conflict(.init(owner: owner.row, relationship: list.slot, member: member))
                }
            }
        }
    }

    /// Returns the statement for the members of a relationship that is stored in a join table, or in a column without an
    /// inverse: the owner's key, and the key and the entity number of the member.
    private func members(of slot: Int, in entity: Int) -> String? {
        let columns = schema.columns[model[entity].relationships[slot].destination - 1]
        let number = columns.numbersEntities ? "m.\(SystemColumns.postgres.entity)" : "\(columns.storedNumber)"
        switch layout.toMany(slot, in: entity) {
        case .join(let join)?:
            let pairs = ServerDerivations.Join(join, layout)
            return
                "SELECT j.\(pairs.own), m.\(key), \(number) FROM \(pairs.pairs) AS j JOIN \(columns.table) AS m ON m.\(key) = j.\(pairs.other) WHERE j.\(pairs.own) = ANY($1) ORDER BY 1, 2"
        case .oneWay(let column, _)?:
            let name = SQLName.alwaysQuoted(column)
            return
                "SELECT m.\(name), m.\(key), \(number) FROM \(columns.table) AS m WHERE m.\(name) = ANY($1) ORDER BY 1, 2"
        case .inverse?, nil: return nil
        }
    }

    // MARK: Derived values

    /// Notes the objects whose derived values depend on the rows, before these change their owners or are deleted.
    private func ownerSteps() -> [ServerWrite.Step] {
        guard let derivation = write.derivation else { return [] }
        var steps: [ServerWrite.Step] = []
        var deleted: [Int: [Int64]] = [:]
        for deletion in request.deletions {
            deleted[model[deletion.row.entity].root, default: []].append(deletion.row.key)
        }
        for (root, keys) in deleted.sorted(by: { $0.key < $1.key }) {
            steps += derivation.stepsNotingOwners(of: keys, root: root, columns: nil)
        }
        var changed: [ServerDerivations.Column: [Int64]] = [:]
        for update in request.updates {
            for (slot, _) in update.toOnes {
                guard let toOne = columns(of: update.row).toOne(slot) else { continue }
                changed[.init(root: model[update.row.entity].root, name: toOne.column), default: []]
                    .append(update.row.key)
            }
        }
        for link in request.addedLinks where link.destination.key >= 0 {
            guard case .oneWay(let column, _)? = layout.toMany(link.relationship, in: link.owner.entity) else {
                continue
            }
            let root = model[link.destination.entity].root
            changed[.init(root: root, name: SQLName.alwaysQuoted(column)), default: []].append(link.destination.key)
        }
        for (column, keys) in changed.sorted(by: { ($0.key.root, $0.key.name) < ($1.key.root, $1.key.name) }) {
            steps += derivation.stepsNotingOwners(of: keys, root: column.root, columns: [column.name])
        }
        return steps
    }
}
#endif
