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
        try object.requireRow()
        return relatedObjects(object.value(forKey: relation))
    }

    func memberCount(of object: NSManagedObject, along relation: String) throws -> Int {
        try members(of: object, along: relation).count
    }

    func hasMember(_ member: NSManagedObject, of object: NSManagedObject, along relation: String) throws -> Bool {
        try members(of: object, along: relation).contains { $0 === member }
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
        let members = try members(of: object, along: relation)
        return members.indices.contains(index) ? members[index] : nil
    }

    func index(of member: NSManagedObject, in object: NSManagedObject, along relation: String) throws -> Int? {
        try members(of: object, along: relation).firstIndex { $0 === member }
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

/// Returns the objects in the value of a relationship to many.
func relatedObjects(_ value: Any?) -> [NSManagedObject] {
    switch value {
    case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
    case let set as Set<NSManagedObject>: Array(set)
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    default: []
    }
}
#endif
