import SwormPredicates
import SwormStore

/// The objects that have changed since the last notification about changed objects.
///
/// Noting an object costs an addition to an array; everything else is computed when somebody observes. An object is in
/// `inserted` or in `changed` if it has the status `noted`.
struct PendingEvent {
    private(set) var inserted: ContiguousArray<NSManagedObject> = []
    private(set) var changed: ContiguousArray<NSManagedObject> = []
    private(set) var deleted: ContiguousArray<NSManagedObject> = []
    /// The objects that were read anew. They are noted only while somebody observes the context.
    private(set) var refreshed: ContiguousArray<NSManagedObject> = []
    /// The values before the event of changed objects that had unsaved changes by then.
    private var earlier: [ObjectIdentifier: EarlierValues] = [:]

    var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty && refreshed.isEmpty }

    mutating func noteInsertion(of object: NSManagedObject) { inserted.append(object) }

    mutating func noteChange(of object: NSManagedObject, since values: EarlierValues?) {
        changed.append(object)
        if let values { earlier[ObjectIdentifier(object)] = values }
    }

    mutating func noteDeletion(of object: NSManagedObject) { deleted.append(object) }

    mutating func noteRefresh(of object: NSManagedObject) { refreshed.append(object) }

    mutating func noteMember(_ member: NSManagedObject, isAdded: Bool, of object: NSManagedObject, slot: Int) {
        earlier[ObjectIdentifier(object)]?.steps.append((slot, member, isAdded))
    }

    /// Returns the noted objects, and starts the next event.
    mutating func take() -> PendingEvent {
        var taken = PendingEvent()
        swap(&self, &taken)
        for object in taken.inserted { object.status.subtract([.noted, .fresh, .wasDirty]) }
        for object in taken.changed { object.status.subtract([.noted, .wasDirty]) }
        return taken
    }

    func earlierValues(of object: NSManagedObject) -> EarlierValues? { earlier[ObjectIdentifier(object)] }

    /// Whether an object was inserted or changed in the event.
    func contains(_ object: NSManagedObject) -> Bool { isInsertion(of: object) || changed.contains { $0 === object } }

    func isInsertion(of object: NSManagedObject) -> Bool { inserted.contains { $0 === object } }
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
