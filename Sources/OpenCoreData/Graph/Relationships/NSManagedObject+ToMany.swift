import Foundation
import SwormPredicates
import SwormStore

extension NSManagedObject {
    /// Returns the members of a to-many relationship, read from the store unless `loaded` is false.
    final func members(_ slot: Int, loaded: Bool = true) -> ToManyMembers {
        let members: ToManyMembers
        if case .toMany(let present) = relationshipState(slot) {
            members = present
        } else {
            if snapshot.isUnread { _ = fire() }
            var isNew = compiledEntity.relationships[slot].isTransient
            if case .none = snapshot { isNew = true }
            members = ToManyMembers(isLoaded: isNew)
            setRelationshipState(slot, to: .toMany(members))
        }
        guard loaded, !members.isLoaded else { return members }
        guard let context else {
            members.load([])
            return members
        }
        // Members that cannot be read stay unread: if they were treated as empty, the next save would empty the
        // relationship.
        if let found = context.readMembers(of: self, slot: slot) { members.load(found) }
        return members
    }

    /// Returns the members of a to-many relationship, read from the store. See ``members(_:loaded:)``.
    ///
    /// - Throws: A ``CoreDataError`` if the row no longer exists, or if the members cannot be read.
    final func readMembers(_ slot: Int) throws -> ToManyMembers {
        try load()
        let members = members(slot, loaded: false)
        if !members.isLoaded { members.load(try context?.loadMembers(of: self, slot: slot) ?? []) }
        return members
    }

    /// Returns the current objects of a to-many relationship; in order if it is ordered.
    ///
    /// - Throws: A ``CoreDataError`` if the row no longer exists, or if the members cannot be read.
    package final func readMemberObjects(_ slot: Int) throws -> [NSManagedObject] { try readMembers(slot).objects }

    /// Returns the number of objects in a to-many relationship.
    ///
    /// - Throws: See ``readMemberObjects(_:)``.
    package final func readMemberCount(_ slot: Int) throws -> Int { try readMembers(slot).count }

    /// Returns whether an object is in a to-many relationship.
    ///
    /// - Throws: See ``readMemberObjects(_:)``.
    package final func readHasMember(_ slot: Int, object: NSManagedObject) throws -> Bool {
        try readMembers(slot).contains(object)
    }

    /// Returns the current objects of a to-many relationship; in order if it is ordered.
    final func memberObjects(_ slot: Int) -> [NSManagedObject] { members(slot).objects }

    /// Returns the number of objects in a to-many relationship.
    final func memberCount(_ slot: Int) -> Int { members(slot).count }

    final func hasMember(_ slot: Int, object: NSManagedObject) -> Bool { members(slot).contains(object) }

    /// Adds an object to a to-many relationship, at the end if it is ordered, and sets the inverse.
    ///
    /// - Throws: A ``CoreDataError`` if the object has another entity or context, or can't be changed.
    package final func addMember(_ slot: Int, object: NSManagedObject) throws {
        let relationship = compiledEntity.relationships[slot]
        try requireMutable(key: relationship.name)
        try requireRelatable(object, by: relationship)
        if status.contains(.awakening) { return replaceMembers(slot, by: memberObjects(slot) + [object]) }
        guard let inverse = relationship.inverse else {
            guard !members(slot).contains(object) else { return }
            noteAdded(slot, object: object)
            return
        }
        if objectID.origin.compiled[relationship.destination].relationships[inverse].isToMany {
            guard !members(slot).contains(object) else { return }
            noteAdded(slot, object: object)
            object.noteAdded(inverse, object: self)
        } else {
            let previous = object.destination(inverse)
            guard previous !== self else { return }
            previous?.noteRemoved(slot, object: object)
            object.assignDestination(inverse, to: self)
            noteAdded(slot, object: object)
        }
    }

    /// Removes an object from a to-many relationship, and clears the inverse. Does nothing if the object is not a
    /// member.
    ///
    /// - Throws: A ``CoreDataError`` if this object can't be changed.
    package final func removeMember(_ slot: Int, object: NSManagedObject) throws {
        let relationship = compiledEntity.relationships[slot]
        try requireMutable(key: relationship.name)
        if status.contains(.awakening) {
            return replaceMembers(slot, by: memberObjects(slot).filter { $0 !== object })
        }
        guard let inverse = relationship.inverse else {
            guard members(slot).contains(object) else { return }
            noteRemoved(slot, object: object)
            return
        }
        if objectID.origin.compiled[relationship.destination].relationships[inverse].isToMany {
            guard members(slot).contains(object) else { return }
            noteRemoved(slot, object: object)
            object.noteRemoved(inverse, object: self)
        } else {
            if object.context === context, object.destination(inverse) === self {
                object.assignDestination(inverse, to: nil)
            } else if !members(slot, loaded: false).contains(object) {
                // After a refresh of one side, a member may have another destination.
                return
            }
            noteRemoved(slot, object: object)
        }
    }

    /// Replaces the members of a to-many relationship by the given objects, in their order if the relationship is
    /// ordered.
    ///
    /// - Throws: A ``CoreDataError`` if one of the objects can't be a member. Nothing is changed in that case.
    package final func setMembers(_ slot: Int, to objects: [NSManagedObject]) throws {
        let relationship = compiledEntity.relationships[slot]
        try requireMutable(key: relationship.name)
        for object in objects { try requireRelatable(object, by: relationship) }
        if status.contains(.awakening) { return replaceMembers(slot, by: objects) }
        let wanted = Set(objects.map(ObjectIdentifier.init))
        for object in memberObjects(slot) where !wanted.contains(ObjectIdentifier(object)) {
            try removeMember(slot, object: object)
        }
        for object in objects { try addMember(slot, object: object) }
        guard relationship.isOrdered else { return }
        context?.recorder?.noteOrder(slot, of: self)
        noteChange()
        var seen = Set<ObjectIdentifier>()
        members(slot).reorder(objects.filter { seen.insert(ObjectIdentifier($0)).inserted })
        changedRelationships.insert(slot)
        markUpdated()
    }

    /// Sets the members in `awakeFromFetch`: they are part of what the object has read, and not a change.
    private func replaceMembers(_ slot: Int, by objects: [NSManagedObject]) {
        var seen = Set<ObjectIdentifier>()
        let members = ToManyMembers(isLoaded: false)
        members.load(objects.filter { seen.insert(ObjectIdentifier($0)).inserted }.map { ($0, nil) })
        setRelationshipState(slot, to: .toMany(members))
    }

    /// Records on this side only that an object was added.
    final func noteAdded(_ slot: Int, object: NSManagedObject) {
        context?.recorder?.noteAddition(of: object, to: slot, of: self)
        noteMember(object, isAdded: true, slot: slot)
        members(slot, loaded: false).add(object)
        changedRelationships.insert(slot)
        markUpdated()
    }

    /// Records on this side only that an object was removed.
    final func noteRemoved(_ slot: Int, object: NSManagedObject) {
        context?.recorder?.noteRemoval(of: object, from: slot, of: self)
        noteMember(object, isAdded: false, slot: slot)
        members(slot, loaded: false).remove(object)
        changedRelationships.insert(slot)
        markUpdated()
    }

    /// Returns whether a relationship differs from the store.
    final func relationshipDiffers(_ slot: Int) -> Bool {
        guard changedRelationships.contains(slot) else { return false }
        if case .toMany(let members) = relationshipState(slot) { return members.hasChanges }
        return true
    }

    // MARK: Keyed

    final func relationshipValue(_ slot: Int) -> Any? {
        if snapshot.isUnfired { _ = fire() }
        let relationship = compiledEntity.relationships[slot]
        if !relationship.isToMany { return destination(slot) }
        let objects = memberObjects(slot)
        return relationship.isOrdered ? NSOrderedSet(array: objects) : Set(objects)
    }

    final func committedRelationshipValue(_ slot: Int) -> Any? {
        let relationship = compiledEntity.relationships[slot]
        if !relationship.isToMany {
            return committedDestination(slot).flatMap { context?.object(for: $0, origin: objectID.origin, hint: nil) }
        }
        let objects = members(slot).committed.map(\.object)
        return relationship.isOrdered ? NSOrderedSet(array: objects) : Set(objects)
    }

    final func setRelationship(_ slot: Int, to value: Any?) throws {
        let relationship = compiledEntity.relationships[slot]
        guard relationship.isToMany else {
            guard value == nil || value is NSManagedObject else {
                throw wrongDestination(of: relationship, value: value)
            }
            return try setDestination(slot, to: value as? NSManagedObject)
        }
        let objects: [Any]
        switch value {
        case nil: objects = []
        case let set as Set<NSManagedObject>: objects = Array(set)
        case let array as [Any]: objects = array
        case let ordered as NSOrderedSet: objects = ordered.array
        case let set as NSSet: objects = set.allObjects
        default: throw wrongDestination(of: relationship, value: value)
        }
        let managed = objects.compactMap { $0 as? NSManagedObject }
        guard managed.count == objects.count else { throw wrongDestination(of: relationship, value: value) }
        try setMembers(slot, to: managed)
    }

    private func wrongDestination(of relationship: CompiledRelationship, value: Any?) -> CoreDataError {
        CoreDataError(
            NSManagedObjectValidationError,
            "Cannot set '\(relationship.name)' of \(compiledEntity.name): the relationship takes \(relationship.isToMany ? "a set of managed objects" : "a managed object").",
            entity: compiledEntity.name, key: relationship.name)
    }

    /// Returns the ids of the objects in a relationship. See ``objectIDs(forRelationshipNamed:)``.
    final func ids(inRelationshipNamed key: String) -> [NSManagedObjectID] {
        guard case .relationship(let slot) = compiledEntity.slot(named: key) else { return [] }
        if compiledEntity.relationships[slot].isToMany { return memberObjects(slot).map(\.objectID) }
        return destination(slot).map { [$0.objectID] } ?? []
    }

    /// Returns whether a relationship has not been read yet. See ``hasFault(forRelationshipNamed:)``.
    final func isUnread(relationshipNamed key: String) -> Bool {
        guard case .relationship(let slot) = compiledEntity.slot(named: key) else { return false }
        switch relationshipState(slot) {
        case .untouched:
            if case .none = snapshot { return false }
            return compiledEntity.relationships[slot].isToMany || snapshot.isFault
        case .toOne: return false
        case .toMany(let members): return !members.isLoaded
        }
    }

}
