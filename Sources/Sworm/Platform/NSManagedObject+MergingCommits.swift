import Foundation
import SwormPredicates
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
import SwormStore
#endif

// The agreement of both sides of relations after a merge.
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
    func reassertDestination(_ name: String, insteadOf stored: NSManagedObject?) throws {
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
    func detour(
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
    func agreeWithInverses() throws {
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
    typealias PartnerElsewhere = (object: NSManagedObject, name: String, destination: NSManagedObject?)

    /// Returns the partners that the object has in the store, as far as they exist in the context: the destinations of its
    /// relations to one, and the partners whose own relation to one has an unsaved destination.
    func storedPartners() throws -> (adopted: [String: NSManagedObject], elsewhere: [PartnerElsewhere]) {
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
    var changedSingleProperties: [String] {
        changedValues().keys.filter { name in
            entity.relationshipsByName[name].map { !$0.isToMany || $0.isOrdered } ?? true
        }
    }

    /// Returns the values that properties have in the store.
    func storedProperties(_ names: [String]) -> [String: NSObject] {
        committedValues(forKeys: names).compactMapValues { value in
            if let set = value as? Set<NSManagedObject> { return NSSet(set: set) }
            return value as? NSObject
        }
    }
}
