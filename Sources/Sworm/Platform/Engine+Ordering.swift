#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

// Access to ordered relations by position.
extension Engine {
    #if canImport(CoreData)
    /// Returns the member at a position; nil beyond the last position.
    static func member<T>(
        at position: Int, of object: NSManagedObject, relation: String, binding: EngineBinding<T>
    ) throws -> NSManagedObject? {
        let members = try members(object, relation, binding)
        return members.indices.contains(position) ? members[position] : nil
    }

    static func position<T>(
        of member: NSManagedObject, in object: NSManagedObject, relation: String, binding: EngineBinding<T>
    ) throws -> Int? {
        try members(object, relation, binding).firstIndex { $0 === member }
    }

    /// Inserts an object at a position, or at the end if the position is beyond it. An object that is a member already
    /// is moved.
    static func insertMember<T>(
        _ member: NSManagedObject, at position: Int, of object: NSManagedObject, relation: String,
        binding: EngineBinding<T>
    ) throws {
        var objects = try members(object, relation, binding)
        objects.removeAll { $0 === member }
        objects.insert(member, at: Swift.min(Swift.max(position, 0), objects.count))
        try setMembers(object, relation, objects, binding)
    }

    static func moveMember<T>(
        from source: Int, to destination: Int, of object: NSManagedObject, relation: String,
        binding: EngineBinding<T>
    ) throws {
        guard let member = try member(at: source, of: object, relation: relation, binding: binding) else { return }
        try insertMember(member, at: destination, of: object, relation: relation, binding: binding)
    }
    #else
    /// Returns the member at a position; nil beyond the last position.
    static func member<T>(
        at position: Int, of object: NSManagedObject, relation: String, binding: EngineBinding<T>
    ) throws -> NSManagedObject? {
        try object.readMember(try binding.slot(relation), at: position)
    }

    static func position<T>(
        of member: NSManagedObject, in object: NSManagedObject, relation: String, binding: EngineBinding<T>
    ) throws -> Int? {
        try object.readPosition(try binding.slot(relation), of: member)
    }

    /// Inserts an object at a position, or at the end if the position is beyond it. An object that is a member already
    /// is moved.
    static func insertMember<T>(
        _ member: NSManagedObject, at position: Int, of object: NSManagedObject, relation: String,
        binding: EngineBinding<T>
    ) throws {
        try object.insertMember(try binding.slot(relation), object: member, at: position)
    }

    static func moveMember<T>(
        from source: Int, to destination: Int, of object: NSManagedObject, relation: String,
        binding: EngineBinding<T>
    ) throws {
        try object.moveMember(try binding.slot(relation), from: source, to: destination)
    }
    #endif
}
