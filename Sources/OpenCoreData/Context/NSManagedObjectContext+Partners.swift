import SwormPredicates

extension NSManagedObjectContext {
    /// Keeps both sides of relationships between two objects in step when one object is written over what others saved.
    ///
    /// Others may have given the object another partner, whose side still leads to it, and taken the link away from the one
    /// that it has here. Both partners are written along with it.
    ///
    /// - Parameters:
    ///   - object: An object whose present state goes into the store.
    ///   - stored: What the store holds of it now.
    final func keepPartners(of object: NSManagedObject, over stored: CommittedRow?, _ origin: ObjectOrigin) throws {
        guard let stored else { return }
        for (slot, relationship) in object.plan.relationships.enumerated() where !relationship.isToMany {
            guard object.changedRelationships.contains(slot), let inverse = relationship.inverse,
                !origin.compiled[relationship.destination].relationships[inverse].isToMany
            else { continue }
            let partner = object.destination(slot)
            if let row = stored.toOnes[slot], row != partner?.objectID.row {
                let lost = self.object(for: row, origin: origin, hint: nil)
                if try isAtHand(lost), lost !== object, lost.destination(inverse) === object {
                    lost.assignDestination(inverse, nil)
                }
            }
            if let partner, partner !== object, try isAtHand(partner), partner.destination(inverse) !== object {
                if let other = partner.destination(inverse), try isAtHand(other), other.destination(slot) === partner {
                    other.assignDestination(slot, nil)
                }
                partner.assignDestination(inverse, object)
            }
        }
    }

    /// Whether an object is there to be changed; an unchanged one is read anew.
    private func isAtHand(_ object: NSManagedObject) throws -> Bool {
        if object.status.contains(.inserted) { return true }
        if !object.status.isDisjoint(with: [.deleted, .gone]) { return false }
        if object.hasChanges { return true }
        refresh(object, mergeChanges: false)
        do {
            try object.load()
            return true
        } catch let error as CoreDataError where error.errorCode == NSManagedObjectReferentialIntegrityError {
            return false
        }
    }
}
