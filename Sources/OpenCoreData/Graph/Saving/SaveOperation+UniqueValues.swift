import SwormPredicates
import SwormStore

extension SaveOperation {
    /// The objects of one store that have the same unique values.
    typealias Twins = (origin: ObjectOrigin, conflicts: UniquenessConflicts)

    /// Throws the error that lists objects with the same unique values, if there are any.
    func throwError(of twins: [Twins]) throws {
        try CoreDataError.throwAll(
            try twins.map { origin, conflicts in
                ConflictResolver(context, origin).error(
                    of: .constraints(conflicts), in: try changes(in: origin, isOnly: false, hasTwins: true))
            })
    }

    /// Returns the objects of the save that have the same unique values, each with the first one that has them.
    func twinConflicts() throws -> [Twins] {
        guard let model = context.compiledModel else { return [] }
        var twins: [Twins] = []
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints {
                // Two unchanged objects with equal values would have been rejected when they received them.
                let slots = constraint.map { entity.slot(named: $0) }
                let isTaken: (NSManagedObject) -> Bool = {
                    entity.family.contains($0.compiledEntity.number) && $0.mayTake(slots)
                }
                guard context.insertedList.contains(where: isTaken) || context.updatedList.contains(where: isTaken)
                else { continue }
                // An object whose values are those of its row holds them as any other row does.
                let changed = context.insertedList.objects + context.updatedList.objects.filter(\.changesRow)
                if let name = constraint.first, constraint.count == 1,
                    case .attribute(let slot)? = entity.slot(named: name),
                    !hasEqualValues(slot, of: entity, among: changed)
                {
                    continue
                }
                let members = changed.filter { !$0.isDeleted && entity.family.contains($0.compiledEntity.number) }
                for pair in try pairs(members, constraint) {
                    if let index = twins.firstIndex(where: { $0.origin === pair.origin }) {
                        twins[index].conflicts.conflicts.append(pair.conflict)
                    } else {
                        twins.append((pair.origin, UniquenessConflicts(conflicts: [pair.conflict])))
                    }
                }
            }
        }
        return twins
    }

    /// Returns the objects whose values of a constraint an earlier object in the same store has.
    private func pairs(
        _ objects: [NSManagedObject], _ constraint: [String]
    ) throws -> [(origin: ObjectOrigin, conflict: UniquenessConflicts.Conflict)] {
        var pairs: [(origin: ObjectOrigin, conflict: UniquenessConflicts.Conflict)] = []
        var holders: [[AttributeValue]: NSManagedObject] = [:]
        for object in objects {
            guard let values = object.uniqueValues(constraint) else { continue }
            let key = values.map(\.uniqueKey)
            guard let first = holders[key] else {
                holders[key] = object
                continue
            }
            let origin = try context.originForSaving(object, in: coordinator)
            guard try context.originForSaving(first, in: coordinator) === origin else { continue }
            pairs.append(
                (
                    origin,
                    .init(
                        row: object.objectID.row, existing: first.objectID.row, constraint: constraint, isInSave: true)
                ))
        }
        return pairs
    }
}

extension NSManagedObject {
    /// Returns whether the object is new, or whether a value of a uniqueness constraint has changed.
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
