import Foundation
import SwormSQLite

// Collects the history entries of a save while the rows still have their previous values.
//
// In the history, an object is updated when one of its to-many relationships changes, wherever that relationship is
// stored.
extension SaveTransaction {
    /// Notes the objects that the request changes, and the objects whose to-many relationships change as a result.
    func noteRequest() throws {
        guard history != nil else { return }
        for insertion in request.insertions {
            for (slot, destination) in insertion.toOnes.enumerated() {
                if let destination { noteOwner(try key(destination), slot: slot, of: model[insertion.row.entity]) }
            }
        }
        for update in request.updates { try note(update) }
        for deletion in request.deletions { try note(deletion) }
    }

    /// Notes that a link was added or removed. Both objects change, except that the destination does not change if the
    /// relationship has no inverse.
    func note(_ link: SaveRequest.Link) throws {
        guard history != nil else { return }
        notes.change(
            object(entity: link.owner.entity, key: try key(link.owner)), properties: [.relationship(link.relationship)])
        guard let inverse = model[link.owner.entity].relationships[link.relationship].inverse else { return }
        notes.change(
            object(entity: link.destination.entity, key: try key(link.destination)),
            properties: [.relationship(inverse)])
    }

    /// Notes that a member of an ordered relationship has a new position. This does not change the member itself.
    func note(_ position: SaveRequest.Position) throws {
        guard history != nil else { return }
        let link = position.link
        notes.change(
            object(entity: link.owner.entity, key: try key(link.owner)), properties: [.relationship(link.relationship)])
    }

    func object(entity: Int, key: Int64) -> HistoryNotes.Object {
        HistoryNotes.Object(root: model[entity].root, key: key)
    }

    private func note(_ update: SaveRequest.Update) throws {
        let columns = columns(of: update.row)
        let attributes = update.attributes.map(\.slot).filter { columns.attribute($0) != nil }
        let toOnes = update.toOnes.filter { columns.toOne($0.slot) != nil }
        notes.change(
            object(entity: update.row.entity, key: update.row.key),
            properties: attributes.map { .attribute($0) } + toOnes.map { .relationship($0.slot) })
        for (slot, destination) in toOnes where ownerSlot(slot, of: columns.entity) != nil {
            guard let column = columns.toOne(slot)?.column else { continue }
            let old = try connection.integer(
                "SELECT \(column) FROM \(columns.table) WHERE Z_PK = ?", binding: [.integer(update.row.key)])
            let new = try destination.map { try key($0) }
            guard old != new else { continue }
            for owner in [old, new] { if let owner { noteOwner(owner, slot: slot, of: columns.entity) } }
        }
    }

    /// Notes the object that is about to be deleted, if it still exists, and all objects that refer to it without
    /// having a column for the relationship.
    func note(_ deletion: SaveRequest.Deletion) throws {
        guard let history else { return }
        let columns = columns(of: deletion.row)
        let entity = columns.entity
        let tombstones = history.properties(of: entity.number).tombstones
        let toOnes = columns.toOnes.filter { ownerSlot($0.slot, of: entity) != nil }
        let list = (["Z_ENT"] + tombstones.map(\.column) + toOnes.map(\.column)).joined(separator: ", ")
        var exists = false
        var kept: [StoredValue] = []
        var owners: [Int64?] = []
        try connection.rows(
            "SELECT \(list) FROM \(columns.table) WHERE Z_PK = ? AND Z_ENT = ?",
            binding: [.integer(deletion.row.key), .integer(Int64(entity.number))]
        ) { statement in
            exists = true
            kept = tombstones.enumerated().map { index, tombstone in
                tombstone.isExternal ? content(of: statement, at: index + 1) : statement.storedValue(index + 1)
            }
            owners = toOnes.indices.map { index in
                let column = 1 + tombstones.count + index
                return statement.isNull(column) ? nil : statement.int64(column)
            }
        }
        guard exists else { return }
        let deleted = object(entity: entity.number, key: deletion.row.key)
        notes.delete(.init(entity: entity.number, object: deleted, tombstones: kept))
        for (toOne, owner) in zip(toOnes, owners) { if let owner { noteOwner(owner, slot: toOne.slot, of: entity) } }
        for slot in entity.relationships.indices { try notePartners(of: deletion.row.key, slot: slot, in: entity) }
    }

    /// Returns the content of external binary data. If the file cannot be read, the result is null, and the deletion
    /// goes ahead.
    private func content(of statement: borrowing Statement, at column: Int) -> StoredValue {
        statement.withBlob(column) { bytes in bytes.flatMap { try? external.data(of: $0) } }.map { .blob($0) } ?? .null
    }

    /// Notes the objects that a join table connects to an object that is about to be deleted.
    private func notePartners(of key: Int64, slot: Int, in entity: CompiledEntity) throws {
        let relationship = entity.relationships[slot]
        guard case .join(let join)? = layout.toMany(slot, in: entity.number), let inverse = relationship.inverse else {
            return
        }
        let (own, other) = (SQLName.quoted(join.ownColumn), SQLName.quoted(join.otherColumn))
        for (side, far) in join.isReflexive ? [(own, other), (other, own)] : [(own, other)] {
            try connection.rows(
                "SELECT \(far) FROM \(SQLName.quoted(join.table)) WHERE \(side) = ?", binding: [.integer(key)]
            ) {
                notes.change(
                    object(entity: relationship.destination, key: $0.int64(0)), properties: [.relationship(inverse)])
            }
        }
    }

    private func noteOwner(_ owner: Int64, slot: Int, of entity: CompiledEntity) {
        guard let inverse = ownerSlot(slot, of: entity) else { return }
        notes.change(
            object(entity: entity.relationships[slot].destination, key: owner), properties: [.relationship(inverse)])
    }

    /// Returns the slot of the to-many relationship that is the inverse of a to-one relationship, and changes along
    /// with it.
    private func ownerSlot(_ slot: Int, of entity: CompiledEntity) -> Int? {
        let relationship = entity.relationships[slot]
        guard let inverse = relationship.inverse, let opposite = model.inverse(of: relationship), opposite.isToMany,
            !opposite.isTransient
        else { return nil }
        return inverse
    }
}
