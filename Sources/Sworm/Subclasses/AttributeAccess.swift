import SwormPredicates

enum AttributeAccess<Value: SupportedAttributeType>: ManagedAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Value>) -> Value {
        object.attribute(property.name, as: Value.self) ?? property.fallback
    }

    static func set(_ value: Value, of object: NSManagedObject, for property: Managed<Value>) {
        object.setAttribute(property.name, to: value)
    }
}

enum OptionalAttributeAccess<Wrapped: SupportedAttributeType>: ManagedAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Wrapped?>) -> Wrapped? {
        object.attribute(property.name, as: Wrapped.self)
    }

    static func set(_ value: Wrapped?, of object: NSManagedObject, for property: Managed<Wrapped?>) {
        object.setAttribute(property.name, to: value)
    }
}

/// The access to values of key-value coding.
enum KeyedAccess<Wrapped>: ManagedAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Wrapped?>) -> Wrapped? {
        guard let stored = object.accessedKeyedValue(property.name) else {
            KeyRecorder.note(property.name, of: object)
            return nil
        }
        if let value = stored as? Wrapped { return value }
        object.noteUnreadable(property.name, type: "\(Wrapped.self)", error: AttributeError.badInput(excerpt(stored)))
        return nil
    }

    static func set(_ value: Wrapped?, of object: NSManagedObject, for property: Managed<Wrapped?>) {
        object.setAccessedKeyedValue(property.name, to: value)
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
            noteUnreadable(name, type: "\(Value.self)", error: error)
            return nil
        }
    }

    /// Sets an attribute. A value that cannot be stored is rejected, and the next save throws the reason.
    fileprivate func setAttribute<Value: SupportedAttributeType>(_ name: String, to value: Value?) {
        do {
            setAccessedAttribute(name, to: try value?.encoded().attributeValue ?? .null)
        } catch {
            noteUnwritable(name, error: error)
        }
    }
}
