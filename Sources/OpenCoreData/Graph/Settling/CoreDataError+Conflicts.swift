import SwormPredicates
import SwormStore

extension MetConflicts {
    /// Returns the error that lists the conflicts, of a save whose policy does not settle them.
    func listing(
        in builder: SaveRequestBuilder, of context: NSManagedObjectContext, _ origin: ObjectOrigin
    ) -> CoreDataError {
        let known = builder.objects
        switch self {
        case .rows(let rows):
            return .changedRows(
                rows.conflicts.compactMap { conflict in
                    (known[conflict.row] ?? context.identities[context.identityKey(of: conflict.row, in: origin)])
                        .map { (conflict, $0) }
                })
        case .links(let links):
            func object(_ row: RowID) -> NSManagedObject {
                known[row] ?? context.object(for: row, origin: origin, hint: nil)
            }
            return .changedLinks(
                links.conflicts.map { ($0, object($0.row), object($0.destination)) },
                members: links.members.map { ($0.relationship, object($0.owner), object($0.member)) })
        case .constraints(let constraints):
            return .takenValues(constraints.conflicts.map { ($0, known[$0.row], known[$0.existing]) })
        }
    }
}

extension CoreDataError {
    fileprivate static func changedRows(_ pairs: [(SaveConflicts.Conflict, NSManagedObject)]) -> CoreDataError {
        let details = pairs.map { conflict, object in
            CoreDataError(
                NSManagedObjectMergeError,
                "\(object.compiledEntity.name) \(object.objectID) was \(conflict.exists ? "changed" : "deleted") in the store after it was read (version \(conflict.expected)).",
                entity: object.compiledEntity.name, objects: [object.objectID.reference])
        }
        let text = details.map(\.message).joined(separator: "\n")
        return CoreDataError(
            NSManagedObjectMergeError,
            "The save has conflicts:\n\(text)\nRefresh the objects and apply the changes again, or set a merge policy.",
            objects: details.flatMap(\.objects), details: details)
    }

    fileprivate static func changedLinks(
        _ links: [(conflict: LinkConflicts.Conflict, from: NSManagedObject, to: NSManagedObject)],
        members: [(slot: Int, owner: NSManagedObject, member: NSManagedObject)]
    ) -> CoreDataError {
        var details = links.map { conflict, object, destination in
            let relationships = object.compiledEntity.relationships
            let name =
                relationships.indices.contains(conflict.relationship)
                ? relationships[conflict.relationship].name : "a relationship"
            let reason =
                conflict.isDeletion
                ? "cannot be deleted: after it was read, it was set as the '\(name)' of \(object.compiledEntity.name) \(object.objectID)"
                : "does not point back to \(object.compiledEntity.name) \(object.objectID), whose '\(name)' it is: one of them was changed in the store after it was read"
            return CoreDataError(
                NSManagedObjectMergeError, "\(destination.compiledEntity.name) \(destination.objectID) \(reason).",
                entity: object.compiledEntity.name, key: name,
                objects: [object.objectID.reference, destination.objectID.reference])
        }
        details += members.map { slot, owner, member in
            let name = owner.compiledEntity.relationships[slot].name
            return CoreDataError(
                NSManagedObjectMergeError,
                "\(owner.compiledEntity.name) \(owner.objectID) cannot be deleted: after it was read, \(member.compiledEntity.name) \(member.objectID) was added to its '\(name)'.",
                entity: owner.compiledEntity.name, key: name,
                objects: [member.objectID.reference, owner.objectID.reference])
        }
        let text = details.map(\.message).joined(separator: "\n")
        return CoreDataError(
            NSManagedObjectMergeError,
            "The save has conflicts:\n\(text)\nRefresh the objects and apply the changes again, or set a merge policy.",
            objects: details.flatMap(\.objects), details: details)
    }

    fileprivate static func takenValues(
        _ cases: [(UniquenessConflicts.Conflict, object: NSManagedObject?, existing: NSManagedObject?)]
    ) -> CoreDataError {
        let details = cases.map { conflict, object, existing in
            let name = object?.compiledEntity.name ?? "an entity"
            var value: AttributeValue?
            let values = conflict.constraint.map { key -> String in
                guard let object, case .attribute(let slot) = object.compiledEntity.slot(named: key) else { return key }
                value = value ?? object.attribute(slot)
                return "\(key) = \(object.attribute(slot))"
            }
            let text = values.joined(separator: ", ")
            return CoreDataError(
                NSManagedObjectConstraintMergeError,
                conflict.isInSave
                    ? "Two objects of \(name) have the same unique values: \(text). Insert only one of them, change the values, or set a merge policy."
                    : "\(name): another object (key \(conflict.existing.key)) already has the unique values: \(text).",
                entity: object?.compiledEntity.name, key: conflict.constraint.joined(separator: ", "), value: value,
                objects: (conflict.isInSave ? [existing, object] : [object]).compactMap { $0?.objectID.reference })
        }
        if let only = details.first, details.count == 1 { return only }
        return CoreDataError(
            NSManagedObjectConstraintMergeError, details.map(\.message).joined(separator: "\n"),
            objects: details.flatMap(\.objects), details: details)
    }
}
