#if PostgreSQL
import SwormPostgres
import SwormPredicates

// Rows that other contexts have linked to a deleted or paired object do not get a new version, so the comparison of versions
// does not find them: adding a member does not write the owner of a to-many relationship. This check therefore searches for
// such rows after all rows are written.
extension ServerSave {
    /// A pair of rows to check, or a row that has lost its partner.
    private struct Pair {
        var row: RowID
        var slot: Int
        var destination: RowID?
        var partners: ServerColumns.Leading
    }

    /// Sends the changes that were not sent yet, and checks for rows that refer to deleted rows, and for pairs of which only
    /// one side refers to the other.
    ///
    /// - Throws: ``LinkConflicts`` with every row that is found.
    func checkInverses() throws {
        let pairs = pairs()
        var keys: [ServerColumns.Leading: Set<Int64>] = [:]
        for deletion in request.deletions {
            for leading in columns(of: deletion.row).leading { keys[leading, default: []].insert(deletion.row.key) }
        }
        for pair in pairs { keys[pair.partners, default: []].insert(try key(pair.row)) }
        var found: [ServerColumns.Leading: [Int64: [RowID]]] = [:]
        let steps = keys.sorted { ($0.key.entity, $0.key.slot) < ($1.key.entity, $1.key.slot) }.map { leading, keys in
            let parameters = Parameters()
            parameters.append(keys: keys)
            let number = leading.numbersEntities ? SystemColumns.postgres.entity : "NULL::bigint"
            return ServerWrite.Step(
                "SELECT \(leading.column), \(key), \(number) FROM \(leading.table) WHERE \(leading.column) = ANY($1) ORDER BY 1, 2",
                with: parameters
            ) { [self] result in
                for row in 0..<result.rowCount {
                    guard let destination = try result.int64(row, column: 0), let key = try result.int64(row, column: 1)
                    else { continue }
                    let entity = schema.entity(stored: try result.int64(row, column: 2), in: leading.entity)
                    found[leading, default: [:]][destination, default: []].append(RowID(entity: entity, key: key))
                }
            }
        }
        let last = awaitsNotes ? [] : try write.historySteps()
        try send(followedBy: steps + (timed.isEmpty ? [] : [write.timeStep]) + last)
        var conflicts: [LinkConflicts.Conflict] = []
        for deletion in request.deletions {
            for leading in columns(of: deletion.row).leading {
                for row in found[leading]?[deletion.row.key] ?? [] {
                    conflicts.append(
                        .init(row: row, relationship: leading.slot, destination: deletion.row, isDeletion: true))
                }
            }
        }
        for pair in pairs { conflicts += try unpaired(pair, found: found[pair.partners]?[try key(pair.row)] ?? []) }
        guard conflicts.isEmpty else {
            throw LinkConflicts(conflicts, of: request, keys: result.keys, model: model)
        }
        try noteTimes()
    }

    private func pairs() -> [Pair] {
        var pairs: [Pair] = []
        for insertion in request.insertions {
            for toOne in columns(of: insertion.row).toOnes {
                guard let partners = toOne.partners else { continue }
                let destination = insertion.toOnes[toOne.slot]
                // No other context can refer to a new row.
                guard insertion.row.key >= 0 || (destination?.key ?? -1) >= 0 else { continue }
                pairs.append(
                    Pair(row: insertion.row, slot: toOne.slot, destination: destination, partners: partners))
            }
        }
        for update in request.updates {
            for (slot, destination) in update.toOnes {
                guard let partners = columns(of: update.row).toOne(slot)?.partners else { continue }
                pairs.append(Pair(row: update.row, slot: slot, destination: destination, partners: partners))
            }
        }
        return pairs
    }

    /// Returns the conflicts that keep a row and its destination from being each other's only partners.
    private func unpaired(_ pair: Pair, found: [RowID]) throws -> [LinkConflicts.Conflict] {
        let wanted = try pair.destination.map { try key($0) }
        var conflicts: [LinkConflicts.Conflict] = []
        for other in found where other.key != wanted {
            conflicts.append(
                .init(row: other, relationship: pair.partners.slot, destination: pair.row, isDeletion: false))
        }
        if let destination = pair.destination, !found.contains(where: { $0.key == wanted }) {
            conflicts.append(
                .init(row: pair.row, relationship: pair.slot, destination: destination, isDeletion: false))
        }
        return conflicts
    }
}
#endif
