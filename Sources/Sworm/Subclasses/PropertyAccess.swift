import Foundation
import SwormPredicates

/// The way in which properties of one type are read and set.
protocol PropertyAccess<Value> {
    associatedtype Value

    static func value(of object: NSManagedObject, _ property: Managed<Value>) -> Value
    static func set(_ value: Value, of object: NSManagedObject, _ property: Managed<Value>)
}

enum AttributeAccess<Value: SupportedAttributeType>: PropertyAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Value>) -> Value {
        object.attribute(property.name, as: Value.self) ?? property.fallback
    }

    static func set(_ value: Value, of object: NSManagedObject, _ property: Managed<Value>) {
        object.setAttribute(property.name, to: value)
    }
}

enum OptionalAttributeAccess<Wrapped: SupportedAttributeType>: PropertyAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Wrapped?>) -> Wrapped? {
        object.attribute(property.name, as: Wrapped.self)
    }

    static func set(_ value: Wrapped?, of object: NSManagedObject, _ property: Managed<Wrapped?>) {
        object.setAttribute(property.name, to: value)
    }
}

enum ToOneAccess<Destination: NSManagedObject>: PropertyAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Destination?>) -> Destination? {
        guard let destination = object.destination(named: property.name) else {
            return KeyRecorder.destination(of: object, by: property.name, as: Destination.self)
        }
        if let destination = destination as? Destination { return destination }
        object.noteWrongClass(of: destination, in: property.name, expected: Destination.self)
        return nil
    }

    static func set(_ value: Destination?, of object: NSManagedObject, _ property: Managed<Destination?>) {
        object.setRelationship(named: property.name, to: value)
    }
}

enum ToManyAccess<Destination: NSManagedObject>: PropertyAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Set<Destination>>) -> Set<Destination> {
        Set(object.members(named: property.name, as: Destination.self))
    }

    static func set(_ value: Set<Destination>, of object: NSManagedObject, _ property: Managed<Set<Destination>>) {
        object.setRelationship(named: property.name, to: value as Set<NSManagedObject>)
    }
}

enum OrderedAccess<Destination: NSManagedObject>: PropertyAccess {
    static func value(of object: NSManagedObject, _ property: Managed<[Destination]>) -> [Destination] {
        object.members(named: property.name, as: Destination.self)
    }

    static func set(_ value: [Destination], of object: NSManagedObject, _ property: Managed<[Destination]>) {
        object.setRelationship(named: property.name, to: NSOrderedSet(array: value))
    }
}

enum OrderedSetAccess: PropertyAccess {
    static func value(of object: NSManagedObject, _ property: Managed<NSOrderedSet>) -> NSOrderedSet {
        NSOrderedSet(array: object.members(named: property.name, as: NSManagedObject.self))
    }

    static func set(_ value: NSOrderedSet, of object: NSManagedObject, _ property: Managed<NSOrderedSet>) {
        object.setRelationship(named: property.name, to: value)
    }
}

extension NSManagedObject {
    /// Returns the value of an attribute, or nil if the type does not have it.
    fileprivate func attribute<Value: SupportedAttributeType>(_ name: String, as type: Value.Type) -> Value? {
        let stored = accessedAttribute(name, kind: Value.PrimitiveAttributeType.primitiveKind)
        if case .null = stored { return nil }
        do {
            return try Value.decode(stored)
        } catch {
            noteUnreadable(name, type: "\(Value.self)", error)
            return nil
        }
    }

    /// Sets an attribute. A value that cannot be stored is rejected, and the next save throws the reason.
    fileprivate func setAttribute<Value: SupportedAttributeType>(_ name: String, to value: Value?) {
        do {
            setAccessedAttribute(name, to: try value?.encoded().attributeValue ?? .null)
        } catch {
            noteUnwritable(name, error)
        }
    }

    /// Returns the members of a relationship that have a class.
    fileprivate func members<Destination: NSManagedObject>(
        named name: String, as type: Destination.Type
    ) -> [Destination] {
        let members = members(named: name)
        if members.isEmpty { KeyRecorder.note(name, of: self) }
        let typed = members.compactMap { $0 as? Destination }
        if typed.count < members.count, let other = members.first(where: { !($0 is Destination) }) {
            noteWrongClass(of: other, in: name, expected: type)
        }
        return typed
    }
}
