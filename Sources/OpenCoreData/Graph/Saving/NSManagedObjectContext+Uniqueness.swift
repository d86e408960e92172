import Foundation
import SwormPredicates
import SwormStore

// Conflicts with unique values of stored rows.
extension NSManagedObjectContext {
    /// Returns the conflicts of unique values with the rows that already contain them.
    final func constraintConflicts(
        _ met: UniquenessConflicts, in builder: SaveRequestBuilder, reading rows: FreshRows
    ) throws -> [ConstraintConflict] {
        try met.conflicts.map { conflict in
            let model = builder.model
            guard conflict.existing.key > 0 else {
                return ConstraintConflict(
                    constraint: conflict.constraint, conflictingObjects: [conflict.existing, conflict.row])
            }
            guard let entity = model.entity(numbered: Int64(conflict.existing.entity)),
                entity.root == model[conflict.row.entity].root
            else {
                let name = model[conflict.row.entity].name
                throw CoreDataError(
                    CocoaError.Code.fileReadCorruptFile.rawValue,
                    "The row \(conflict.existing.key) of \(name)'s table says that it is of the entity number \(conflict.existing.entity). The store is damaged there.",
                    entity: name)
            }
            return ConstraintConflict(
                constraint: conflict.constraint, databaseObject: conflict.existing,
                databaseSnapshot: rows[conflict.existing], conflictingObjects: [conflict.row])
        }
    }

    /// Combines an inserted object with the row that contains its unique values.
    ///
    /// Objects that refer to the inserted object then refer to the row.
    ///
    /// - Parameters:
    ///   - existing: The row.
    ///   - fresh: The row as the store holds it now.
    ///   - update: The settled request's update of the row, or nil if the row keeps its values.
    final func unite(
        _ object: NSManagedObject, with existing: RowID, over fresh: ObjectSnapshot?,
        taking update: SaveRequest.Update?, origin: ObjectOrigin
    ) throws {
        let entity = origin.compiled[existing.entity]
        let wins = mergeType.contextPrevails
        let transient: [(name: String, value: AttributeValue)] = object.compiledEntity.attributes.enumerated()
            .compactMap {
                $1.isTransient ? ($1.name, object.attribute($0)) : nil
            }
        let links = try object.takeLinks()
        let key = identityKey(of: existing, in: origin)
        var target = object
        if let known = identities[key]
            ?? (entity === object.compiledEntity ? nil : self.object(for: existing, origin: origin, hint: nil)),
            known !== object
        {
            // The row already has an object, or is of another entity; that object is kept.
            target = known
            forgetInserted(object)
            object.take(id: known.objectID)
            try redirect(from: object, to: known)
        } else {
            identities[temporaryKey(of: object)] = nil
            insertedList.remove(object)
            assignedStores[ObjectIdentifier(object)] = nil
            object.status.remove(.inserted)
            object.relationships = []
            object.changedAttributes.removeAll()
            object.changedRelationships.removeAll()
            object.become(
                NSManagedObjectID(entity: entity, key: existing.key, origin: origin), snapshot: .fault(nil),
                context: self)
            identities[key] = object
        }
        try target.load()
        // Only rows that the save writes were compared with the store.
        if let fresh, !target.hasChanges, target.snapshot.version != fresh.version {
            target.replaceSnapshot(fresh)
            target.forgetReadRelationships()
        }
        if wins {
            target.takeAttributes(update)
            for (name, value) in transient {
                if case .attribute(let slot) = target.compiledEntity.slot(named: name) {
                    try target.setAttribute(slot, to: value)
                }
            }
        }
        for (name, found) in links {
            let others = found.map { $0 === object ? target : $0 }
            guard case .relationship(let slot) = target.compiledEntity.slot(named: name) else { continue }
            if target.compiledEntity.relationships[slot].isToMany {
                for other in others { try target.addMember(slot, object: other) }
            } else if wins {
                try target.setDestination(slot, to: others.first)
            }
        }
    }

    /// Redirects relationships without an inverse from one object to another, in all changed objects.
    private func redirect(from old: NSManagedObject, to new: NSManagedObject) throws {
        for object in insertedList.objects + updatedList.objects {
            for (slot, relationship) in object.compiledEntity.relationships.enumerated()
            where relationship.inverse == nil {
                switch object.relationshipState(slot) {
                case .toOne(let destination?) where destination === old: try object.setDestination(slot, to: new)
                case .toMany(let members) where members.noted.added.contains { $0 === old }:
                    object.noteRemoved(slot, object: old)
                    try object.addMember(slot, object: new)
                default: continue
                }
            }
        }
    }

    /// Throws an error if two objects of the save have the same unique values.
    final func checkUniqueValues() throws {
        guard let model = compiledModel else { return }
        var errors: [CoreDataError] = []
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints {
                // Two unchanged objects with equal values would have been rejected when they received them.
                let slots = constraint.map { entity.slot(named: $0) }
                let isTaken: (NSManagedObject) -> Bool = {
                    entity.family.contains($0.compiledEntity.number) && $0.mayTake(slots)
                }
                guard insertedList.contains(where: isTaken) || updatedList.contains(where: isTaken) else { continue }
                let changed = insertedList.objects + updatedList.objects
                if let name = constraint.first, constraint.count == 1,
                    case .attribute(let slot)? = entity.slot(named: name),
                    !hasEqualValues(slot, of: entity, among: changed)
                {
                    continue
                }
                var holders: [[AttributeValue]: NSManagedObject] = [:]
                for object in changed where !object.isDeleted && entity.family.contains(object.compiledEntity.number) {
                    guard let values = object.uniqueValues(constraint) else { continue }
                    let key = values.map(\.uniqueKey)
                    guard let first = holders[key] else {
                        holders[key] = object
                        continue
                    }
                    let text = zip(constraint, values).map { "\($0) = \($1)" }.joined(separator: ", ")
                    errors.append(
                        CoreDataError(
                            NSManagedObjectConstraintValidationError,
                            "Two objects of \(entity.name) have the same unique values: \(text). Insert one of them, or change it.",
                            entity: entity.name, key: constraint.joined(separator: ", "), value: values.first,
                            objects: [first.objectID.reference, object.objectID.reference]))
                }
            }
        }
        try CoreDataError.throwAll(errors)
    }
}

extension NSManagedObject {
    /// Whether the object is new, or a value of a uniqueness constraint has changed.
    fileprivate final func mayTake(_ constraint: [PropertySlot?]) -> Bool {
        if status.contains(.inserted) { return true }
        return constraint.contains { slot in
            switch slot {
            case .attribute(let slot)?: changedAttributes.contains(slot)
            case .relationship(let slot)?: changedRelationships.contains(slot)
            case nil: true
            }
        }
    }

    /// Returns the values of a uniqueness constraint, or nil if one of them is nil, because then no other row can
    /// conflict.
    fileprivate final func uniqueValues(_ constraint: [String]) -> [AttributeValue]? {
        var values: [AttributeValue] = []
        for name in constraint {
            switch compiledEntity.slot(named: name) {
            case .attribute(let slot):
                let value = attribute(slot)
                if value == .null { return nil }
                values.append(value)
            case .relationship(let slot):
                guard let other = destination(slot) else { return nil }
                values.append(.object(other.objectID.reference))
            case nil: return nil
            }
        }
        return values
    }

    /// Unlinks an inserted object from all its partners, and returns these by relationship name.
    fileprivate final func takeLinks() throws -> [(name: String, others: [NSManagedObject])] {
        var links: [(name: String, others: [NSManagedObject])] = []
        for (slot, relationship) in compiledEntity.relationships.enumerated() where !relationship.isTransient {
            switch relationshipState(slot) {
            case .untouched: continue
            case .toOne(let destination):
                guard let destination, !destination.isDeleted else { continue }
                links.append((relationship.name, [destination]))
                try setDestination(slot, to: nil)
            case .toMany:
                let others = memberObjects(slot).filter { !$0.isDeleted }
                links.append((relationship.name, others))
                try setMembers(slot, to: [])
            }
        }
        return links
    }
}

extension CoreDataError {
    static func takenValues(
        _ pairs: [(UniquenessConflicts.Conflict, NSManagedObject?)]
    ) -> CoreDataError {
        let details = pairs.map { conflict, object in
            let name = object?.compiledEntity.name ?? "an entity"
            let values = conflict.constraint.map { key -> String in
                guard let object, case .attribute(let slot) = object.compiledEntity.slot(named: key) else { return key }
                return "\(key) = \(object.attribute(slot))"
            }
            return CoreDataError(
                NSManagedObjectConstraintMergeError,
                "\(name): another object (key \(conflict.existing.key)) has the unique values already: \(values.joined(separator: ", ")).",
                entity: object?.compiledEntity.name, key: conflict.constraint.joined(separator: ", "),
                objects: object.map { [$0.objectID.reference] } ?? [])
        }
        if let only = details.first, details.count == 1 { return only }
        return CoreDataError(
            NSManagedObjectConstraintMergeError, details.map(\.message).joined(separator: "\n"),
            objects: details.flatMap(\.objects), details: details)
    }
}

/// Returns whether two of the objects have the same value in an attribute: a fast check that nearly always finds no
/// duplicates.
private func hasEqualValues(_ slot: Int, of entity: CompiledEntity, among objects: [NSManagedObject]) -> Bool {
    if isGrowing(slot, of: entity, among: objects) { return false }
    var numbers = Set<Int64>()
    var others = Set<AttributeValue>()
    if entity.traits[slot].type == .integer64 { numbers.reserveCapacity(objects.count) }
    for object in objects where entity.family.contains(object.compiledEntity.number) {
        let isNew: Bool
        switch object.attribute(slot) {
        case .null: isNew = true
        case .int(let number): isNew = numbers.insert(number).inserted
        case let value: isNew = others.insert(value).inserted
        }
        if !isNew { return true }
    }
    return false
}

/// Returns whether the values of an attribute are strictly increasing numbers, as is common for new objects. In that
/// case, no two are equal, and no set is needed.
private func isGrowing(_ slot: Int, of entity: CompiledEntity, among objects: [NSManagedObject]) -> Bool {
    var last: Int64?
    for object in objects where entity.family.contains(object.compiledEntity.number) {
        guard case .int(let number) = object.attribute(slot), last.map({ $0 < number }) ?? true else { return false }
        last = number
    }
    return true
}
