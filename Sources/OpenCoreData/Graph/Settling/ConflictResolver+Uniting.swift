import SwormPredicates
import SwormStore

// New objects with the unique values of stored rows, or of other new objects.
extension ConflictResolver {
    /// Combines an inserted object with the row that contains its unique values.
    ///
    /// Objects that refer to the inserted object then refer to the row.
    ///
    /// - Parameters:
    ///   - existing: The row.
    ///   - fresh: The row as the store holds it now.
    ///   - update: The settled request's update of the row, or nil if the row keeps its values.
    func unite(
        _ object: NSManagedObject, with existing: RowID, over fresh: ObjectSnapshot?,
        taking update: SaveRequest.Update?
    ) throws {
        let entity = origin.compiled[existing.entity]
        let wins = mergeType.contextPrevails
        let transient = transientValues(of: object)
        let links = try object.takeLinks()
        let key = context.identityKey(of: existing, in: origin)
        var target = object
        if let known = context.identities[key]
            ?? (entity === object.compiledEntity ? nil : context.object(for: existing, origin: origin, hint: nil)),
            known !== object
        {
            // The row already has an object, or is of another entity; that object is kept.
            target = known
            context.forgetInserted(object)
            object.take(id: known.objectID)
            try redirect(from: object, to: known)
        } else {
            context.identities[context.temporaryKey(of: object)] = nil
            context.insertedList.remove(object)
            context.saving.forgetStore(of: object)
            object.status.remove(.inserted)
            object.relationships = []
            object.changedAttributes.removeAll()
            object.changedRelationships.removeAll()
            object.become(
                NSManagedObjectID(entity: entity, key: existing.key, origin: origin), snapshot: .fault(nil),
                context: context)
            context.identities[key] = object
        }
        try target.load()
        // Only rows that the save writes were compared with the store.
        if let fresh, !target.changesRow, target.snapshot.version != fresh.version {
            target.replaceSnapshot(fresh)
            target.forgetReadRelationships()
        }
        if wins {
            target.takeAttributes(update)
            try set(transient, of: target)
        }
        try link(target, to: links, of: object)
    }

    /// Combines an inserted object with one that was inserted before and has the same unique values.
    ///
    /// Objects that refer to the later object then refer to the first one.
    ///
    /// - Parameters:
    ///   - first: The object that was inserted before.
    ///   - insertion: The settled request's insertion of that object.
    func unite(
        _ object: NSManagedObject, withInserted first: NSManagedObject, taking insertion: SaveRequest.Insertion?
    ) throws {
        let transient = transientValues(of: object)
        let links = try object.takeLinks()
        context.forgetInserted(object)
        // A temporary id is replaced by the save.
        if !first.objectID.isTemporaryID { object.take(id: first.objectID) }
        try redirect(from: object, to: first)
        if mergeType.contextPrevails, let insertion {
            first.takeAttributes(of: insertion)
            try set(transient, of: first)
        }
        try link(first, to: links, of: object)
    }

    private func transientValues(of object: NSManagedObject) -> [(name: String, value: AttributeValue)] {
        object.compiledEntity.attributes.enumerated().compactMap {
            $1.isTransient ? ($1.name, object.attribute($0)) : nil
        }
    }

    private func set(_ values: [(name: String, value: AttributeValue)], of object: NSManagedObject) throws {
        for (name, value) in values {
            if case .attribute(let slot) = object.compiledEntity.slot(named: name) {
                try object.setAttribute(slot, to: value)
            }
        }
    }

    /// Links an object to the partners of another one, with which it was combined.
    private func link(
        _ target: NSManagedObject, to links: [(name: String, others: [NSManagedObject])], of object: NSManagedObject
    ) throws {
        for (name, found) in links {
            let others = found.map { $0 === object ? target : $0 }
            guard case .relationship(let slot) = target.compiledEntity.slot(named: name) else { continue }
            if target.compiledEntity.relationships[slot].inverse == nil {
                for other in others { referrers?.note(target, slot, to: other) }
            }
            if target.compiledEntity.relationships[slot].isToMany {
                for other in others { try target.addMember(slot, object: other) }
            } else if mergeType.contextPrevails {
                try target.setDestination(slot, to: others.first)
            }
        }
    }

    /// Redirects relationships without an inverse from one object to another, in all changed objects.
    private func redirect(from old: NSManagedObject, to new: NSManagedObject) throws {
        var known = referrers ?? Referrers(context.insertedList.objects + context.updatedList.objects)
        referrers = nil
        defer { referrers = known }
        for (object, slot) in known.take(of: old) {
            switch object.relationshipState(slot) {
            case .toOne(let destination?) where destination === old: try object.setDestination(slot, to: new)
            case .toMany(let members) where members.noted.added.contains { $0 === old }:
                object.noteRemoved(slot, object: old)
                try object.addMember(slot, object: new)
            default: continue
            }
            known.note(object, slot, to: new)
        }
    }
}
