import Foundation
package import SwormPredicates
import SwormStore

// The doors by slot: what the keyed accessors and the layers above stand on.
extension NSManagedObject {
    /// The present value of an attribute, firing the fault if need be.
    package final func attribute(_ slot: Int) -> AttributeValue {
        do {
            return try readAttribute(slot)
        } catch {
            return unreadable(error)
        }
    }

    /// The value of an attribute that could not be read. The context keeps the reason.
    private func unreadable(_ error: any Error) -> AttributeValue {
        context?.noteReadError(error)
        return .null
    }

    /// The present value of an attribute, firing the fault if need be.
    ///
    /// - Throws: A ``CoreDataError`` when the row has gone or cannot be read, or the value is none that the attribute can have.
    package final func readAttribute(_ slot: Int) throws -> AttributeValue {
        if changedAttributes.contains(slot) || (!edits.isEmpty && plan.traits[slot].isTransient) {
            return edits[slot] ?? .null
        }
        switch snapshot {
        case .row(let group, let row):
            do {
                return try committed(slot, group: group, row: row)
            } catch {
                guard try isReplaced(error, slot) else { throw error }
                return try readAttribute(slot)
            }
        case .patched(let patched):
            if let value = patched.values[slot] { return value }
            do {
                return try committed(slot, group: patched.group, row: patched.row)
            } catch {
                guard try isReplaced(error, slot) else { throw error }
                return try readAttribute(slot)
            }
        case .values(let committed):
            return committed.attributes[slot]
        case .none:
            return edits[slot] ?? .null
        case .fault:
            try load()
            // A fault that `awakeFromFetch` brought about again is not asked a second time.
            return snapshot.isFault ? .null : try readAttribute(slot)
        }
    }

    /// Whether an external file is gone because the row names another by now. Then an object without changes has given up
    /// the old row.
    private func isReplaced(_ error: any Error, _ slot: Int) throws -> Bool {
        guard plan.traits[slot].allowsExternalStorage, let version = snapshot.version, !hasChanges,
            (error as? CoreDataError)?.isOfMissingFile == true
        else { return false }
        let old = snapshot
        snapshot = .fault(nil)
        do {
            try load()
        } catch {
            snapshot = old
            throw error
        }
        guard snapshot.version == version else {
            // What was read of relationships belongs to the old row.
            forgetReadRelationships()
            return true
        }
        snapshot = old
        return false
    }

    private func committed(_ slot: Int, group: FetchGroup, row: Int) throws -> AttributeValue {
        try group.value(row: row, slot: slot, plan, objectID.origin, context)
    }

    /// The present values of all attributes. Those of a new object are its edits, which are shared and not copied.
    final var presentAttributes: [AttributeValue] {
        if case .none = snapshot, let all = edits.all, all.count == plan.attributes.count { return all }
        return plan.attributes.indices.map { attribute($0) }
    }

    /// The changed values that the store keeps.
    final var changedStoredAttributes: SlotValues {
        if plan.keepsAllAttributes, edits.haveExactly(changedAttributes) { return edits }
        var stored = SlotValues()
        changedAttributes.forEach { slot in
            let attribute = plan.attributes[slot]
            if !attribute.isTransient, attribute.derivation == nil { stored[slot] = self.attribute(slot) }
        }
        return stored
    }

    /// The value of an attribute in the row that was read; nil where it was in a file that was removed since.
    final func committedAttributeIfPresent(_ slot: Int) -> AttributeValue? {
        guard plan.traits[slot].allowsExternalStorage, let (group, row) = snapshot.fetched else {
            return committedAttribute(slot)
        }
        if case .patched(let patched) = snapshot, let value = patched.values[slot] { return value }
        do {
            return try committed(slot, group: group, row: row)
        } catch {
            if (error as? CoreDataError)?.isOfMissingFile == true { return nil }
            return unreadable(error)
        }
    }

    /// The value of an attribute in the store.
    package final func committedAttribute(_ slot: Int) -> AttributeValue {
        switch snapshot {
        case .none: return .null
        case .values(let committed): return committed.attributes[slot]
        case .fault: return fire() ? committedAttribute(slot) : .null
        case .row, .patched:
            if case .patched(let patched) = snapshot, let value = patched.values[slot] { return value }
            guard let (group, row) = snapshot.fetched else { return .null }
            do {
                return try committed(slot, group: group, row: row)
            } catch {
                return unreadable(error)
            }
        }
    }

    /// Sets some attributes: all of them, or none when one of the values does not fit.
    ///
    /// - Throws: As ``setAttribute(_:_:)``.
    package final func setAttributes(_ slots: [Int], _ values: [AttributeValue]) throws {
        for (slot, value) in zip(slots, values) { _ = try plan.attributes[slot].accept(value, entity: plan.name) }
        for (slot, value) in zip(slots, values) { try setAttribute(slot, value) }
    }

    /// Sets an attribute.
    ///
    /// Setting the value that the store holds takes the change back.
    ///
    /// - Throws: A ``CoreDataError`` when the value is not of the attribute's type, or the object can't be changed.
    package final func setAttribute(_ slot: Int, _ value: AttributeValue) throws {
        let traits = plan.traits[slot]
        let value = traits.holds(value) ? value : try plan.attributes[slot].accept(value, entity: plan.name)
        try requireMutable(key: plan.attributes[slot].name)
        prepareEdits()
        if status.contains(.inserted) || snapshot.isNone {
            guard !(edits[slot] ?? .null).isIdentical(to: value) else { return }
            edits[slot] = value
            changedAttributes.insert(slot)
            return
        }
        if !traits.isTransient, let committed = committedAttributeIfPresent(slot), value.isIdentical(to: committed) {
            if changedAttributes.contains(slot) {
                edits[slot] = nil
                changedAttributes.remove(slot)
            }
            return
        }
        edits[slot] = value
        changedAttributes.insert(slot)
        markUpdated()
    }

    /// Gives a new object its values, where nothing else has set one and no class of its own wants to see each of them.
    ///
    /// - Parameter values: By slot.
    /// - Throws: A ``CoreDataError`` when a value is not of its attribute's type.
    final func setFirstValues(_ values: [AttributeValue]) throws {
        let (traits, defaults) = (plan.traits, plan.defaultValues)
        var changed = SlotSet()
        // Through pointers, so that no value is copied to be looked at.
        let areHeld = values.withUnsafeBufferPointer { values in
            defaults.withUnsafeBufferPointer { defaults in
                for slot in values.indices {
                    if !traits[slot].holds(values[slot]) { return false }
                    if values[slot] != defaults[slot] { changed.insert(slot) }
                }
                return true
            }
        }
        guard areHeld else {
            for slot in values.indices { try setAttribute(slot, values[slot]) }
            return
        }
        changedAttributes = changed
        edits = SlotValues(all: values)
    }

    /// Gives the attributes that no row holds the values that they had, before the first value is set.
    final func prepareEdits() {
        guard edits.isEmpty, !plan.keepsAllAttributes else { return }
        var present = plan.defaultValues
        if case .values(let committed) = snapshot { present = committed.attributes }
        for slot in plan.attributes.indices where plan.traits[slot].isTransient { edits[slot] = present[slot] }
    }

    /// Takes over what the store holds by now. Unsaved changes and transient values stay.
    final func replaceSnapshot(_ fresh: ObjectSnapshot) {
        if hasChanges { prepareEdits() }
        snapshot = fresh
    }

    /// Throws when the object can't be changed: it was deleted for good, or its row has gone or cannot be read. A change of
    /// a row that was not read would be written over whatever the row holds by then.
    final func requireMutable(key: @autoclosure () -> String) throws {
        if status.isDisjoint(with: [.gone, .inaccessible]) { return try load() }
        let key = key()
        throw CoreDataError(
            NSManagedObjectReferentialIntegrityError,
            "Cannot set '\(key)' of \(plan.name) \(objectID): the object is no longer in the store.",
            entity: plan.name, key: key, objects: [objectID.reference])
    }

    final func markUpdated() {
        guard status.isDisjoint(with: [.inserted, .deleted, .gone]) else { return }
        if status.insert(.updated).inserted { context?.noteUpdated(self) }
    }
}

extension AttributeValue {
    /// Whether a store would hold the same for both. Texts that Swift takes for equal may differ in their bytes.
    fileprivate func isIdentical(to other: AttributeValue) -> Bool {
        guard self == other else { return false }
        guard case .string(let text) = self, case .string(let otherText) = other else { return true }
        return compareBytes(text, otherText) == .orderedSame
    }
}
