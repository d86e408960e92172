import Foundation
import SwormPredicates

// The search for known objects.
extension TreeSaver {
    func find<T: ManagedTreeConvertible>(
        _ objects: inout [NSManagedObject?], keys: [SaveKey?], of encoded: [EncodedValue], at slots: [SaveSlot],
        identity: SaveIdentity, binding: EntityBinding<T>, lists: [SaveList]
    ) throws {
        switch identity {
        case .new: break
        case .position:
            // Objects that a child names by its id leave the other positions to the other children.
            let named = Set(objects.compactMap { $0.map(ObjectIdentifier.init) })
            let free = lists.map { list in list.members.filter { !named.contains(ObjectIdentifier($0)) } }
            var before = [Int](repeating: 0, count: lists.count)
            for (index, slot) in slots.enumerated() {
                // An owner that is in the trees again has the same list.
                if slot.position == 0 { before[slot.list] = 0 }
                if objects[index] != nil {
                    before[slot.list] += 1
                } else if slot.position - before[slot.list] < free[slot.list].count {
                    objects[index] = free[slot.list][slot.position - before[slot.list]]
                }
            }
        case .constraint(let attributes, _), .within(let attributes):
            let known = try lists.map { list in
                var known: [SaveKey: NSManagedObject] = [:]
                for member in list.members {
                    if let key = SaveKey(try attributes.map { try binding.value(of: member, at: $0) }) {
                        known[key] = known[key] ?? member
                    }
                }
                return known
            }
            for (index, slot) in slots.enumerated() where objects[index] == nil {
                objects[index] = keys[index].flatMap { known[slot.list][$0] }
            }
            guard case .constraint(_, let constraint) = identity else { break }
            let missing = keys.indices.filter { keys[$0] != nil && objects[$0] == nil }
            if missing.isEmpty { break }
            let wanted = missing.compactMap { keys[$0] }
            let found = try binding.objects(with: wanted, of: constraint, in: context)
            for index in missing { objects[index] = keys[index].flatMap { found[$0] } }
        }
    }

    /// Finds the objects of values that hold an id.
    func findByID<Source: ChildSource>(
        _ objects: inout [NSManagedObject?], of values: [Source.Value], in source: Source, at slots: [SaveSlot],
        binding: EntityBinding<Source.Object>
    ) throws {
        guard source.hasIDs else { return }
        for index in values.indices {
            guard let reference = source.reference(of: values[index]) else { continue }
            guard let object = try context.presentObject(for: reference), binding.represents(object.entityKey) else {
                throw StoreError(
                    .objectNotFound,
                    "\(slots[index].place.path): there is no object \(reference.url). It was deleted, or the id belongs to another store.",
                    entity: binding.mapping.entityName, path: slots[index].place.path)
            }
            objects[index] = object
        }
    }

    /// Throws an error if a known object is not of the entity of its value.
    func check(_ object: NSManagedObject, isOf type: any SaveType, at place: SavePlace) throws {
        if type.represents(object.entityKey) { return }
        throw StoreError(
            .validation,
            "\(place.path): the known object is of the entity \(object.entity.name ?? ""), not \(type.entityName). An object keeps its entity: delete it first, or use another key.",
            entity: type.entityName, rows: [object.objectID.reference], path: place.path)
    }

    /// Throws an error if a new object is not of the entity of another value with its key.
    func check(_ node: SaveNode, isOf type: any SaveType, rank: SaveNode.Rank, at place: SavePlace) throws {
        let (old, new) = (node.type.entityKey, type.entityKey)
        guard node.isNew, new != old else { return }
        // Values that count more replace the other ones, and the object is inserted with them: not as one of a super-entity.
        if rank > node.rank ? node.type.represents(new) : type.represents(old) { return }
        throw StoreError(
            .validation,
            "\(place.path) has the key of \(node.place.path), which is of the entity \(node.entityName), not \(type.entityName). Use another key.",
            entity: type.entityName, path: place.path)
    }

    func unknown(_ entity: String, at place: SavePlace) -> StoreError {
        StoreError(
            .objectNotFound,
            "\(place.path): there is no such \(entity), and the branch only links existing objects. Save it before, or make the branch `.linkedOrInserted`.",
            entity: entity, path: place.path)
    }
}

extension ModelConstraint {
    /// Returns the key that a value has; nil if it lacks an attribute, or one is nil.
    func key(of value: EncodedValue) -> SaveKey? {
        SaveKey(zip(names, attributes).map { value.value($0, at: $1) })
    }
}
