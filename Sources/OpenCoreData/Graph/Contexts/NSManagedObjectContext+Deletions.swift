import SwormPredicates
import SwormStore

// The effects of deletions on other objects, and the undoing of deletions that are not saved yet.
extension NSManagedObjectContext {
    /// Unlinks an object from its partners and returns the objects that its cascades delete.
    final func applyDeleteRules(of object: NSManagedObject) -> [NSManagedObject] {
        guard let model = compiledModel else { return [] }
        // A save, which reports denied deletions, does not check objects that were never saved; they leave no row to
        // point at.
        let isSaved = if case .none = object.snapshot { false } else { true }
        var cascaded: [NSManagedObject] = []
        for (slot, relationship) in object.compiledEntity.relationships.enumerated() where !relationship.isTransient {
            let rule = relationship.deleteRule
            if isSaved, rule == .noActionDeleteRule || rule == .denyDeleteRule { continue }
            do {
                try object.requireReadRelationship(slot)
            } catch {
                // The rules cannot be followed, so the save must fail.
                object.refuse(error, key: relationship.name)
                continue
            }
            let others = others(of: object, slot)
            if relationship.deleteRule == .cascadeDeleteRule { cascaded += others }
            guard let inverse = relationship.inverse else { continue }
            let inverseIsToMany = model[relationship.destination].relationships[inverse].isToMany
            for other in others where !other.status.contains(.deleted) && other !== object {
                if inverseIsToMany {
                    other.noteRemoved(inverse, object: object)
                } else if other.destination(inverse) === object {
                    other.assignDestination(inverse, to: nil)
                }
            }
        }
        return cascaded
    }

    private func others(of object: NSManagedObject, _ slot: Int) -> [NSManagedObject] {
        object.compiledEntity.relationships[slot].isToMany
            ? object.memberObjects(slot) : object.destination(slot).map { [$0] } ?? []
    }

    /// Restores an object whose deletion is not saved yet, and links it again with its live partners.
    final func takeBackDeletion(of object: NSManagedObject) { takeBackDeletion(of: object) { $0.isFree } }

    /// Restores an object whose deletion is not saved yet.
    ///
    /// - Parameter isFree: Whether an object may be linked with.
    final func takeBackDeletion(
        of object: NSManagedObject, _ isFree: (NSManagedObject) throws -> Bool
    ) rethrows {
        recorder?.noteInsertion(of: object)
        object.status.remove(.deleted)
        deletedList.remove(object)
        object.markUpdated()
        guard let model = compiledModel else { return }
        for (slot, relationship) in object.compiledEntity.relationships.enumerated() where !relationship.isTransient {
            guard let inverse = relationship.inverse else { continue }
            let inverseIsToMany = model[relationship.destination].relationships[inverse].isToMany
            for other in others(of: object, slot) where other !== object {
                if inverseIsToMany, other.isFree {
                    other.noteAdded(inverse, object: object)
                } else if !inverseIsToMany, try isFree(other),
                    other.destination(inverse).map({ $0 === object }) ?? true
                {
                    other.assignDestination(inverse, to: object)
                } else if relationship.isToMany {
                    object.noteRemoved(slot, object: other)
                } else {
                    object.assignDestination(slot, to: nil)
                }
            }
        }
    }
}

extension NSManagedObject {
    /// Whether the object is neither deleted nor about to be.
    fileprivate final var isFree: Bool { !isDeleted && !status.contains(.gone) }
}
