import Foundation
import SwormPredicates
import SwormStore

extension NSPropertyMapping {
    /// Sets an attribute of a new object.
    final func setAttribute(of object: NSManagedObject, from source: NSManagedObject, manager: NSMigrationManager)
        throws
    {
        guard let name, let expression = try checkedValue() else { return }
        if case .source(let key) = expression, case .attribute(let from)? = source.compiledEntity.slot(named: key),
            case .attribute(let to)? = object.compiledEntity.slot(named: name)
        {
            // Access by slot copies the value unchanged, and reports a read error here rather than at the next save.
            let value = try source.readAttribute(from)
            if value == .null, object.keepsDefault(to) { return }
            manager.note(bytes: value.byteCount)
            return try object.setAttribute(to, to: value)
        }
        let value = try expression.value(for: source, manager: manager)
        if value == nil, case .attribute(let slot)? = object.compiledEntity.slot(named: name), object.keepsDefault(slot)
        {
            return
        }
        object.setValue(value, forKeyPath: name)
    }

    /// Sets a relationship of a new object to the objects that the mapping's expression returns for the old objects.
    final func setRelationship(of object: NSManagedObject, from sources: [NSManagedObject], manager: NSMigrationManager)
        throws
    {
        guard let name, let expression = try checkedValue(),
            case .relationship(let slot)? = object.compiledEntity.slot(named: name)
        else { return }
        let relationship = object.compiledEntity.relationships[slot]
        let family = object.objectID.origin.compiled[relationship.destination].family
        var members: [NSManagedObject] = []
        var known: Set<ObjectIdentifier> = []
        for source in sources {
            for member in Self.objects(try expression.value(for: source, manager: manager), path: name, of: object)
            where family.contains(member.compiledEntity.number) && known.insert(ObjectIdentifier(member)).inserted {
                members.append(member)
            }
        }
        if relationship.isToMany { return try object.setRelationship(slot, to: members) }
        guard members.count < 2 else {
            throw CoreDataError(
                NSMigrationError,
                "'\(object.compiledEntity.name).\(name)' is to-one, but \(members.count) objects were related to "
                    + "\(sources.first?.objectID.description ?? "an old object"). Choose one of them in a migration "
                    + "policy, or keep the relationship to-many.", entity: object.compiledEntity.name, key: name,
                objects: sources.map(\.objectID.reference))
        }
        try object.setRelationship(slot, to: members.first)
    }

    private static func objects(_ value: Any?, path: String, of object: NSManagedObject) -> [NSManagedObject] {
        let all: [Any] =
            switch value {
            case nil: []
            case let object as NSManagedObject: [object]
            case let set as Set<NSManagedObject>: Array(set)
            case let array as [Any]: array
            case let ordered as NSOrderedSet: ordered.array
            case let set as NSSet: set.allObjects
            case .some(let other): [other]
            }
        let managed = all.compactMap { $0 as? NSManagedObject }
        if managed.count < all.count {
            object.refuse(
                CoreDataError(
                    NSMigrationError,
                    "Cannot set '\(object.compiledEntity.name).\(path)' to \(all.first ?? ""): the relationship takes "
                        + "managed objects of the manager's destinationContext.", entity: object.compiledEntity.name,
                    key: path),
                key: path)
        }
        return managed
    }
}

extension NSManagedObject {
    /// Returns whether an attribute keeps its default value instead of being set to nil.
    fileprivate final func keepsDefault(_ slot: Int) -> Bool {
        !compiledEntity.attributes[slot].isOptional && compiledEntity.defaultValues[slot] != .null
    }
}

extension AttributeValue {
    /// The approximate amount of memory that the value uses in addition to its inline size.
    fileprivate var byteCount: Int {
        switch self {
        case .data(let data): data.count
        case .string(let text): text.utf8.count
        default: 0
        }
    }
}
