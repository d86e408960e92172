#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

// The properties of subclasses, over Core Data's primitive values. Core Data raises an exception for an unknown name; a
// value of another type is the default of the property.
extension NSManagedObject {
    /// The entity of the objects that only record the names of properties.
    static var entityForKeys: NSEntityDescription? { entity() }

    func accessedAttribute(_ name: String, kind: PrimitiveKind) -> AttributeValue {
        KeyRecorder.note(name, of: self)
        willAccessValue(forKey: name)
        defer { didAccessValue(forKey: name) }
        return kind.value(ofKeyed: primitiveValue(forKey: name))
    }

    func setAccessedAttribute(_ name: String, to value: AttributeValue) {
        willChangeValue(forKey: name)
        defer { didChangeValue(forKey: name) }
        setPrimitiveValue(value.keyedValue, forKey: name)
    }

    func destination(named name: String) -> NSManagedObject? { value(forKey: name) as? NSManagedObject }

    func members(named name: String) -> [NSManagedObject] { RelatedObjects(value(forKey: name)).objects }

    func setRelationship(named name: String, to value: Any?) { setValue(value, forKey: name) }

    func noteUnreadable(_ name: String, type: String, _ error: any Error) {}
    func noteUnwritable(_ name: String, _ error: any Error) {}
    func noteWrongClass(of object: NSManagedObject, in name: String, expected: NSManagedObject.Type) {}
}
#endif
