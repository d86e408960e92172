package import SwormPredicates
package import SwormStore

/// A recorder of what one edit changes in a context: for each changed object, the values that its changed properties had
/// before.
///
/// While it is the recorder of a context, the objects report each change to it beforehand; only the first report of a
/// property matters. It holds the objects. Changes that a save, a merge, a refresh or a rollback makes are not reported.
package final class ChangeRecorder {
    /// The previous state of one changed object.
    package struct Record {
        package let object: NSManagedObject
        /// Whether the object existed before: it was neither deleted nor not yet inserted.
        package let wasPresent: Bool
        /// The previous values of changed attributes, by slot.
        package fileprivate(set) var values: [Int: AttributeValue] = [:]
        /// The previous destinations of changed relationships to one, by slot.
        package fileprivate(set) var destinations: [Int: NSManagedObject?] = [:]
        /// The previous members of changed ordered relationships, by slot.
        package fileprivate(set) var lists: [Int: [NSManagedObject]] = [:]
        /// The members that changed unordered relationships have gained (1) or lost (-1), by slot.
        fileprivate var links: [Int: [ObjectIdentifier: (object: NSManagedObject, difference: Int)]] = [:]

        /// Returns the members that an unordered relationship has gained and lost, and those that it has both gained and
        /// lost.
        package func links(
            _ slot: Int
        ) -> (added: [NSManagedObject], removed: [NSManagedObject], passing: [NSManagedObject]) {
            let differences = (links[slot] ?? [:]).values
            return (
                differences.filter { $0.difference > 0 }.map(\.object),
                differences.filter { $0.difference < 0 }.map(\.object),
                differences.filter { $0.difference == 0 }.map(\.object)
            )
        }

        /// The unordered relationships with reported changes.
        package var linkSlots: [Int] { Array(links.keys) }
    }

    private var indexes: [ObjectIdentifier: Int] = [:]
    /// The records in the order of the first change.
    package private(set) var records: [Record] = []

    package init() {}

    /// The records until a moment.
    package struct Mark {
        fileprivate let indexes: [ObjectIdentifier: Int]
        fileprivate let records: [Record]
    }

    package func mark() -> Mark { Mark(indexes: indexes, records: records) }

    /// Forgets what was recorded since a mark, because the context has been restored to its state at that time.
    package func forget(since mark: Mark) { (indexes, records) = (mark.indexes, mark.records) }

    // MARK: Reports

    /// Notes that an object is about to be inserted, or inserted again.
    func noteInsertion(of object: NSManagedObject) { _ = index(of: object, wasPresent: false) }

    /// Notes that an attribute is about to change.
    func noteAttribute(_ slot: Int, of object: NSManagedObject) {
        let index = index(of: object)
        guard records[index].values[slot] == nil else { return }
        records[index].values[slot] = object.attribute(slot)
    }

    /// Notes that a relationship to one is about to change.
    func noteDestination(_ slot: Int, of object: NSManagedObject) {
        let index = index(of: object)
        guard records[index].destinations[slot] == nil else { return }
        records[index].destinations.updateValue(object.destination(slot), forKey: slot)
    }

    /// Notes that a member is about to be added to a relationship to many.
    func noteAddition(of member: NSManagedObject, to slot: Int, of object: NSManagedObject) {
        noteLink(1, with: member, by: slot, of: object)
    }

    /// Notes that a member is about to be removed from a relationship to many.
    func noteRemoval(of member: NSManagedObject, from slot: Int, of object: NSManagedObject) {
        noteLink(-1, with: member, by: slot, of: object)
    }

    private func noteLink(
        _ difference: Int, with member: NSManagedObject, by slot: Int, of object: NSManagedObject
    ) {
        if object.compiledEntity.relationships[slot].isOrdered { return noteOrder(slot, of: object) }
        // The destinations of the members decide which they are.
        guard !isInverseOfToOne(slot, of: object) else { return }
        let index = index(of: object)
        let known = records[index].links[slot]?[ObjectIdentifier(member)]?.difference ?? 0
        records[index].links[slot, default: [:]][ObjectIdentifier(member)] = (
            member, max(-1, min(1, known + difference))
        )
    }

    /// Notes that the order or the members of an ordered relationship are about to change.
    func noteOrder(_ slot: Int, of object: NSManagedObject) {
        let index = index(of: object)
        guard records[index].lists[slot] == nil else { return }
        records[index].lists[slot] = object.memberObjects(slot)
    }

    /// Notes that an object is about to be deleted: all of its properties.
    func noteDeletion(of object: NSManagedObject) {
        for slot in object.compiledEntity.attributes.indices { noteAttribute(slot, of: object) }
        for (slot, relationship) in object.compiledEntity.relationships.enumerated() {
            if !relationship.isToMany {
                noteDestination(slot, of: object)
            } else if relationship.isOrdered {
                noteOrder(slot, of: object)
            } else if !isInverseOfToOne(slot, of: object) {
                for member in object.memberObjects(slot) { noteRemoval(of: member, from: slot, of: object) }
            }
        }
    }

    private func index(of object: NSManagedObject, wasPresent: Bool? = nil) -> Int {
        if let known = indexes[ObjectIdentifier(object)] { return known }
        indexes[ObjectIdentifier(object)] = records.count
        records.append(Record(object: object, wasPresent: wasPresent ?? object.isPresent))
        return records.count - 1
    }

    private func isInverseOfToOne(_ slot: Int, of object: NSManagedObject) -> Bool {
        let relationship = object.compiledEntity.relationships[slot]
        guard let inverse = relationship.inverse else { return false }
        return !object.objectID.origin.compiled[relationship.destination].relationships[inverse].isToMany
    }
}

extension NSManagedObject {
    /// Whether the object exists for its context: it was not deleted, and its insertion was not undone.
    package final var isPresent: Bool {
        context != nil && status.isDisjoint(with: [.deleted, .gone, .inaccessible])
    }

    /// The number of the object's entity.
    package final var entityNumber: Int { compiledEntity.number }

    /// Returns the slot of a property, or nil if the entity has no such property.
    package final func propertySlot(named name: String) -> PropertySlot? { compiledEntity.slot(named: name) }

    /// Returns the name of an attribute.
    package final func attributeName(_ slot: Int) -> String { compiledEntity.attributes[slot].name }

    /// Returns the name of a relationship.
    package final func relationshipName(_ slot: Int) -> String { compiledEntity.relationships[slot].name }

    /// Returns the value that an attribute has in the store.
    package final func storedAttribute(_ slot: Int) -> AttributeValue { committedAttribute(slot) }

    /// The slots of the attributes that can be set.
    package final var settableSlots: [Int] {
        compiledEntity.attributes.indices.filter { compiledEntity.attributes[$0].derivation == nil }
    }
}
