#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates

// The properties of subclasses, which read the storage of the context.
extension NSManagedObject {
    /// The entity of the objects that only record the names of properties. It has no properties, so that the value of each
    /// is null.
    static var entityForKeys: NSEntityDescription? { NSEntityDescription() }

    func accessedAttribute(_ name: String, kind: PrimitiveKind) -> AttributeValue {
        let value = accessedAttribute(name)
        if case .null = value { KeyRecorder.note(name, of: self) }
        return value
    }

    func noteUnreadable(_ name: String, type: String, _ error: any Error) {
        noteAccess("Cannot read '\(name)' as \(type): \(error). Change the type of the property.", key: name, error)
    }

    func noteUnwritable(_ name: String, _ error: any Error) { refuseAccess(error, key: name) }

    func noteWrongClass(of object: NSManagedObject, in name: String, expected: NSManagedObject.Type) {
        noteAccess(
            "Cannot read '\(name)' as \(expected): the class of \(object.objectID) is \(type(of: object)). Set the class of its entity in the model.",
            key: name, nil)
    }
}
#endif
