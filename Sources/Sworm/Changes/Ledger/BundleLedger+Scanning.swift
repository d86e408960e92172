import Foundation
import SwormPredicates

// Bringing the records up to the history.
extension BundleLedger {
    /// Creates the records of all objects of a store that had none. Their values count as older than all known writes.
    func recordAllObjects() throws {
        var stamp: BundleStamp?
        for entity in entities.values.sorted(by: { $0.name < $1.name }) {
            for object in try translatingErrors({ try context.instance.allObjects(ofEntity: entity.name) }) {
                let first = stamp ?? nextStamp(time: 0)
                stamp = first
                let entry = try entry(try identity(of: object, entity))
                setRow(object.objectID.reference.key, of: entry)
                try writeWhole(entry, of: object, at: first, touchesOthers: false)
            }
        }
        if let stamp { try writeDirtyLinks(stamp) }
    }

    /// Notes the changes of this store since the last call.
    ///
    /// - Throws: A ``StoreError`` with the code `historyTokenExpired` if transactions that were not noted were purged.
    func scan() throws {
        while true {
            let token = state.token
            let all = try translatingErrors { try context.instance.storeChanges(after: token, limit: 1_000) }
            guard let last = all.last?.token else { break }
            var isOwn = false
            for changes in all where changes.author != ChangeBundle.author {
                isOwn = try scan(changes) || isOwn
            }
            if isOwn { changeState { $0.token = last } } else { state.token = last }
        }
    }

    /// - Returns: Whether the transaction has changed objects that are synchronized.
    private func scan(_ changes: StoreChanges) throws -> Bool {
        let records = changes.records.filter { entities[$0.object.entityName] != nil }
        if records.isEmpty { return false }
        // A transaction of a clock that has been corrected since must not be in the future.
        let time = min(changes.date ?? Date(timeIntervalSinceReferenceDate: 0), now).bundleTime
        let stamp = nextStamp(time: time)
        for record in records where record.kind == .deleted { try scanDeletion(record, at: stamp) }
        var found: [(entry: LedgerEntry?, entity: BundleEntity, object: NSManagedObject, record: StoreChanges.Record)] =
            []
        for record in records where record.kind != .deleted {
            guard let entity = entities[record.object.entityName],
                // An object that a later transaction has deleted is noted there.
                let object = try translatingErrors({ try context.instance.objectIfExists(record.object) })
            else { continue }
            let entry = try entry(ofRow: record.object.key, in: entity)
            let identity = try identity(of: object, entity)
            if let entry, entry.identity != identity {
                // A new key is a new identity: the object with the old key ends. All of them end before the first new one
                // begins, because objects may have exchanged their keys.
                end(entry, at: stamp)
                found.append((nil, entity, object, record))
            } else {
                found.append((entry, entity, object, record))
            }
        }
        var inserted: [LedgerEntry] = []
        for (known, entity, object, record) in found {
            if let known, record.kind == .updated, known.row == record.object.key {
                try scanUpdate(of: known, object, changing: record.properties, at: stamp)
            } else {
                let entry = try entry(try identity(of: object, entity))
                entry.state.targets = [:]
                entry.state.values = [:]
                entry.state.replaced = [:]
                setRow(record.object.key, of: entry)
                entry.object = object
                try writeWhole(entry, of: object, at: stamp, touchesOthers: true)
                inserted.append(entry)
            }
        }
        try writeDirtyLinks(stamp)
        arrived += inserted
        return true
    }

    private func scanDeletion(_ record: StoreChanges.Record, at stamp: BundleStamp) throws {
        guard let entity = entities[record.object.entityName],
            let entry = try entry(ofRow: record.object.key, in: entity)
        else { return }
        end(entry, at: stamp)
    }

    private func end(_ entry: LedgerEntry, at stamp: BundleStamp) {
        entry.state.deleted = entry.note(stamp)
        setRow(0, of: entry)
        entry.erase(in: self)
    }

    private func scanUpdate(
        of entry: LedgerEntry, _ object: NSManagedObject, changing properties: Set<String>?, at stamp: BundleStamp
    ) throws {
        let stamp = entry.note(stamp)
        let entity = entry.entity
        for name in entity.contents {
            let top = String(name.prefix { $0 != "." })
            guard properties.map({ $0.contains(top) || $0.contains(name) }) ?? true else { continue }
            entry.state.stamps[name] = stamp
            entry.state.replaced[name] = nil
            entry.state.life = stamp
        }
        for relation in entity.relations.values where properties?.contains(relation.name) ?? true {
            try writeLinks(of: relation, of: entry, object, at: stamp)
        }
    }

    // MARK: Writes of this store

    /// Notes that a transaction has written all properties of an object.
    ///
    /// - Parameter touchesOthers: Whether relations of other objects to this object are noted, too.
    func writeWhole(
        _ entry: LedgerEntry, of object: NSManagedObject, at stamp: BundleStamp, touchesOthers: Bool
    ) throws {
        let own = entry.note(stamp)
        entry.state.base = own
        entry.state.life = own
        entry.state.stamps = [:]
        entry.state.replaced = [:]
        for relation in entry.entity.relations.values {
            if relation.isToMany {
                dirtyLinks[LinkEnd(entry: entry, relation: relation)] = true
            } else if touchesOthers {
                try writeLinks(of: relation, of: entry, object, at: stamp, isWhole: true)
            }
            guard touchesOthers else { continue }
            for member in object.bundleMembers(relation) {
                guard let other = try self.entry(of: member), other !== entry,
                    let inverse = other.entity.relations[relation.inverse]
                else { continue }
                try writeLinks(of: inverse, of: other, member, at: stamp)
            }
        }
    }

    /// Notes that a transaction has written all relations of other objects to an object anew.
    func renewLinks(to entry: LedgerEntry, _ object: NSManagedObject, at stamp: BundleStamp) throws {
        for relation in entry.entity.relations.values {
            for member in object.bundleMembers(relation) {
                guard let other = try self.entry(of: member) else { continue }
                if !relation.inverseIsToMany {
                    other.state.stamps[relation.inverse] = other.note(stamp)
                    other.state.replaced[relation.inverse] = nil
                } else if other.state.links[relation.inverse]?[entry.identity.text] != nil {
                    setLink(of: other, relation.inverse, to: entry.identity.text, isMember: true, at: stamp)
                }
            }
        }
    }

    /// Notes that a transaction has changed a relation.
    ///
    /// - Parameter isWhole: Whether the transaction has written the whole object.
    private func writeLinks(
        of relation: BundleEntity.Relation, of entry: LedgerEntry, _ object: NSManagedObject, at stamp: BundleStamp,
        isWhole: Bool = false
    ) throws {
        let own = entry.note(stamp)
        if relation.isToMany {
            // Written at the end, because a transaction can change the same relation many times.
            let end = LinkEnd(entry: entry, relation: relation)
            dirtyLinks[end] = dirtyLinks[end] ?? false
            return
        }
        if !isWhole {
            entry.state.stamps[relation.name] = own
            entry.state.targets[relation.name] = nil
            entry.state.replaced[relation.name] = nil
        }
        guard relation.inverseIsOrdered || !relation.inverseIsToMany,
            let destination = object.bundleMembers(relation).first,
            let other = try self.entry(of: destination), let inverse = other.entity.relations[relation.inverse]
        else { return }
        if relation.inverseIsToMany { return try writeLinks(of: inverse, of: other, destination, at: stamp) }
        // The other end of a relation that is to-one at both ends.
        other.state.stamps[inverse.name] = other.note(stamp)
        other.state.targets[inverse.name] = nil
        other.state.replaced[inverse.name] = nil
    }

    /// Notes the members and the order of the relations that a transaction has changed.
    func writeDirtyLinks(_ stamp: BundleStamp) throws {
        let dirty = dirtyLinks
        dirtyLinks = [:]
        for (end, isWhole) in dirty {
            guard let object = try object(of: end.entry) else { continue }
            let name = end.relation.name
            if !end.relation.keepsLinks, !end.relation.isOrdered { continue }
            let members = try object.bundleMembers(end.relation).map { try identity(of: $0).text }
            let own = end.entry.note(stamp)
            if end.relation.isOrdered {
                end.entry.state.orders[name] = RecordState.Order(stamp: own, members: members)
                end.entry.state.replaced[name] = nil
            }
            guard end.relation.keepsLinks else { continue }
            // Of a relation that is its own inverse, one of the two objects keeps the link.
            let isReflexive = name == end.relation.inverse
            for member in members {
                if isReflexive, member < end.entry.identity.text { continue }
                if !isWhole, try isShown(end.entry.state.links[name]?[member], of: end.entry, to: member) { continue }
                setLink(of: end.entry, name, to: member, isMember: true, at: stamp)
            }
            let present = Set(members)
            for (member, link) in end.entry.state.links[name] ?? [:] where link.isMember && !present.contains(member) {
                // A link that the store did not show was not removed, but a new object does not have it.
                if !isWhole, try !isShown(link, of: end.entry, to: member) { continue }
                setLink(of: end.entry, name, to: member, isMember: false, at: stamp)
            }
        }
    }

    private func setLink(
        of entry: LedgerEntry, _ relation: String, to member: String, isMember: Bool, at stamp: BundleStamp
    ) {
        let link = RecordState.Link(stamp: entry.note(stamp), isMember: isMember)
        entry.state.links[relation, default: [:]][member] = link
        entry.state.replaced[RecordState.key(ofLink: member, in: relation)] = nil
    }

    /// Returns whether the store shows a link of a relation that is to-many at both ends, if it has both objects.
    func isShown(_ link: RecordState.Link?, of entry: LedgerEntry, to member: String) throws -> Bool {
        guard let link, link.isMember, let other = try existingEntry(text: member), other.row != 0 else { return false }
        return isAfterDeletion(link.stamp, of: entry) && isAfterDeletion(link.stamp, of: other)
    }

    /// Returns whether a write is not older than the deletion of an object.
    func isAfterDeletion(_ stamp: BundleStamp, of entry: LedgerEntry) -> Bool {
        guard let deleted = entry.state.deleted, deleted != stamp else { return true }
        return isLater(stamp, than: deleted)
    }
}

extension Date {
    /// The time in microseconds since 2001-01-01, without the times that a transaction cannot have.
    var bundleTime: Int64 { Int64(max(0, min(timeIntervalSinceReferenceDate, 1e11)) * 1e6) }
}
