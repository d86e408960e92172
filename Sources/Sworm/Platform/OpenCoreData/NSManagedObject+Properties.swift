#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormStore

// The properties of subclasses, which read the storage of the context.
extension NSManagedObject {
    /// The entity of the objects that only record the names of properties. It has no properties, so that the value of each
    /// is null.
    static var entityForKeys: NSEntityDescription? { NSEntityDescription() }

    func accessedAttribute(_ name: String, kind: PrimitiveKind) -> AttributeValue {
        let (value, type) = accessedAttribute(name)
        // The caller notices a value of another type. A missing one would hide that the types differ.
        guard case .null = value else { return value }
        KeyRecorder.note(name, of: self)
        if type != .undefined, !kind.reads(type) { noteWrongType(type, of: name, kind: kind) }
        return value
    }

    private func noteWrongType(_ type: AttributeType, of name: String, kind: PrimitiveKind) {
        noteAccess(
            "Cannot read '\(name)' as \(kind.type): it is an attribute of the type \(type.displayName). Change the type of the property.",
            key: name, nil)
    }

    func setDestination(named name: String, to value: NSManagedObject?) { setRelationship(named: name, to: value) }

    func setMembers(named name: String, to value: Any) { setRelationship(named: name, to: value) }

    func noteUnreadable(_ name: String, type: String, error: any Error) {
        noteAccess("Cannot read '\(name)' as \(type): \(error). Change the type of the property.", key: name, error)
    }

    func noteUnwritable(_ name: String, error: any Error) { refuseAccess(error, key: name) }

    func noteWrongClass(of object: NSManagedObject, in name: String, expected: NSManagedObject.Type) {
        noteAccess(
            "Cannot read '\(name)' as \(expected): the class of \(object.objectID) is \(type(of: object)). Set the class of its entity in the model.",
            key: name, nil)
    }
}

extension PrimitiveKind {
    /// Returns whether the kind can have values of an attribute's type. This is called for each missing value, and makes
    /// no set of types.
    fileprivate func reads(_ type: AttributeType) -> Bool {
        let isInteger = type == .integer16 || type == .integer32 || type == .integer64
        return switch self {
        case .bool, .int, .int16, .int32, .int64: isInteger || type == .boolean
        case .float, .double: isInteger || type == .float || type == .double
        case .decimal: isInteger || type == .decimal
        case .data: type == .binaryData || type == .transformable
        case .date, .string, .uuid, .url: type == attributeType
        }
    }
}
#endif
