import SwormPredicates
import SwormStore

/// The reversal of the changes of one event of a context.
struct UndoStep {
    private struct Change {
        let record: ChangeRecorder.Record
        let links: [Int: (added: [NSManagedObject], removed: [NSManagedObject])]
        /// Whether the event has deleted the object. Another context, or an event without a step, may delete it later.
        let isDeletion: Bool

        init(_ record: ChangeRecorder.Record) {
            self.record = record
            isDeletion = record.wasPresent && !record.object.exists
            links = Dictionary(
                record.linkSlots.map { slot in
                    let links = record.links(slot)
                    return (slot, (links.added, links.removed))
                }, uniquingKeysWith: { first, _ in first })
        }

        /// The event that the reversal of the change is for its object; nil if it has no effect on the object.
        var event: NSSnapshotEventType? {
            switch (record.wasPresent, record.object.isPresent) {
            case (true, true): .undoUpdate
            case (true, false): isDeletion ? .undoDeletion : nil
            case (false, true): .undoInsertion
            case (false, false): nil
            }
        }
    }

    private let changes: [Change]

    /// Creates the reversal of what was recorded; nil if there is nothing to reverse.
    init?(_ recorder: ChangeRecorder) {
        changes = recorder.records.filter { $0.wasPresent || $0.object.isPresent }.map(Change.init)
        if changes.isEmpty { return nil }
    }

    /// Restores the earlier state. Objects that the event has deleted return first, so that the relationships with them can
    /// be restored, and objects that were inserted leave last.
    ///
    /// Objects that were deleted since, for example by another context, do not return.
    ///
    /// - Throws: The first error. The other changes are reversed nevertheless.
    func undo(in context: NSManagedObjectContext) throws {
        var failure: (any Error)?
        func attempt(_ work: () throws -> Void) {
            do {
                try work()
            } catch {
                if failure == nil { failure = error }
            }
        }
        let events = changes.map { (object: $0.record.object, event: $0.event) }
        for change in changes where change.isDeletion { attempt { try context.revive(change.record.object) } }
        var reachable: [Change] = []
        for change in changes where change.record.wasPresent {
            attempt { if try change.record.object.isReachable() { reachable.append(change) } }
        }
        for change in reachable { attempt { try restoreValues(change.record) } }
        for change in reachable { attempt { try restoreRelationships(change) } }
        let inserted = changes.filter { !$0.record.wasPresent && $0.record.object.isPresent }
        // Without an inverse, the objects at the other end know nothing of the relationship, so a cascade would delete
        // them.
        for change in inserted { attempt { try restoreRelationships(change, onlyWithoutInverse: true) } }
        for change in inserted { attempt { try clearCascades(of: change.record.object) } }
        for change in inserted { context.deleteObject(change.record.object) }
        for (object, event) in events {
            guard let event, event == .undoInsertion || object.isPresent else { continue }
            object.awake(fromSnapshotEvents: event)
        }
        if let failure { throw failure }
    }

    private func restoreValues(_ record: ChangeRecorder.Record) throws {
        let settable = Set(record.object.settableSlots)
        for (slot, value) in record.values.sorted(by: { $0.key < $1.key }) where settable.contains(slot) {
            try record.object.setAttribute(slot, to: value)
        }
    }

    private func restoreRelationships(_ change: Change, onlyWithoutInverse: Bool = false) throws {
        let (record, object) = (change.record, change.record.object)
        func isRestored(_ slot: Int) -> Bool {
            !onlyWithoutInverse || object.compiledEntity.relationships[slot].inverse == nil
        }
        for (slot, destination) in record.destinations.sorted(by: { $0.key < $1.key }) where isRestored(slot) {
            try object.setDestination(slot, to: destination.flatMap { try $0.isReachable() ? $0 : nil })
        }
        for (slot, members) in record.lists.sorted(by: { $0.key < $1.key }) where isRestored(slot) {
            try object.setMembers(slot, to: members.filter { try $0.isReachable() })
        }
        for (slot, links) in change.links.sorted(by: { $0.key < $1.key }) where isRestored(slot) {
            for other in links.added where try other.isReachable() { try object.removeMember(slot, object: other) }
            for other in links.removed where try other.isReachable() { try object.addMember(slot, object: other) }
        }
    }
}

extension UndoStep {
    /// Clears the relationships to one whose cascades would delete objects that existed before the event. Those objects
    /// have not recorded the relationship: it has no inverse, or one to many.
    ///
    /// An earlier destination does not return: if the event has taken back the deletion of the object, the cascade
    /// would delete that destination again.
    private func clearCascades(of object: NSManagedObject) throws {
        guard try object.isReachable() else { return }
        let model = object.objectID.origin.compiled
        for (slot, relationship) in object.compiledEntity.relationships.enumerated()
        where relationship.deleteRule == .cascadeDeleteRule && !relationship.isToMany && !relationship.isTransient {
            let inverse = relationship.inverse.map { model[relationship.destination].relationships[$0] }
            if inverse?.isToMany ?? true { try object.setDestination(slot, to: nil) }
        }
    }
}

extension NSManagedObject {
    /// Returns whether the object exists, for its context and in the store.
    ///
    /// - Throws: The store's error.
    fileprivate final func isReachable() throws -> Bool {
        guard isPresent else { return false }
        do {
            try load()
            return true
        } catch let error as CoreDataError where error.errorCode == NSManagedObjectReferentialIntegrityError {
            return false
        }
    }
}
