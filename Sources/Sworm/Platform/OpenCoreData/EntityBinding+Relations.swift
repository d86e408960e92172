#if !canImport(CoreData)
import OpenCoreData

extension EntityBinding {
    func destination(of object: NSManagedObject, along relation: String) throws -> NSManagedObject? {
        try object.load()
        return object.destination(try slot(of: relation))
    }

    func setDestination(
        _ destination: NSManagedObject?, of object: NSManagedObject, along relation: String
    ) throws {
        try object.setDestination(try slot(of: relation), to: destination)
    }

    func members(of object: NSManagedObject, along relation: String) throws -> [NSManagedObject] {
        try object.readMemberObjects(try slot(of: relation))
    }

    func memberCount(of object: NSManagedObject, along relation: String) throws -> Int {
        try object.readMemberCount(try slot(of: relation))
    }

    func hasMember(_ member: NSManagedObject, of object: NSManagedObject, along relation: String) throws -> Bool {
        try object.readHasMember(try slot(of: relation), object: member)
    }

    func addMember(_ member: NSManagedObject, to object: NSManagedObject, along relation: String) throws {
        try object.addMember(try slot(of: relation), object: member)
    }

    func removeMember(_ member: NSManagedObject, from object: NSManagedObject, along relation: String) throws {
        try object.removeMember(try slot(of: relation), object: member)
    }

    /// Replaces the members with the given objects, in this order.
    func setMembers(_ members: [NSManagedObject], of object: NSManagedObject, along relation: String) throws {
        try object.setMembers(try slot(of: relation), to: members)
    }

    // MARK: Ordered relations

    /// Returns the member at an index; nil beyond the last member.
    func member(at index: Int, of object: NSManagedObject, along relation: String) throws -> NSManagedObject? {
        try object.readMember(try slot(of: relation), at: index)
    }

    func index(of member: NSManagedObject, in object: NSManagedObject, along relation: String) throws -> Int? {
        try object.readPosition(try slot(of: relation), of: member)
    }

    /// Inserts an object at an index, or at the end if the index is beyond it. An object that is a member already is
    /// moved.
    func insertMember(
        _ member: NSManagedObject, at index: Int, of object: NSManagedObject, along relation: String
    ) throws {
        try object.insertMember(try slot(of: relation), object: member, at: index)
    }

    func moveMember(from source: Int, to target: Int, of object: NSManagedObject, along relation: String) throws {
        try object.moveMember(try slot(of: relation), from: source, to: target)
    }
}
#endif
