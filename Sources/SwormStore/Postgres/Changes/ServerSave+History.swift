#if PostgreSQL
import SwormPostgres
import SwormPredicates

// Collects the history entries of a save.
//
// In the history, an object is updated when one of its to-many relationships changes, wherever that relationship is stored.
// A value of a row that the server does not return is read before anything is written, along with what the save must know
// anyway.
extension ServerSave {
    func object(_ row: RowID) throws -> ServerHistoryNotes.Object {
        .init(root: model[row.entity].root, key: try key(row))
    }

    /// Notes the objects that the request changes, and the owners of inserted objects.
    func noteRequest() throws {
        guard let notes = write.history else { return }
        for insertion in request.insertions {
            for toOne in columns(of: insertion.row).toOnes {
                guard let destination = insertion.toOnes[toOne.slot] else { continue }
                let relationship = model[insertion.row.entity].relationships[toOne.slot]
                if let name = model.historyInverse(of: relationship) {
                    notes.change(try owner(destination, of: relationship), properties: [name])
                }
            }
        }
        for update in request.updates {
            let columns = columns(of: update.row)
            let slots =
                update.attributes.map(\.slot).filter { columns.attribute($0) != nil }.map { PropertySlot.attribute($0) }
                + update.toOnes.map(\.slot).filter { columns.toOne($0) != nil }.map { .relationship($0) }
            notes.change(
                try object(update.row), properties: columns.entity.historyNames(slots), entity: update.row.entity)
        }
    }

    /// Returns the object at the end of a relationship, whose hierarchy the relationship determines.
    private func owner(
        _ row: RowID, of relationship: CompiledRelationship
    ) throws -> ServerHistoryNotes.Object {
        .init(root: model[relationship.destination].root, key: try key(row))
    }

    /// The updates of one to-one relationship with a to-many inverse.
    private struct Moves: Hashable {
        var entity: Int
        var slot: Int
    }

    /// Reads the owners that updated rows had before, and notes those that lose or get them.
    func ownerNoteSteps() throws -> [ServerWrite.Step] {
        guard let notes = write.history else { return [] }
        var groups: [Moves: [Int64: Int64?]] = [:]
        var order: [Moves] = []
        for update in request.updates {
            let columns = columns(of: update.row)
            for (slot, destination) in update.toOnes where columns.toOne(slot) != nil {
                guard model.historyInverse(of: columns.entity.relationships[slot]) != nil else { continue }
                let group = Moves(entity: update.row.entity, slot: slot)
                if groups[group] == nil { order.append(group) }
                groups[group, default: [:]].updateValue(try destination.map { try key($0) }, forKey: update.row.key)
            }
        }
        return order.compactMap { group in
            let columns = schema.columns[group.entity - 1]
            let relationship = columns.entity.relationships[group.slot]
            guard let moves = groups[group], let toOne = columns.toOne(group.slot),
                let name = model.historyInverse(of: relationship)
            else { return nil }
            let root = model[relationship.destination].root
            let parameters = Parameters()
            parameters.append(keys: moves.keys.sorted())
            return ServerWrite.Step(
                "SELECT \(key), \(toOne.column) FROM \(columns.table) WHERE \(key) = ANY($1) ORDER BY \(key)",
                with: parameters
            ) { result in
                for row in 0..<result.rowCount {
                    guard let key = try result.int64(row, column: 0), let new = moves[key] else { continue }
                    let old = try result.int64(row, column: 1)
                    guard old != new else { continue }
                    for owner in [old, new] {
                        if let owner { notes.change(.init(root: root, key: owner), properties: [name]) }
                    }
                }
            }
        }
    }

    // MARK: Links

    /// Notes a link that was added or removed. Both objects change, except that the destination does not change if the
    /// relationship has no inverse.
    func note(_ link: SaveRequest.Link) throws {
        guard let notes = write.history else { return }
        let relationship = model[link.owner.entity].relationships[link.relationship]
        notes.change(try object(link.owner), properties: [relationship.name])
        guard let inverse = model.inverse(of: relationship) else { return }
        notes.change(try object(link.destination), properties: [inverse.name])
    }

    /// Notes links of which a result has the keys of owners and members. A link that existed before is not in it.
    ///
    /// - Parameter inEitherOrder: Whether the result may have the keys of a pair in the other order.
    func note(_ links: [SaveRequest.Link], foundIn result: PostgresResult, inEitherOrder: Bool) throws {
        guard write.history != nil else { return }
        struct Pair: Hashable {
            var owner: Int64
            var member: Int64
        }
        var found: Set<Pair> = []
        for row in 0..<result.rowCount {
            guard let owner = try result.int64(row, column: 0), let member = try result.int64(row, column: 1) else {
                continue
            }
            found.insert(Pair(owner: owner, member: member))
        }
        for link in links {
            let (owner, member) = (try key(link.owner), try key(link.destination))
            guard
                found.contains(Pair(owner: owner, member: member))
                    || inEitherOrder && found.contains(Pair(owner: member, member: owner))
            else { continue }
            try note(link)
        }
    }

    /// Notes the objects that a join table connected to deleted objects.
    ///
    /// - Parameter result: The keys of the sides of the removed rows.
    func notePartners(
        of keys: [Int64], slot: Int, in entity: CompiledEntity, isReflexive: Bool, _ result: PostgresResult
    ) throws {
        guard let notes = write.history else { return }
        let relationship = entity.relationships[slot]
        guard let inverse = model.inverse(of: relationship) else { return }
        let (root, deleted) = (model[relationship.destination].root, Set(keys))
        for row in 0..<result.rowCount {
            guard let own = try result.int64(row, column: 0), let other = try result.int64(row, column: 1) else {
                continue
            }
            if deleted.contains(own) { notes.change(.init(root: root, key: other), properties: [inverse.name]) }
            if isReflexive, deleted.contains(other) {
                notes.change(.init(root: root, key: own), properties: [inverse.name])
            }
        }
    }
}
#endif
