import Foundation
package import SwormPredicates
import SwormStore

// Access by name and without conversions to Foundation's types, for the accessors of subclasses.
extension NSManagedObject {
    /// Returns the value and the type of an attribute, and fires the fault. Null if the entity has no such attribute; the
    /// next save or fetch then throws an error that names it.
    ///
    /// - Parameter name: The name; for an element of a composite attribute the path `composite.element`.
    package final func accessedAttribute(_ name: String) -> (value: AttributeValue, type: AttributeType) {
        guard case .attribute(let slot) = compiledEntity.slot(named: name) else {
            noteWrongAccess(name, expected: "an attribute")
            return (.null, .undefined)
        }
        willAccessValue(forKey: name)
        defer { didAccessValue(forKey: name) }
        return (attribute(slot), compiledEntity.attributes[slot].type)
    }

    /// Sets an attribute, and marks the object as changed. A value that is not valid is rejected.
    package final func setAccessedAttribute(_ name: String, to value: AttributeValue) {
        guard case .attribute(let slot) = compiledEntity.slot(named: name) else {
            return noteWrongAccess(name, expected: "an attribute")
        }
        willChangeValue(forKey: name)
        defer { didChangeValue(forKey: name) }
        do {
            try setAttribute(slot, to: value)
            if !refusals.isEmpty { refusals.removeAll { $0.key == name } }
        } catch {
            refuse(error, key: name)
        }
    }

    /// Returns the value of an attribute in the form of key-value coding, and fires the fault.
    package final func accessedKeyedValue(_ name: String) -> Any? {
        guard hasAttribute(name) else {
            noteWrongAccess(name, expected: "an attribute")
            return nil
        }
        willAccessValue(forKey: name)
        defer { didAccessValue(forKey: name) }
        return property(forKey: name)
    }

    /// Sets an attribute to a value of key-value coding, and marks the object as changed.
    package final func setAccessedKeyedValue(_ name: String, to value: Any?) {
        guard hasAttribute(name) else { return noteWrongAccess(name, expected: "an attribute") }
        willChangeValue(forKey: name)
        setProperty(value, forKey: name, marks: true)
        didChangeValue(forKey: name)
    }

    private final func hasAttribute(_ name: String) -> Bool {
        if case .attribute = compiledEntity.slot(named: name) { return true }
        return compiledEntity.composites[name] != nil
    }

    /// Returns the object of a to-one relationship, and fires the fault.
    package final func destination(named name: String) -> NSManagedObject? {
        guard let slot = accessedRelationship(name, isToMany: false) else { return nil }
        willAccessValue(forKey: name)
        defer { didAccessValue(forKey: name) }
        return destination(slot)
    }

    /// Returns the objects of a to-many relationship, in order if it is ordered, and fires the fault.
    package final func members(named name: String) -> [NSManagedObject] {
        guard let slot = accessedRelationship(name, isToMany: true) else { return [] }
        willAccessValue(forKey: name)
        defer { didAccessValue(forKey: name) }
        return memberObjects(slot)
    }

    /// Sets a relationship to an object, or to a set or an ordered set of objects.
    package final func setRelationship(named name: String, to value: Any?) {
        guard case .relationship = compiledEntity.slot(named: name) else {
            return noteWrongAccess(name, expected: "a relationship")
        }
        setValue(value, forKey: name)
    }

    /// Notes that an accessor could not return a value. The next save or fetch throws the error.
    package final func noteAccess(_ message: String, key: String, _ cause: (any Error)?) {
        context?.noteFailure(
            CoreDataError(
                NSManagedObjectValidationError, "\(compiledEntity.name): \(message)", entity: compiledEntity.name,
                key: key, cause: cause))
    }

    /// Rejects a value. The next save throws the error.
    package final func refuseAccess(_ error: any Error, key: String) { refuse(error, key: key) }

    private final func accessedRelationship(_ name: String, isToMany: Bool) -> Int? {
        if case .relationship(let slot) = compiledEntity.slot(named: name),
            compiledEntity.relationships[slot].isToMany == isToMany
        {
            return slot
        }
        noteWrongAccess(name, expected: isToMany ? "a relationship to many objects" : "a relationship to one object")
        return nil
    }

    private final func noteWrongAccess(_ name: String, expected: String) {
        guard compiledEntity.slot(named: name) != nil || compiledEntity.composites[name] != nil else {
            context?.noteFailure(unknownKey(name))
            return
        }
        noteAccess(
            "The class declares '\(name)' as \(expected), which it is not in the model. Change the type of the property.",
            key: name, nil)
    }
}
