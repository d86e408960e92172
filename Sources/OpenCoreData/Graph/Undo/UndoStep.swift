import SwormPredicates

/// The reversal of the changes of one event of a context.
struct UndoStep {
    private struct Change {
        let record: ChangeRecorder.Record
        let links: [Int: (added: [NSManagedObject], removed: [NSManagedObject])]

        init(_ record: ChangeRecorder.Record) {
            self.record = record
            links = Dictionary(
                record.linkSlots.map { slot in
                    let links = record.links(slot)
                    return (slot, (links.added, links.removed))
                }, uniquingKeysWith: { first, _ in first })
        }
    }

    private let changes: [Change]

    /// Creates the reversal of what was recorded; nil if there is nothing to reverse.
    init?(_ recorder: ChangeRecorder) {
        changes = recorder.records.filter { $0.wasPresent || $0.object.isPresent }.map(Change.init)
        if changes.isEmpty { return nil }
    }

    /// Restores the earlier state. Objects that were deleted return first, so that the relationships with them can be
    /// restored, and objects that were inserted leave last.
    func undo(in context: NSManagedObjectContext) throws {
        let events = changes.map { ($0.record.object, $0.record.event) }
        for change in changes where change.record.wasPresent && !change.record.object.isPresent {
            try context.revive(change.record.object)
        }
        for change in changes where change.record.wasPresent { try restoreValues(change.record) }
        for change in changes where change.record.wasPresent { try restoreRelationships(change) }
        for change in changes where !change.record.wasPresent && change.record.object.isPresent {
            context.deleteObject(change.record.object)
        }
        for case let (object, event?) in events { object.awake(fromSnapshotEvents: event) }
    }

    private func restoreValues(_ record: ChangeRecorder.Record) throws {
        let settable = Set(record.object.settableSlots)
        for (slot, value) in record.values.sorted(by: { $0.key < $1.key }) where settable.contains(slot) {
            try record.object.setAttribute(slot, to: value)
        }
    }

    private func restoreRelationships(_ change: Change) throws {
        let (record, object) = (change.record, change.record.object)
        for (slot, destination) in record.destinations.sorted(by: { $0.key < $1.key }) {
            try object.setDestination(slot, to: destination.flatMap { $0.isPresent ? $0 : nil })
        }
        for (slot, members) in record.lists.sorted(by: { $0.key < $1.key }) {
            try object.setMembers(slot, to: members.filter(\.isPresent))
        }
        for (slot, links) in change.links.sorted(by: { $0.key < $1.key }) {
            for other in links.added where other.isPresent { try object.removeMember(slot, object: other) }
            for other in links.removed where other.isPresent { try object.addMember(slot, object: other) }
        }
    }
}

extension ChangeRecorder.Record {
    /// The event that the reversal of the change is for its object; nil for an object that is neither present nor was.
    fileprivate var event: NSSnapshotEventType? {
        switch (wasPresent, object.isPresent) {
        case (true, true): .undoUpdate
        case (true, false): .undoDeletion
        case (false, true): .undoInsertion
        case (false, false): nil
        }
    }
}
