import Foundation
import SwormPredicates
import SwormStore

// The values of objects and rows in conflicts: attributes and the ids of to-one destinations, with `NSNull` for nil.
extension NSManagedObject {
    /// The current values, without external data that was not read.
    final var presentSnapshot: [String: Any] {
        snapshotValues { slot in
            let isUnread = compiledEntity.traits[slot].allowsExternalStorage && !changedAttributes.contains(slot)
            return isUnread && snapshot.fetched != nil ? nil : attribute(slot)
        } toOne: {
            destination($0)?.objectID
        }
    }

    /// Returns the values of the object's row at some time, without external data that was not read. The row may have
    /// fewer properties, because its entity may be a parent of the object's.
    final func values(of row: RowSnapshot, _ origin: ObjectOrigin) -> [String: Any] {
        snapshotValues { slot in
            guard row.attributes.indices.contains(slot), case .value(let value) = row.attributes[slot] else {
                return nil
            }
            return value
        } toOne: { slot in
            (row.toOnes.indices.contains(slot) ? row.toOnes[slot] : nil).map {
                NSManagedObjectID(entity: origin.compiled[$0.entity], key: $0.key, origin: origin)
            }
        }
    }

    /// Returns the current values of some properties.
    final func identifyingValues(of names: [String]) -> [String: Any] {
        var values: [String: Any] = [:]
        for name in names {
            let value = value(forKey: name)
            values[name] = (value as? NSManagedObject)?.objectID ?? value ?? NSNull()
        }
        return values
    }

    /// Returns stored properties by name.
    ///
    /// - Parameters:
    ///   - attribute: A closure that returns the value of an attribute by its slot; nil to leave it out.
    ///   - toOne: A closure that returns the id of a to-one destination by its slot; nil if it has no value.
    private func snapshotValues(
        attribute: (Int) -> AttributeValue?, toOne: (Int) -> NSManagedObjectID?
    ) -> [String: Any] {
        var values: [String: Any] = [:]
        for (slot, description) in compiledEntity.attributes.enumerated()
        where !description.isTransient && !description.name.contains(".") {
            if let value = attribute(slot) { values[description.name] = keyedValue(value, of: slot) ?? NSNull() }
        }
        for (key, leaves) in compiledEntity.composites where !key.contains(".") {
            values[key] = compositeValue(key, leaves: leaves) { attribute($0) ?? .null } ?? NSNull()
        }
        for (slot, relationship) in compiledEntity.relationships.enumerated()
        where !relationship.isToMany && !relationship.isTransient {
            values[relationship.name] = toOne(slot) ?? NSNull()
        }
        return values
    }
}
