import SwormSQLite

extension SaveTransaction {
    /// Compares the versions of the rows that are about to change with those in the file, before anything is written.
    ///
    /// - Parameter includingUpdates: Whether to check also the rows of updates whose statements compare the version
    ///   themselves.
    /// - Throws: ``SaveConflicts`` with every row that differs.
    func checkVersions(includingUpdates: Bool) throws {
        var conflicts: [SaveConflicts.Conflict] = []
        for update in request.updates where includingUpdates || update.version == nil {
            guard let found = try version(of: update.row) else {
                conflicts.append(.init(row: update.row, expected: update.version ?? 0, exists: false))
                continue
            }
            if let expected = update.version, expected != found {
                conflicts.append(.init(row: update.row, expected: expected, exists: true))
            }
            versions[update.row] = found
        }
        for deletion in request.deletions {
            guard let expected = deletion.version else { continue }
            let found = try version(of: deletion.row)
            if found != expected {
                conflicts.append(.init(row: deletion.row, expected: expected, exists: found != nil))
            }
        }
        for expectation in request.expectations {
            let found = try version(of: expectation.row)
            if found != expectation.version {
                conflicts.append(
                    .init(row: expectation.row, expected: expectation.version, exists: found != nil))
            }
        }
        if conflicts.isEmpty { return }
        // There are conflicts, so find all of them.
        if !includingUpdates { try checkVersions(includingUpdates: true) }
        throw SaveConflicts(conflicts: try conflicts + missingDestinations(besides: conflicts))
    }

    /// Compares the versions of the rows that the save has not updated yet, after an error.
    ///
    /// - Throws: ``SaveConflicts`` with every row that differs.
    func checkVersionsOfUnwrittenRows() throws {
        var conflicts: [SaveConflicts.Conflict] = []
        // The statements of the earlier updates have compared the versions.
        for update in request.updates.dropFirst(result.updatedVersions.count) {
            guard let expected = update.version else { continue }
            let found = try version(of: update.row)
            if found != expected {
                conflicts.append(.init(row: update.row, expected: expected, exists: found != nil))
            }
        }
        guard conflicts.isEmpty else { throw SaveConflicts(conflicts: conflicts) }
    }

    /// Checks that the rows exist to which the request refers. A row that another context has deleted is a conflict, as
    /// is a changed one.
    ///
    /// - Throws: ``SaveConflicts`` with every row that is missing.
    func checkDestinations() throws {
        let conflicts = try missingDestinations(besides: [])
        guard conflicts.isEmpty else { throw SaveConflicts(conflicts: conflicts) }
    }

    /// Returns a conflict for every row to which the request refers and that does not exist.
    ///
    /// - Parameter known: Conflicts that were found before, which are not repeated.
    private func missingDestinations(besides known: [SaveConflicts.Conflict]) throws -> [SaveConflicts.Conflict] {
        var seen = Set(versions.keys.map(model.identity))
        seen.formUnion(known.map { model.identity(of: $0.row) })
        for insertion in request.insertions where insertion.row.key >= 0 {
            seen.insert(model.identity(of: insertion.row))
        }
        var conflicts: [SaveConflicts.Conflict] = []
        func check(_ row: RowID?) throws {
            guard let row, row.key >= 0, seen.insert(model.identity(of: row)).inserted else { return }
            let sql = "SELECT 1 FROM \(columns(of: row).table) WHERE Z_PK = ?"
            guard try connection.integer(sql, binding: [.integer(row.key)]) == nil else { return }
            conflicts.append(.init(row: row, expected: 0, exists: false))
        }
        for insertion in request.insertions { for row in insertion.toOnes { try check(row) } }
        for update in request.updates { for (_, row) in update.toOnes { try check(row) } }
        for link in request.addedLinks {
            // A relationship that a to-one inverse stores is rejected when it is written.
            if case .inverse? = layout.toMany(link.relationship, in: link.owner.entity) { continue }
            try check(link.owner)
            try check(link.destination)
        }
        return conflicts
    }

    /// Checks for members of deleted objects that other contexts have linked, if the delete rule requires it. Links in
    /// a join table do not affect the version of any row, and are deleted with the row.
    ///
    /// - Throws: ``LinkConflicts`` with every member to which the rule was not applied.
    func checkMembers() throws {
        guard request.deletions.contains(where: { !$0.emptied.isEmpty }) else { return }
        let deleted = Set(request.deletions.map { object(entity: $0.row.entity, key: $0.row.key) })
        var conflicts: [LinkConflicts.Member] = []
        for deletion in request.deletions {
            for emptied in deletion.emptied {
                let entity = model[deletion.row.entity]
                guard entity.relationships.indices.contains(emptied.relationship) else { continue }
                let destination = entity.relationships[emptied.relationship].destination
                for member in try members(of: deletion.row.key, slot: emptied.relationship, in: entity)
                where !emptied.unlinked.contains(member.key)
                    && !deleted.contains(object(entity: destination, key: member.key))
                {
                    conflicts.append(.init(owner: deletion.row, relationship: emptied.relationship, member: member))
                }
            }
        }
        guard conflicts.isEmpty else { throw LinkConflicts(members: conflicts) }
    }

    /// Returns the members of a relationship that is stored in a join table, or in a column without an inverse.
    private func members(of key: Int64, slot: Int, in entity: CompiledEntity) throws -> [RowID] {
        let destination = entity.relationships[slot].destination
        let table = columns[destination - 1].table
        var conditions: [String] = []
        switch layout.toMany(slot, in: entity.number) {
        case .join(let join)?:
            let (own, other) = (SQLName.quoted(join.ownColumn), SQLName.quoted(join.otherColumn))
            for (side, far) in join.isReflexive ? [(own, other), (other, own)] : [(own, other)] {
                conditions.append("Z_PK IN (SELECT \(far) FROM \(SQLName.quoted(join.table)) WHERE \(side) = ?1)")
            }
        case .oneWay(let column, _)?: conditions = ["\(SQLName.quoted(column)) = ?1"]
        case .inverse?, nil: return []
        }
        var rows: [RowID] = []
        try connection.rows(
            "SELECT Z_PK, Z_ENT FROM \(table) WHERE \(conditions.joined(separator: " OR "))", binding: [.integer(key)]
        ) { statement in
            let found = model.entity(numbered: statement.int64(1))
            // A row without a valid entity of its table is assigned the entity of the relationship.
            let isKnown = found.map { $0.root == model[destination].root } ?? false
            rows.append(
                RowID(entity: isKnown ? found?.number ?? 0 : destination, key: statement.int64(0)))
        }
        return rows
    }

    /// Returns the version of a row in the file, or nil if there is no such row of this entity.
    func version(of row: RowID) throws -> Int64? {
        var statement = try connection.base.statement(
            "SELECT Z_ENT, Z_OPT FROM \(columns(of: row).table) WHERE Z_PK = ?")
        try statement.bind(row.key, at: 1)
        guard try statement.step(), statement.int64(0) == Int64(row.entity) else { return nil }
        // Rows that a tool added can lack a version, which reads as 0.
        return statement.int64(1)
    }
}
