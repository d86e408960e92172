import SwormPredicates

enum CompositeAccess<Value: CompositeConvertible>: ManagedAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Value>) -> Value {
        object.composite(property.name, as: Value.self) ?? property.fallback
    }

    static func set(_ value: Value, of object: NSManagedObject, for property: Managed<Value>) {
        object.setComposite(property.name, to: value)
    }
}

enum OptionalCompositeAccess<Composite: CompositeConvertible>: ManagedAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Composite?>) -> Composite? {
        object.composite(property.name, as: Composite.self)
    }

    static func set(_ value: Composite?, of object: NSManagedObject, for property: Managed<Composite?>) {
        object.setComposite(property.name, to: value)
    }
}

extension NSManagedObject {
    /// Returns the value of a composite attribute, or nil if all of its elements are nil.
    fileprivate func composite<Composite: CompositeConvertible>(
        _ name: String, as type: Composite.Type
    ) -> Composite? {
        // The name is that of the composite, and not those of its elements.
        if KeyRecorder.note(name, of: self) { return nil }
        var (result, hasValue) = (Composite(), false)
        for clear in Composite.composites(depth: 1).compactMap(\.clear) { clear(&result) }
        for line in Composite.lines(depth: 1) {
            let path = "\(name).\(line.name)"
            let stored = accessedAttribute(path, kind: line.kind)
            let isNull = stored == .null
            hasValue = hasValue || !isNull
            // An element that cannot be nil keeps the value that a new struct has.
            guard !isNull || line.isOptional else { continue }
            do {
                try line.write(&result, stored)
            } catch {
                noteUnreadable(path, type: line.typeName, error: error)
            }
        }
        return hasValue ? result : nil
    }

    /// Sets every element of a composite attribute. A value that cannot be stored is rejected, and the next save throws
    /// the reason.
    fileprivate func setComposite<Composite: CompositeConvertible>(_ name: String, to value: Composite?) {
        for line in Composite.lines(depth: 1) {
            let path = "\(name).\(line.name)"
            do {
                setAccessedAttribute(path, to: try value.map(line.read) ?? .null)
            } catch {
                noteUnwritable(path, error: error)
            }
        }
    }
}
