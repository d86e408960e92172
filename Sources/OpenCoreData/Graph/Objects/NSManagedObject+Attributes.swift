import Foundation
package import SwormPredicates
import SwormStore

// Access by slot. The keyed accessors and the higher layers are built on it.
extension NSManagedObject {
    /// Returns the current value of an attribute, and fires the fault if necessary.
    final func attribute(_ slot: Int) -> AttributeValue {
        do {
            return try readAttribute(slot)
        } catch {
            return unreadable(slot, error)
        }
    }

    /// Returns the value of an attribute that could not be read. The context records the reason.
    private func unreadable(_ slot: Int, _ error: any Error) -> AttributeValue {
        context?.noteReadError(error, of: self, property: compiledEntity.attributes[slot].name)
        return .null
    }

    /// Returns the current value of an attribute, and fires the fault if necessary.
    ///
    /// - Throws: A ``CoreDataError`` if the row no longer exists or cannot be read, or if the value is not valid for
    ///   the attribute.
    package final func readAttribute(_ slot: Int) throws -> AttributeValue {
        if changedAttributes.contains(slot) || (!edits.isEmpty && compiledEntity.traits[slot].isTransient) {
            return edits[slot] ?? .null
        }
        switch snapshot {
        case .row(let group, let row):
            do {
                return try committed(slot, group: group, row: row)
            } catch {
                guard try isReplaced(after: error, slot: slot) else { throw error }
                return try readAttribute(slot)
            }
        case .patched, .awakened:
            if let value = snapshot.ownValue(slot) { return value }
            guard let (group, row) = snapshot.fetched else { return .null }
            do {
                return try committed(slot, group: group, row: row)
            } catch {
                guard try isReplaced(after: error, slot: slot) else { throw error }
                return try readAttribute(slot)
            }
        case .values(let committed):
            return committed.attributes[slot]
        case .none:
            return edits[slot] ?? .null
        case .fault, .unfired:
            try load()
            // If `awakeFromFetch` turned the object into a fault again, it is not fired a second time.
            return snapshot.isFault ? .null : try readAttribute(slot)
        }
    }

    /// Returns whether an external file no longer exists because the row refers to another file by now. If so, an
    /// object without changes has discarded the old row.
    private func isReplaced(after error: any Error, slot: Int) throws -> Bool {
        guard compiledEntity.traits[slot].allowsExternalStorage, let version = snapshot.version, !hasChanges,
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
            // The relationships that were read belong to the old row.
            forgetReadRelationships()
            return true
        }
        snapshot = old
        return false
    }

    private func committed(_ slot: Int, group: RowSet, row: Int) throws -> AttributeValue {
        try group.value(row: row, slot: slot, entity: compiledEntity, origin: objectID.origin, context: context)
    }

    /// The current values of all attributes. The values of a new object are its edits, which are shared and not copied.
    final var presentAttributes: [AttributeValue] {
        if case .none = snapshot, let all = edits.all, all.count == compiledEntity.attributes.count { return all }
        return compiledEntity.attributes.indices.map { attribute($0) }
    }

    /// The changed values of stored attributes.
    final var changedStoredAttributes: SlotValues {
        if compiledEntity.keepsAllAttributes, edits.haveExactly(changedAttributes) { return edits }
        var stored = SlotValues()
        changedAttributes.forEach { slot in
            let attribute = compiledEntity.attributes[slot]
            if !attribute.isTransient, attribute.derivation == nil { stored[slot] = self.attribute(slot) }
        }
        return stored
    }

    /// Returns the value of an attribute in the row that was read; nil if it was in a file that no longer exists.
    final func committedAttributeIfPresent(_ slot: Int) -> AttributeValue? {
        guard compiledEntity.traits[slot].allowsExternalStorage, let (group, row) = snapshot.fetched else {
            return committedAttribute(slot)
        }
        if let value = snapshot.ownValue(slot) { return value }
        do {
            return try committed(slot, group: group, row: row)
        } catch {
            if (error as? CoreDataError)?.isOfMissingFile == true { return nil }
            return unreadable(slot, error)
        }
    }

    /// Returns the value of an attribute in the store.
    final func committedAttribute(_ slot: Int) -> AttributeValue {
        switch snapshot {
        case .none: return .null
        case .values(let committed): return committed.attributes[slot]
        case .fault: return fire() ? committedAttribute(slot) : .null
        case .row, .patched, .unfired, .awakened:
            if let value = snapshot.ownValue(slot) { return value }
            guard let (group, row) = snapshot.fetched else { return .null }
            do {
                return try committed(slot, group: group, row: row)
            } catch {
                return unreadable(slot, error)
            }
        }
    }

    /// Sets several attributes: all of them, or none if one of the values is not valid.
    ///
    /// - Throws: See ``setAttribute(_:_:)``.
    package final func setAttributes(_ slots: [Int], to values: [AttributeValue], marks: Bool = true) throws {
        for (slot, value) in zip(slots, values) {
            _ = try compiledEntity.attributes[slot].accept(value, entity: compiledEntity.name)
        }
        for (slot, value) in zip(slots, values) { try setAttribute(slot, to: value, marks: marks) }
    }

    /// Sets an attribute.
    ///
    /// Setting the value that is in the store undoes the change.
    ///
    /// - Parameter marks: Whether a change marks the object as changed, so that the next save writes it.
    /// - Throws: A ``CoreDataError`` if the value does not have the attribute's type, or if the object can't be
    ///   changed.
    package final func setAttribute(_ slot: Int, to value: AttributeValue, marks: Bool = true) throws {
        let traits = compiledEntity.traits[slot]
        let value =
            traits.holds(value) ? value : try compiledEntity.attributes[slot].accept(value, entity: compiledEntity.name)
        try requireMutable(key: compiledEntity.attributes[slot].name)
        if status.contains(.awakening) { return replaceAttribute(slot, by: value) }
        context?.recorder?.noteAttribute(slot, of: self)
        prepareEdits()
        if status.contains(.inserted) || snapshot.isNone {
            guard !(edits[slot] ?? .null).isIdentical(to: value) || status.contains(.notesAssignments) else { return }
            if marks { noteChange() }
            edits[slot] = value
            changedAttributes.insert(slot)
            return
        }
        if !traits.isTransient, let committed = committedAttributeIfPresent(slot), value.isIdentical(to: committed) {
            if changedAttributes.contains(slot) {
                if marks { noteChange() }
                edits[slot] = nil
                changedAttributes.remove(slot)
            }
            return
        }
        if marks { noteChange() }
        edits[slot] = value
        changedAttributes.insert(slot)
        if marks { markUpdated() }
    }

    /// Sets an attribute in `awakeFromFetch`: the value is part of what the object has read, and not a change.
    private func replaceAttribute(_ slot: Int, by value: AttributeValue) {
        prepareEdits()
        if changedAttributes.contains(slot) || compiledEntity.traits[slot].isTransient {
            edits[slot] = value
            return
        }
        var values = SlotValues()
        switch snapshot {
        case .none, .fault, .unfired: return
        case .awakened(let awakened): values = awakened.values
        case .row, .patched, .values: break
        }
        values[slot] = value
        snapshot = .awakened(AwakenedRow(snapshot.stored, values: values))
    }

    /// Sets the initial values of a new object. The caller ensures that no value was set before, and that no subclass
    /// has to be notified of each value.
    ///
    /// - Parameter values: The values by slot.
    /// - Throws: A ``CoreDataError`` if a value does not have its attribute's type.
    final func setFirstValues(_ values: [AttributeValue]) throws {
        let (traits, defaults) = (compiledEntity.traits, compiledEntity.defaultValues)
        var changed = SlotSet()
        // Accesses the values through pointers, so that no value is copied for the check.
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
            for slot in values.indices { try setAttribute(slot, to: values[slot]) }
            return
        }
        changedAttributes = changed
        edits = SlotValues(all: values)
    }

    /// Copies the current values of attributes that are not stored into the edits, before the first value is set.
    final func prepareEdits() {
        guard edits.isEmpty, !compiledEntity.keepsAllAttributes else { return }
        var present = compiledEntity.defaultValues
        if case .values(let committed) = snapshot.stored { present = committed.attributes }
        for slot in compiledEntity.attributes.indices where compiledEntity.traits[slot].isTransient {
            edits[slot] = present[slot]
        }
    }

    /// Adopts the current state of the row in the store. Unsaved changes and transient values are kept.
    final func replaceSnapshot(_ fresh: ObjectSnapshot) {
        if hasChanges { prepareEdits() }
        snapshot = fresh
    }

    /// Forgets unsaved changes of attributes to the values in the store.
    final func forgetEqualAttributes() {
        for slot in compiledEntity.attributes.indices
        where changedAttributes.contains(slot) && !compiledEntity.traits[slot].isTransient {
            guard let value = edits[slot], let committed = committedAttributeIfPresent(slot),
                value.isIdentical(to: committed)
            else { continue }
            edits[slot] = nil
            changedAttributes.remove(slot)
        }
    }

    /// Throws an error if the object can't be changed: its deletion was saved, or its row no longer exists or cannot be
    /// read. A change to a row that was not read would overwrite the current state of the row.
    final func requireMutable(key: @autoclosure () -> String) throws {
        if status.isDisjoint(with: [.gone, .inaccessible]) { return try load() }
        let key = key()
        throw CoreDataError(
            NSManagedObjectReferentialIntegrityError,
            "Cannot set '\(key)' of \(compiledEntity.name) \(objectID): the object is no longer in the store.",
            entity: compiledEntity.name, key: key, objects: [objectID.reference])
    }

    final func markUpdated() {
        if let context, context.unmarked.isCollecting { return context.unmarked.add(self) }
        noteChange()
        guard status.isDisjoint(with: [.inserted, .deleted, .gone]) else { return }
        guard status.insert(.updated).inserted else { return }
        context?.noteUpdated(self)
        // The other side of a relationship that was changed here. An object with changes is not a fault.
        if snapshot.isUnfired { _ = fire() }
    }
}

extension AttributeValue {
    /// Returns whether both values are stored in the same way. Strings that are equal in Swift may differ in their
    /// bytes.
    fileprivate func isIdentical(to other: AttributeValue) -> Bool {
        guard self == other else { return false }
        guard case .string(let text) = self, case .string(let otherText) = other else { return true }
        return compareBytes(text, otherText) == .orderedSame
    }
}
