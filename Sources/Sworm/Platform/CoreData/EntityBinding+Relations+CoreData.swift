#if canImport(CoreData)
import CoreData
import Foundation

extension EntityBinding {
    func destination(of object: NSManagedObject, along relation: String) throws -> NSManagedObject? {
        try object.requireRow()
        return object.value(forKey: relation) as? NSManagedObject
    }

    func setDestination(
        _ destination: NSManagedObject?, of object: NSManagedObject, along relation: String
    ) throws {
        if let destination { try requireRelatable(object, to: destination, along: relation) }
        object.setValue(destination, forKey: relation)
    }

    func members(of object: NSManagedObject, along relation: String) throws -> [NSManagedObject] {
        try related(to: object, along: relation).objects
    }

    func memberCount(of object: NSManagedObject, along relation: String) throws -> Int {
        try related(to: object, along: relation).count
    }

    func hasMember(_ member: NSManagedObject, of object: NSManagedObject, along relation: String) throws -> Bool {
        try related(to: object, along: relation).contains(member)
    }

    private func related(to object: NSManagedObject, along relation: String) throws -> RelatedObjects {
        try object.requireRow()
        return RelatedObjects(object.value(forKey: relation))
    }

    func addMember(_ member: NSManagedObject, to object: NSManagedObject, along relation: String) throws {
        try requireRelatable(object, to: member, along: relation)
        if isOrdered(relation) {
            object.mutableOrderedSetValue(forKey: relation).add(member)
        } else {
            object.mutableSetValue(forKey: relation).add(member)
        }
    }

    func removeMember(_ member: NSManagedObject, from object: NSManagedObject, along relation: String) throws {
        if isOrdered(relation) {
            object.mutableOrderedSetValue(forKey: relation).remove(member)
        } else {
            object.mutableSetValue(forKey: relation).remove(member)
        }
    }

    func setMembers(_ members: [NSManagedObject], of object: NSManagedObject, along relation: String) throws {
        for member in members { try requireRelatable(object, to: member, along: relation) }
        object.setValue(
            isOrdered(relation) ? NSOrderedSet(array: members) : NSSet(array: members), forKey: relation)
    }

    private func isOrdered(_ relation: String) -> Bool { entity.relationshipsByName[relation]?.isOrdered ?? false }

    /// Throws an error for objects of different contexts, because Core Data stops the program when they are related.
    private func requireRelatable(
        _ object: NSManagedObject, to other: NSManagedObject, along relation: String
    ) throws {
        guard object.managedObjectContext === other.managedObjectContext else {
            throw StoreError(
                .otherContext,
                "Cannot relate \(entity.name ?? "") to \(other.entity.name ?? "") by '\(relation)': the objects belong to different contexts.",
                entity: entity.name, attribute: relation)
        }
    }

    // MARK: Ordered relations

    func member(at index: Int, of object: NSManagedObject, along relation: String) throws -> NSManagedObject? {
        try related(to: object, along: relation).object(at: index)
    }

    func index(of member: NSManagedObject, in object: NSManagedObject, along relation: String) throws -> Int? {
        try related(to: object, along: relation).index(of: member)
    }

    func insertMember(
        _ member: NSManagedObject, at index: Int, of object: NSManagedObject, along relation: String
    ) throws {
        var objects = try members(of: object, along: relation)
        objects.removeAll { $0 === member }
        objects.insert(member, at: min(max(index, 0), objects.count))
        try setMembers(objects, of: object, along: relation)
    }

    func moveMember(from source: Int, to target: Int, of object: NSManagedObject, along relation: String) throws {
        guard let member = try member(at: source, of: object, along: relation) else { return }
        try insertMember(member, at: target, of: object, along: relation)
    }
}
#endif
