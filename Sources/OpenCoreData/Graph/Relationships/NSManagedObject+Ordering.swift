import SwormStore

// Ordered to-many relationships, by positions, without walks over all members.
extension NSManagedObject {
    /// The object at a position of a to-many relationship; nil beyond the last.
    ///
    /// - Throws: A ``CoreDataError`` when the row is missing, or the members cannot be read.
    package final func readMember(_ slot: Int, at position: Int) throws -> NSManagedObject? {
        try readMembers(slot).object(at: position)
    }

    /// The position of an object of a to-many relationship; nil for one that is not in it.
    ///
    /// - Throws: A ``CoreDataError`` when the row is missing, or the members cannot be read.
    package final func readPosition(_ slot: Int, of object: NSManagedObject) throws -> Int? {
        try readMembers(slot).position(of: object)
    }

    /// Puts an object into an ordered to-many relationship, and sets the inverse. One that is in it is moved.
    ///
    /// - Parameter position: The position that it has afterwards; beyond the end it means the end.
    /// - Throws: A ``CoreDataError`` when the object is of another entity or context, or can't be changed.
    package final func insertMember(_ slot: Int, _ object: NSManagedObject, at position: Int) throws {
        let members = try readMembers(slot)
        try addMember(slot, object)
        move(object, to: position, in: members, slot: slot)
    }

    /// Moves an object of an ordered to-many relationship. Does nothing beyond the last.
    ///
    /// - Parameters:
    ///   - source: Its present position.
    ///   - destination: Its position afterwards; beyond the end it means the end.
    /// - Throws: A ``CoreDataError`` when the members cannot be read, or this object can't be changed.
    package final func moveMember(_ slot: Int, from source: Int, to destination: Int) throws {
        let members = try readMembers(slot)
        try requireMutable(key: plan.relationships[slot].name)
        guard let object = members.object(at: source) else { return }
        move(object, to: destination, in: members, slot: slot)
    }

    private func move(_ object: NSManagedObject, to position: Int, in members: ToManyMembers, slot: Int) {
        guard plan.relationships[slot].isOrdered else { return }
        members.move(object, to: position)
        changedRelationships.insert(slot)
        markUpdated()
    }
}
