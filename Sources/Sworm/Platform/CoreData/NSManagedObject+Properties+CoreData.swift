#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

// The properties of subclasses, over Core Data's primitive values. Core Data raises an exception for an unknown name. A
// value of another type is the default of the property, and a value that cannot be stored is not set. Core Data has no
// call that could throw these errors later, so they are logged.
extension NSManagedObject {
    /// The entity of the objects that only record the names of properties.
    static var entityForKeys: NSEntityDescription? { entity() }

    func accessedAttribute(_ name: String, kind: PrimitiveKind) -> AttributeValue {
        KeyRecorder.note(name, of: self)
        // The element of a composite attribute is a part of the composite's value.
        if name.utf8.contains(UInt8(ascii: ".")) { return kind.value(ofKeyed: value(forKeyPath: name)) }
        return kind.value(ofKeyed: accessedKeyedValue(name))
    }

    func setAccessedAttribute(_ name: String, to value: AttributeValue) {
        if name.utf8.contains(UInt8(ascii: ".")) { return setElement(value.keyedValue, at: name) }
        setAccessedKeyedValue(name, to: value.keyedValue)
    }

    func accessedKeyedValue(_ name: String) -> Any? {
        willAccessValue(forKey: name)
        defer { didAccessValue(forKey: name) }
        return primitiveValue(forKey: name)
    }

    func setAccessedKeyedValue(_ name: String, to value: Any?) {
        willChangeValue(forKey: name)
        defer { didChangeValue(forKey: name) }
        setPrimitiveValue(value, forKey: name)
    }

    func destination(named name: String) -> NSManagedObject? { accessedKeyedValue(name) as? NSManagedObject }

    func members(named name: String) -> [NSManagedObject] { RelatedObjects(accessedKeyedValue(name)).objects }

    func setDestination(named name: String, to value: NSManagedObject?) { setAccessedKeyedValue(name, to: value) }

    // Not the primitive value, which has to be changed with a notification for sets.
    func setMembers(named name: String, to value: Any) { setValue(value, forKey: name) }

    func noteUnreadable(_ name: String, type: String, error: any Error) {
        logReading(of: name, "Cannot read '\(name)' as \(type): \(error). Change the type of the property.")
    }

    func noteUnwritable(_ name: String, error: any Error) {
        SystemLog.write("\(entity.name ?? ""): Cannot set '\(name)', which keeps its value: \(error)")
    }

    func noteWrongClass(of object: NSManagedObject, in name: String, expected: NSManagedObject.Type) {
        logReading(
            of: name,
            "Cannot read '\(name)' as \(expected): the class of \(object.objectID) is \(type(of: object)). Set the class of its entity in the model."
        )
    }

    private func logReading(of name: String, _ message: String) {
        let owner = entity.name ?? ""
        SystemLog.write("\(owner): \(message)", once: "\(owner).\(name)")
    }
}
#endif
