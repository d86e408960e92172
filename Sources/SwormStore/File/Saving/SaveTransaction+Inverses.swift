import SwormSQLite

// Rows that other contexts have linked to a deleted or paired object do not get a new version, so the version check
// does not find them: adding a member does not write the owner of a to-many relationship. This check therefore searches
// for such rows after all rows are written.
extension SaveTransaction {
    /// Checks for rows that refer to deleted rows, and for pairs of which only one side refers to the other.
    ///
    /// Each query uses an index, and runs only for the rows that this save deletes or pairs with existing rows.
    ///
    /// - Throws: ``LinkConflicts`` with every row that is found.
    func checkInverses() throws {
        var conflicts: [LinkConflicts.Conflict] = []
        for deletion in request.deletions {
            for leading in columns(of: deletion.row).leading {
                for row in try rows(leading, to: deletion.row.key) {
                    conflicts.append(
                        .init(row: row, relationship: leading.slot, destination: deletion.row, isDeletion: true))
                }
            }
        }
        for insertion in request.insertions {
            for toOne in columns(of: insertion.row).toOnes {
                guard let partners = toOne.partners else { continue }
                let destination = insertion.toOnes[toOne.slot]
                // No other context can refer to a new row.
                guard insertion.row.key >= 0 || (destination?.key ?? -1) >= 0 else { continue }
                conflicts += try unpaired(insertion.row, slot: toOne.slot, destination: destination, partners: partners)
            }
        }
        for update in request.updates {
            for (slot, destination) in update.toOnes {
                guard let partners = columns(of: update.row).toOne(slot)?.partners else { continue }
                conflicts += try unpaired(update.row, slot: slot, destination: destination, partners: partners)
            }
        }
        guard conflicts.isEmpty else {
            throw LinkConflicts(conflicts, of: request, keys: result.keys, model: model)
        }
    }

    /// Returns the conflicts that keep a row and its destination from being each other's only partners.
    private func unpaired(
        _ row: RowID, slot: Int, destination: RowID?, partners: EntityColumns.Leading
    ) throws -> [LinkConflicts.Conflict] {
        let wanted = try destination.map { try key($0) }
        let found = try rows(partners, to: try key(row))
        var conflicts: [LinkConflicts.Conflict] = []
        for other in found where other.key != wanted {
            conflicts.append(.init(row: other, relationship: partners.slot, destination: row, isDeletion: false))
        }
        if let destination, !found.contains(where: { $0.key == wanted }) {
            conflicts.append(.init(row: row, relationship: slot, destination: destination, isDeletion: false))
        }
        return conflicts
    }

    private func rows(_ leading: EntityColumns.Leading, to key: Int64) throws -> [RowID] {
        var rows: [RowID] = []
        var statement = try connection.base.statement(leading.query)
        try statement.bind(key, at: 1)
        while try statement.step() {
            let entity = model.entity(numbered: statement.int64(1))
            // A row without a valid entity of its table is assigned the entity of the relationship.
            let isKnown = entity.map { $0.root == model[leading.entity].root } ?? false
            rows.append(
                RowID(entity: isKnown ? entity?.number ?? 0 : leading.entity, key: statement.int64(0)))
        }
        return rows
    }
}
