#if PostgreSQL
import SwormPostgres

// The locks that a save takes before it compares and writes rows.
extension ServerSave {
    /// Locks rows in the order of their tables and keys, so that two saves do not wait for each other.
    func lockingSteps() -> [ServerWrite.Step] {
        var keys: [Int: Set<Int64>] = [:]
        var deleting: Set<Int> = []
        func add(_ row: RowID) { keys[model[row.entity].root, default: []].insert(row.key) }
        if !asksForVersion { for update in request.updates { add(update.row) } }
        for deletion in request.deletions {
            add(deletion.row)
            deleting.insert(model[deletion.row.entity].root)
        }
        for expectation in request.expectations { add(expectation.row) }
        // The lists of an owner are changed by one save at a time: the next one reads the result, or it has a conflict.
        let touched = write.touchesOwners ? touchedRows() : []
        if write.readsLatest { for owner in owners() where owner.key >= 0 { add(owner) } }
        for row in touched { add(row) }
        return keys.sorted { $0.key < $1.key }.map { root, keys in
            let columns = schema.columns[root - 1]
            let entity = columns.numbersEntities ? SystemColumns.postgres.entity : "\(columns.storedNumber)::bigint"
            let parameters = Parameters()
            parameters.append(keys: keys)
            // A stronger lock would keep other transactions from referring to rows that only change.
            let strength = deleting.contains(root) ? "UPDATE" : "NO KEY UPDATE"
            return ServerWrite.Step(
                "SELECT \(key), \(entity), \(SystemColumns.postgres.version) FROM \(columns.table) WHERE \(key) = ANY($1) ORDER BY \(key) FOR \(strength)",
                with: parameters
            ) { [self] result in
                for row in 0..<result.rowCount {
                    let key = try result.int64(row, column: 0) ?? 0
                    let entity = schema.entity(stored: try result.int64(row, column: 1), in: root)
                    present[RowID(entity: root, key: key)] = (entity, try result.int64(row, column: 2) ?? 0)
                }
            }
        } + touchingSteps(touched)
    }

    /// The rows whose members the save changes, and which it does not write otherwise.
    private func touchedRows() -> Set<RowID> {
        var rows = Set(request.touched.map(model.identity))
        for owner in owners() where owner.key >= 0 { rows.insert(model.identity(of: owner)) }
        for update in request.updates { rows.remove(model.identity(of: update.row)) }
        for deletion in request.deletions { rows.remove(model.identity(of: deletion.row)) }
        return rows
    }

    /// Writes rows without a change. A lock alone is no conflict for a transaction that has an older snapshot and locks the
    /// row later.
    private func touchingSteps(_ rows: Set<RowID>) -> [ServerWrite.Step] {
        let version = SystemColumns.postgres.version
        return Dictionary(grouping: rows, by: \.entity).sorted { $0.key < $1.key }.map { root, rows in
            let parameters = Parameters()
            parameters.append(keys: rows.map(\.key))
            return ServerWrite.Step(
                "UPDATE \(schema.columns[root - 1].table) SET \(version) = \(version) WHERE \(key) = ANY($1)",
                with: parameters)
        }
    }

    /// The owners of the ordered lists that the save changes.
    private func owners() -> Set<RowID> {
        var owners: Set<RowID> = []
        for insertion in request.insertions {
            for toOne in columns(of: insertion.row).toOnes where toOne.orderColumn != nil {
                if let owner = insertion.toOnes[toOne.slot] { owners.insert(owner) }
            }
        }
        for update in request.updates {
            for (slot, owner) in update.toOnes where columns(of: update.row).toOne(slot)?.orderColumn != nil {
                if let owner { owners.insert(owner) }
            }
        }
        for link in request.addedLinks {
            guard case .join(let join)? = layout.toMany(link.relationship, in: link.owner.entity) else {
                if orderColumn(of: link) != nil { owners.insert(link.owner) }
                continue
            }
            if join.orderColumn != nil { owners.insert(link.owner) }
            if join.inverseOrderColumn != nil { owners.insert(link.destination) }
        }
        for position in request.positions { owners.insert(position.link.owner) }
        return owners
    }
}
#endif
