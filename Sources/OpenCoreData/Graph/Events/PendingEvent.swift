import SwormPredicates
import SwormStore

/// The objects that have changed since the last notification about changed objects, as far as the lists of the context
/// do not know them.
///
/// An object without unsaved changes enters a list of its context when it is inserted, changed or deleted, and the
/// lists know which objects were added in the pending event. So the first change of an object only sets a bit in its
/// status.
struct PendingEvent {
    private(set) var inserted: [NSManagedObject] = []
    /// The changed objects that had unsaved changes before.
    private(set) var changed: [NSManagedObject] = []
    /// The deleted objects that were inserted, and not saved, before.
    private(set) var deleted: [NSManagedObject] = []
    /// The objects that were read anew. They are noted only while somebody observes the context.
    private(set) var refreshed: [NSManagedObject] = []
    /// The values before the event of changed objects that had unsaved changes by then.
    private var earlier: [ObjectIdentifier: EarlierValues] = [:]

    var isEmpty: Bool { changed.isEmpty && inserted.isEmpty && deleted.isEmpty && refreshed.isEmpty }

    mutating func noteInsertion(of object: NSManagedObject) { inserted.append(object) }

    mutating func noteChange(of object: NSManagedObject, since values: EarlierValues) {
        changed.append(object)
        earlier[ObjectIdentifier(object)] = values
    }

    mutating func noteDeletion(of object: NSManagedObject) { deleted.append(object) }

    mutating func noteRefresh(of object: NSManagedObject) { refreshed.append(object) }

    mutating func noteMember(_ member: NSManagedObject, isAdded: Bool, of object: NSManagedObject, slot: Int) {
        earlier[ObjectIdentifier(object)]?.steps.append((slot, member, isAdded))
    }

    /// Adds the objects of the context's lists.
    mutating func add(inserted: [NSManagedObject], changed: [NSManagedObject], deleted: [NSManagedObject]) {
        self.inserted += inserted
        self.changed += changed
        self.deleted += deleted
    }

    func earlierValues(of object: NSManagedObject) -> EarlierValues? { earlier[ObjectIdentifier(object)] }
}

extension NSManagedObjectContext {
    /// Whether objects have changed since the last event.
    final var hasPendingEvent: Bool {
        insertedList.hasUnmarked || updatedList.hasUnmarked || deletedList.hasUnmarked || !pendingEvent.isEmpty
    }

    /// Returns the pending event, and starts the next one.
    ///
    /// - Parameter isObserved: Whether the objects of the event are needed.
    final func takePendingEvent(isObserved: Bool) -> PendingEvent {
        var taken = PendingEvent()
        swap(&pendingEvent, &taken)
        for object in taken.inserted { object.status.subtract([.noted, .fresh, .wasDirty]) }
        for object in taken.changed { object.status.subtract([.noted, .wasDirty]) }
        insertedList.forEachUnmarked { $0.status.subtract([.noted, .fresh, .wasDirty]) }
        updatedList.forEachUnmarked { $0.status.subtract([.noted, .wasDirty]) }
        deletedList.forEachUnmarked { $0.status.subtract([.noted, .wasDirty]) }
        if isObserved {
            taken.add(inserted: insertedList.unmarked, changed: updatedList.unmarked, deleted: deletedList.unmarked)
        }
        insertedList.markAll()
        updatedList.markAll()
        deletedList.markAll()
        return taken
    }

    /// Keeps the objects of the pending event, because a save is about to empty the lists. Usually the event is
    /// empty: only a merge policy changes objects after the save has begun.
    final func keepPendingEvent() {
        guard hasPendingEvent else { return }
        let isObserved = isObserved
        let pending = takePendingEvent(isObserved: isObserved)
        guard isObserved else { return }
        for object in pending.inserted + pending.changed + pending.refreshed { pendingEvent.noteRefresh(of: object) }
        for object in pending.deleted { pendingEvent.noteDeletion(of: object) }
    }
}

extension NSManagedObject {
    /// Notes that a value is about to change.
    @inline(__always)
    final func noteChange() {
        status.insert(.touched)
        if !status.contains(.noted) { noteFirstChange() }
    }

    /// Notes the first change of an event.
    @inline(never)
    private final func noteFirstChange() {
        status.insert(.noted)
        // An object without unsaved changes enters a list of its context, and its earlier values are those of its row.
        guard !status.isDisjoint(with: [.inserted, .updated]), let context else { return }
        status.insert(.wasDirty)
        context.pendingEvent.noteChange(of: self, since: EarlierValues(of: self))
    }

    /// Notes that the object is new in its context.
    final func noteInsertion() {
        status.insert([.noted, .fresh])
        status.subtract([.deletionPosted, .wasDirty])
    }

    /// Notes the change of a to-many relationship, if the earlier members are unknown without it.
    @inline(__always)
    final func noteMember(_ member: NSManagedObject, isAdded: Bool, slot: Int) {
        noteChange()
        if status.contains(.wasDirty) {
            context?.pendingEvent.noteMember(member, isAdded: isAdded, of: self, slot: slot)
        }
    }
}

/// The unsaved values of an object at the beginning of an event.
struct EarlierValues {
    let edits: SlotValues
    let changedAttributes: SlotSet
    let changedRelationships: SlotSet
    /// The destinations of changed to-one relationships, by slot.
    private(set) var destinations: [Int: NSManagedObject] = [:]
    /// The members of changed ordered relationships, by slot.
    private(set) var orders: [Int: [NSManagedObject]] = [:]
    /// The objects that were added to and removed from to-many relationships since.
    var steps: [(slot: Int, member: NSManagedObject, isAdded: Bool)] = []

    init(of object: NSManagedObject) {
        edits = object.edits
        changedAttributes = object.changedAttributes
        changedRelationships = object.changedRelationships
        object.changedRelationships.forEach { slot in
            switch object.relationshipState(slot) {
            case .toOne(let destination): destinations[slot] = destination
            case .toMany(let members) where object.compiledEntity.relationships[slot].isOrdered && members.isLoaded:
                orders[slot] = members.objects
            case .toMany, .untouched: break
            }
        }
    }

    /// Returns the members of an unordered relationship at the beginning of the event.
    ///
    /// - Parameter present: The current members.
    func members(_ slot: Int, present: [NSManagedObject]) -> Set<NSManagedObject> {
        var members = Set(present)
        for step in steps.reversed() where step.slot == slot {
            if step.isAdded { members.remove(step.member) } else { members.insert(step.member) }
        }
        return members
    }
}
