import SwormSQLite

// Rows that others have linked to what a save deletes or pairs keep their versions out of its way: the owner of a to-many
// relationship is not written when a member comes. So they are looked for, once all is written.
extension SaveTransaction {
    /// Looks for rows that lead to deleted ones, and for pairs of which one side alone leads to the other.
    ///
    /// Each question is answered by an index, and is asked only of what this save deletes, and pairs with rows that were there.
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
                // Nobody else can know a row that is new.
                guard insertion.row.key >= 0 || (destination?.key ?? -1) >= 0 else { continue }
                conflicts += try unpaired(insertion.row, toOne.slot, destination, partners)
            }
        }
        for update in request.updates {
            for (slot, destination) in update.toOnes {
                guard let partners = columns(of: update.row).toOne(slot)?.partners else { continue }
                conflicts += try unpaired(update.row, slot, destination, partners)
            }
        }
        guard conflicts.isEmpty else { throw LinkConflicts(conflicts: conflicts) }
    }

    /// What keeps a row and its destination from being the only partners of each other.
    private func unpaired(
        _ row: RowID, _ slot: Int, _ destination: RowID?, _ partners: EntityColumns.Leading
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
            // A row that names no entity of its table is as the relationship says.
            let isKnown = entity.map { $0.root == model[leading.entity].root } ?? false
            rows.append(
                RowID(entity: isKnown ? entity?.number ?? 0 : leading.entity, key: statement.int64(0)))
        }
        return rows
    }
}
