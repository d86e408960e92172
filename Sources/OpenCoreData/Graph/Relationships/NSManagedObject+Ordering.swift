import SwormStore

// Access to ordered to-many relationships by position, without walks over all members.
extension NSManagedObject {
    /// Returns the object at a position of a to-many relationship; nil after the end.
    ///
    /// - Throws: A ``CoreDataError`` if the row is missing, or if the members cannot be read.
    package final func readMember(_ slot: Int, at position: Int) throws -> NSManagedObject? {
        try readMembers(slot).object(at: position)
    }

    /// Returns the position of an object in a to-many relationship; nil if it is not a member.
    ///
    /// - Throws: A ``CoreDataError`` if the row is missing, or if the members cannot be read.
    package final func readPosition(_ slot: Int, of object: NSManagedObject) throws -> Int? {
        try readMembers(slot).position(of: object)
    }

    /// Inserts an object into an ordered to-many relationship, and sets the inverse. An object that is already a member
    /// is moved.
    ///
    /// - Parameter position: The position of the object afterwards; a position after the end means the end.
    /// - Throws: A ``CoreDataError`` if the object has another entity or context, or can't be changed.
    package final func insertMember(_ slot: Int, object: NSManagedObject, at position: Int) throws {
        let members = try readMembers(slot)
        try addMember(slot, object: object)
        move(object, to: position, in: members, slot: slot)
    }

    /// Moves an object of an ordered to-many relationship. Does nothing if the source is after the end.
    ///
    /// - Parameters:
    ///   - source: The object's current position.
    ///   - destination: Its position afterwards; a position after the end means the end.
    /// - Throws: A ``CoreDataError`` if the members cannot be read, or if this object can't be changed.
    package final func moveMember(_ slot: Int, from source: Int, to destination: Int) throws {
        let members = try readMembers(slot)
        try requireMutable(key: compiledEntity.relationships[slot].name)
        guard let object = members.object(at: source) else { return }
        move(object, to: destination, in: members, slot: slot)
    }

    private func move(_ object: NSManagedObject, to position: Int, in members: ToManyMembers, slot: Int) {
        guard compiledEntity.relationships[slot].isOrdered else { return }
        context?.recorder?.noteOrder(slot, of: self)
        noteChange()
        members.move(object, to: position)
        changedRelationships.insert(slot)
        markUpdated()
    }
}
