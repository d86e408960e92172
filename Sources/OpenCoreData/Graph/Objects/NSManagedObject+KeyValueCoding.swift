import Foundation
import SwormPredicates
import SwormStore

// Keyed access, except for the members that subclasses override: those must be declared in the class itself.
extension NSManagedObject {
    /// Returns the value of a property without firing the fault first. See ``primitiveValue(forKey:)``.
    final func property(forKey key: String) -> Any? {
        switch compiledEntity.slot(named: key) {
        case .attribute(let slot): return keyedAttribute(slot)
        case .relationship(let slot): return relationshipValue(slot)
        case nil:
            guard let leaves = compiledEntity.composites[key] else { return nil }
            return compositeValue(key, leaves: leaves)
        }
    }

    /// Sets a property.
    ///
    /// - Parameter marks: Whether a change marks the object, and those at the other ends of relationships, as changed.
    final func setProperty(_ value: Any?, forKey key: String, marks: Bool) {
        do {
            switch compiledEntity.slot(named: key) {
            case .attribute(let slot):
                try setAttribute(slot, to: compiledEntity.attributeValue(value, slot: slot), marks: marks)
            case .relationship(let slot):
                let collects = !marks && context?.unmarked.isCollecting == false
                if collects { context?.unmarked.begin() }
                defer { if collects { context?.unmarked.end() } }
                try setRelationship(slot, to: value)
            case nil:
                guard let leaves = compiledEntity.composites[key] else { throw unknownKey(key) }
                try setComposite(key, leaves: leaves, to: value, marks: marks)
                refusals.removeAll { $0.key?.hasPrefix(key + ".") ?? false }
            }
            refusals.removeAll { $0.key == key }
        } catch {
            refuse(error, key: key)
        }
    }

    /// Sets several properties.
    ///
    /// - Parameter keyedValues: The values by key.
    public final func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// Returns the values of several properties; `NSNull` for properties without a value.
    ///
    /// - Parameter keys: The names of properties.
    public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the values in the store. See ``committedValues(forKeys:)``.
    final func storedValues(forKeys keys: [String]?) -> [String: Any] {
        if case .none = snapshot { return [:] }
        var values: [String: Any] = [:]
        for key in keys ?? propertyNames {
            switch compiledEntity.slot(named: key) {
            case .attribute(let slot):
                if compiledEntity.traits[slot].isTransient { continue }
                values[key] = keyedValue(committedAttribute(slot), of: slot) ?? NSNull()
            case .relationship(let slot): values[key] = committedRelationshipValue(slot) ?? NSNull()
            case nil:
                guard let leaves = compiledEntity.composites[key] else { continue }
                values[key] = compositeValue(key, leaves: leaves) { committedAttribute($0) } ?? NSNull()
            }
        }
        return values
    }

    /// Fires the fault, and notes the values before an accessor sets a property.
    final func noteChange(of key: String) {
        if snapshot.isFault { _ = fire() }
        if isModeled(key), mayBeMarked { noteChange() }
    }

    /// Marks the object as changed, because an accessor has set a property.
    final func noteSetting(_ key: String) {
        guard isModeled(key) else { return }
        noteSetting()
        for other in context?.unmarked.take() ?? [] { other.noteSetting() }
    }

    /// Marks the object as changed, because a property was set.
    final func noteSetting() {
        if mayBeMarked { markUpdated() }
    }

    private var mayBeMarked: Bool { status.isDisjoint(with: [.awakening, .gone, .inaccessible]) }

    private func isModeled(_ key: String) -> Bool {
        compiledEntity.slot(named: key) != nil || compiledEntity.composites[key] != nil
    }

    /// Returns the values that differ from the store. See ``changedValues()``.
    final func unsavedValues() -> [String: Any] {
        var values: [String: Any] = [:]
        changedAttributes.forEach { slot in
            guard !compiledEntity.traits[slot].isTransient else { return }
            let name = compiledEntity.attributes[slot].name
            // A composite is reported as a whole, regardless of which of its elements has changed.
            if let dot = name.firstIndex(of: "."), let leaves = compiledEntity.composites[String(name[..<dot])] {
                let key = String(name[..<dot])
                values[key] = compositeValue(key, leaves: leaves) ?? NSNull()
            } else {
                values[name] = keyedAttribute(slot) ?? NSNull()
            }
        }
        changedRelationships.forEach {
            guard relationshipDiffers($0), !compiledEntity.relationships[$0].isTransient else { return }
            values[compiledEntity.relationships[$0].name] = relationshipValue($0) ?? NSNull()
        }
        return values
    }

    private var propertyNames: [String] { compiledEntity.propertyNames.filter { !$0.contains(".") } }

    final func set(forKey key: String) -> NSMutableSet { RelationshipSet(object: self, key: key) }

    final func orderedSet(forKey key: String) -> NSMutableOrderedSet {
        RelationshipOrderedSet(object: self, key: key)
    }

    /// Records that a key is unknown; the next validation of the object throws the error.
    final func refuseUnknownKey(_ key: String) { refuse(unknownKey(key), key: key) }

    final func unknownKey(_ key: String) -> CoreDataError {
        CoreDataError(
            NSManagedObjectValidationError,
            "The entity \(compiledEntity.name) has no property named '\(key)'."
                + nearestNameHint(to: key, in: compiledEntity.propertyNames), entity: compiledEntity.name,
            key: key)
    }

    /// Records an error that an accessor cannot throw; the next validation of the object throws it.
    final func refuse(_ error: any Error, key: String) {
        let refusal =
            error.asCoreData
            ?? CoreDataError(
                NSManagedObjectValidationError, "Cannot set '\(key)' of \(compiledEntity.name): \(error)",
                entity: compiledEntity.name,
                key: key,
                cause: error)
        refusals.removeAll { $0.key == key }
        refusals.append(refusal)
        markUpdated()
    }
}

extension CompiledEntity {
    /// Converts an untyped value to a value of an attribute.
    func attributeValue(_ any: Any?, slot: Int) throws -> AttributeValue {
        if let id = any as? NSManagedObjectID { return .object(id.reference) }
        if traits[slot].type == .transformable { return try transformed(any, slot: slot) }
        guard let value = AttributeValue(any: any) else {
            throw CoreDataError(
                NSManagedObjectValidationError,
                "Cannot set '\(attributes[slot].name)' of \(name): an attribute cannot hold a value of the type \(type(of: any)).",
                entity: name, key: attributes[slot].name)
        }
        return value
    }
}
