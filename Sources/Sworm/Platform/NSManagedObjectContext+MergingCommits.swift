import Foundation
import SwormPredicates
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
import SwormStore
#endif

/// The findings of a merge at objects with unsaved changes.
struct MergedCommits {
    /// The properties with unsaved changes that have a new value in the store.
    var overtaken: [(object: NSManagedObject, properties: Set<String>)] = []
    /// The objects whose rows were deleted.
    var lost: [NSManagedObject] = []
    /// The changes that the unsaved deletion of an object has made in addition, because members were added to a relation
    /// that cascades.
    var cascades: [(deleted: NSManagedObject, edits: [ObjectEdit])] = []
}

// The merging of commits into a context that outlives single calls.
extension NSManagedObjectContext {
    /// Causes the objects that commits have changed to be read again. Unsaved changes are preserved, except those of
    /// deleted objects.
    ///
    /// - Complexity: O(*n*) in the number of registered objects.
    /// - Throws: The store's error.
    func mergeCommits(_ changes: CommittedChanges) throws -> MergedCommits {
        var merged = MergedCommits()
        forgetRows()
        var deleted: [NSManagedObject] = []
        var unchanged: [NSManagedObject] = []
        var changed: [NSManagedObject] = []
        for object in registeredObjects where !object.isInserted && !object.objectID.isTemporaryID {
            switch changes.effect(on: object) {
            case .none: continue
            case .deletion: deleted.append(object)
            case .change where object.hasChanges:
                if try hasRow(of: object) { changed.append(object) } else { deleted.append(object) }
            case .change: unchanged.append(object)
            }
        }
        for object in unchanged { refresh(object, mergeChanges: true) }
        var before: [(object: NSManagedObject, names: [String], values: [String: NSObject])] = []
        for object in changed where !object.isDeleted {
            let names = object.changedSingleProperties
            before.append((object, names, object.storedProperties(names)))
        }
        for object in changed { refresh(object, mergeChanges: true) }
        if !deleted.isEmpty {
            merged.lost = deleted.filter { $0.hasChanges && !$0.isDeleted }
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectIDsKey: deleted.map(\.objectID)], into: [self])
        }
        for (object, names, values) in before where object.isEditable {
            let after = object.storedProperties(names)
            let overtaken = names.filter { values[$0] != after[$0] }
            guard !overtaken.isEmpty else { continue }
            merged.overtaken.append((object, Set(overtaken)))
            for name in overtaken { try object.reassertDestination(name, insteadOf: after[name] as? NSManagedObject) }
        }
        for object in changed where object.isEditable { try object.agreeWithInverses() }
        for object in changed where object.isDeleted {
            let edits = try deleteAgain(object)
            if !edits.isEmpty { merged.cascades.append((object, edits)) }
        }
        return merged
    }

    /// Applies the delete rules of an object, whose deletion is not saved, to objects that were linked with it in the
    /// store.
    ///
    /// - Returns: The deletions of members by relations that cascade.
    private func deleteAgain(_ object: NSManagedObject) throws -> [ObjectEdit] {
        if object.entity.relationshipsByName.isEmpty { return [] }
        let recorder = EditRecorder(self)
        // An inserted object links with its partners in the store. Those with another unsaved destination keep it.
        let (adopted, elsewhere) = try object.storedPartners()
        insert(object)
        processPendingChanges()
        for (name, destination) in adopted { try object.setEditedDestination(destination, for: name) }
        for partner in elsewhere {
            try partner.object.detour(by: partner.name, through: object, to: partner.destination)
        }
        delete(object)
        return try recorder.end().filter(\.isDeletion)
    }
}

extension NSManagedObject {
    /// Returns the members that a relation to many has in the store.
    func storedMembers(_ name: String) -> Set<NSManagedObject> {
        switch committedValues(forKeys: [name])[name] {
        case let set as Set<NSManagedObject>: set
        case let ordered as NSOrderedSet: Set(ordered.array.compactMap { $0 as? NSManagedObject })
        case let set as NSSet: Set(set.allObjects.compactMap { $0 as? NSManagedObject })
        default: []
        }
    }

    /// Sets the unsaved destination of a relation to one again, after another one was saved: both sides then
    /// agree again, and the unsaved destination has precedence.
    fileprivate func reassertDestination(_ name: String, insteadOf stored: NSManagedObject?) throws {
        guard let relationship = entity.relationshipsByName[name], !relationship.isToMany,
            let inverse = relationship.inverseRelationship
        else { return }
        let mine = try editedDestination(name).flatMap { $0.isEditable ? $0 : nil }
        guard let stored, stored.isEditable, stored !== mine else { return }
        // The stored destination may itself have an unsaved destination.
        if !inverse.isToMany, try stored.editedDestination(inverse.name) !== self { return }
        if inverse.isToMany { _ = try stored.editedMembers(inverse.name) }
        try detour(by: name, through: stored, to: mine)
    }

    /// Sets a relation to one to a destination by way of another one, whose side does not agree with this side.
    fileprivate func detour(
        by name: String, through other: NSManagedObject, to destination: NSManagedObject?
    ) throws {
        // The detour moves the object to the end of an ordered relation.
        let inverse = entity.relationshipsByName[name]?.inverseRelationship
        let list = inverse.flatMap { $0.isOrdered ? $0.name : nil }
        let order = try list.flatMap { try destination?.editedMembers($0) }
        try setEditedDestination(other, for: name)
        try setEditedDestination(destination, for: name)
        if let list, let order { try destination?.setEditedMembers(order, for: list) }
    }

    /// Adds the stored members of relations to many that only this object has noted as removed, but not their inverses:
    /// an unsaved link that was removed again leaves such notes at members that were not read.
    fileprivate func agreeWithInverses() throws {
        let changed = changedValues()
        for (name, relationship) in entity.relationshipsByName where relationship.isToMany && changed[name] != nil {
            guard let inverse = relationship.inverseRelationship, inverse.isToMany else { continue }
            let current = Set(try editedMembers(name))
            for member in storedMembers(name).subtracting(current) where member.isEditable {
                if try member.editedMembers(inverse.name).contains(self) { try addEditedMember(member, for: name) }
            }
        }
    }

    /// An object whose relation to one has another destination than in the store.
    fileprivate typealias PartnerElsewhere = (object: NSManagedObject, name: String, destination: NSManagedObject?)

    /// Returns the partners that the object has in the store, as far as they exist in the context: the destinations of its
    /// relations to one, and the partners whose own relation to one has an unsaved destination.
    fileprivate func storedPartners() throws -> (adopted: [String: NSManagedObject], elsewhere: [PartnerElsewhere]) {
        let stored = storedProperties(entity.relationshipsByName.filter { !$0.value.isToMany }.map(\.key))
        var adopted: [String: NSManagedObject] = [:]
        var elsewhere: [PartnerElsewhere] = []
        for (name, relationship) in entity.relationshipsByName {
            guard let inverse = relationship.inverseRelationship else { continue }
            let destination = stored[name] as? NSManagedObject
            if inverse.isToMany {
                if let destination, destination.isEditable { adopted[name] = destination }
                continue
            }
            for partner in relationship.isToMany ? storedMembers(name) : Set([destination].compactMap { $0 })
            where partner.isEditable {
                let theirs = try partner.editedDestination(inverse.name)
                if theirs !== self {
                    elsewhere.append((partner, inverse.name, theirs))
                } else if !relationship.isToMany {
                    adopted[name] = partner
                }
            }
        }
        return (adopted, elsewhere)
    }

    /// The properties with unsaved changes, except unordered relations to many: their members change independently of
    /// each other.
    fileprivate var changedSingleProperties: [String] {
        changedValues().keys.filter { name in
            entity.relationshipsByName[name].map { !$0.isToMany || $0.isOrdered } ?? true
        }
    }

    /// Returns the values that properties have in the store.
    fileprivate func storedProperties(_ names: [String]) -> [String: NSObject] {
        committedValues(forKeys: names).compactMapValues { value in
            if let set = value as? Set<NSManagedObject> { return NSSet(set: set) }
            return value as? NSObject
        }
    }
}

extension CommittedChanges {
    fileprivate enum Effect { case none, change, deletion }

    /// Returns what the changes may have done to an object that has a row.
    fileprivate func effect(on object: NSManagedObject) -> Effect {
        if isUnknown { return .change }
        let (entity, root) = (object.entity, object.entity.root.stableName)
        if unknownRows.contains(root) { return .change }
        if let rows = rows[root] {
            let key = object.objectID.reference.key
            if rows.deleted.contains(key) { return rows.inserted.contains(key) ? .change : .deletion }
            if rows.updated.contains(key) || rows.inserted.contains(key) { return .change }
        }
        // A relationship changes together with the row of its other side.
        if let names = properties[entity.stableName], !names.isEmpty,
            names.contains(where: { entity.relationshipsByName[$0] != nil })
        {
            return .change
        }
        return .none
    }
}
