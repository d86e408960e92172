import Foundation
import SwormPredicates
import SwormStore

extension NSManagedObject {
    /// Returns the earlier values of changed properties. See ``changedValuesForCurrentEvent()``.
    final func earlierValues() -> [String: Any] {
        guard let context else { return [:] }
        let event: PendingEvent
        let isNew: Bool
        if let announced = context.announcedEvent, announced.contains(self) {
            event = announced.event
            isNew = announced.isInsertion(of: self)
        } else if status.contains(.noted) {
            event = context.pendingEvent
            isNew = status.contains(.fresh)
        } else {
            return [:]
        }
        let before = isNew ? nil : event.earlierValues(of: self)
        var values: [String: Any] = [:]
        noteEarlierAttributes(before, in: &values)
        noteEarlierRelationships(before, in: &values)
        return values
    }

    private final func noteEarlierAttributes(_ before: EarlierValues?, in values: inout [String: Any]) {
        func earlier(_ slot: Int) -> AttributeValue {
            if let before, before.changedAttributes.contains(slot) { return before.edits[slot] ?? .null }
            return snapshot.isNone ? compiledEntity.defaultValues[slot] : committedAttribute(slot)
        }
        for slot in compiledEntity.attributes.indices where !compiledEntity.traits[slot].isTransient {
            guard changedAttributes.contains(slot) || before?.changedAttributes.contains(slot) ?? false,
                earlier(slot) != attribute(slot)
            else { continue }
            let name = compiledEntity.attributes[slot].name
            if let dot = name.firstIndex(of: "."), let leaves = compiledEntity.composites[String(name[..<dot])] {
                let key = String(name[..<dot])
                values[key] = compositeValue(key, leaves: leaves, earlier) ?? NSNull()
            } else {
                values[name] = keyedValue(earlier(slot), of: slot) ?? NSNull()
            }
        }
    }

    private final func noteEarlierRelationships(_ before: EarlierValues?, in values: inout [String: Any]) {
        for (slot, relationship) in compiledEntity.relationships.enumerated() where !relationship.isTransient {
            guard changedRelationships.contains(slot) || before?.changedRelationships.contains(slot) ?? false else {
                continue
            }
            let wasChanged = before?.changedRelationships.contains(slot) ?? false
            if !relationship.isToMany {
                let old = wasChanged ? before?.destinations[slot] : committedRelationshipValue(slot) as? NSManagedObject
                if old !== destination(slot) { values[relationship.name] = old ?? NSNull() }
            } else if relationship.isOrdered {
                let committed = (committedRelationshipValue(slot) as? NSOrderedSet)?.array as? [NSManagedObject]
                let old = (wasChanged ? before?.orders[slot] : nil) ?? committed ?? []
                if old != memberObjects(slot) { values[relationship.name] = NSOrderedSet(array: old) }
            } else {
                let present = memberObjects(slot)
                let committed = committedRelationshipValue(slot) as? Set<NSManagedObject> ?? []
                let old = wasChanged ? before?.members(slot, present: present) ?? committed : committed
                if old != Set(present) { values[relationship.name] = old }
            }
        }
    }
}
