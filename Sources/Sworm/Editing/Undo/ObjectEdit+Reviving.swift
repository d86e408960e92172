// The links of deleted objects that are inserted again.
extension ObjectEdit {
    /// Removes the members that the edit itself has added to the object before it deleted that. Those that were added in
    /// the store since then remain, or are added.
    func settleMembers() throws {
        for (name, relationship) in object.entity.relationshipsByName
        where relationship.isToMany && !object.isInverseOfToOne(name) {
            let known = Set((links[name]?.removed ?? []) + (lists[name]?.old ?? []))
            // Members that the object had in the store, but not before the edit, had been removed.
            let removed = Set(links[name]?.passing ?? []).union(stored[name]?.subtracting(known) ?? [])
            let current = object.storedMembers(name)
            for member in try object.editedMembers(name)
            where removed.contains(member) || !known.contains(member) && !current.contains(member) {
                try object.removeEditedMember(member, for: name)
            }
            guard let stored = stored[name] else { continue }
            for member in current.subtracting(stored) where member.isEditable {
                try object.addEditedMember(member, for: name)
            }
        }
    }
}

extension NSManagedObject {
    /// Returns whether a relation is the inverse of a relation to one, whose destinations decide its members.
    func isInverseOfToOne(_ name: String) -> Bool {
        entity.relationshipsByName[name]?.inverseRelationship.map { !$0.isToMany } ?? false
    }
}
