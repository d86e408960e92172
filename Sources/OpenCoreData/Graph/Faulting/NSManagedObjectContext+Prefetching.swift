import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

// Relationships of many objects, read together.
extension NSManagedObjectContext {
    /// Reads the destinations of objects along relationship paths. Destinations that are already known are not read
    /// again.
    ///
    /// If a row is damaged, the rest of its relationship is read only when it is used, because only then can the error
    /// name the damaged object.
    final func prefetch(_ paths: [PrefetchPath], of objects: [NSManagedObject]) throws {
        if let parent = nesting.parent { return try prefetchInParent(parent, paths, of: objects) }
        for path in paths {
            var owners = objects
            for step in path.steps {
                owners = owners.filter {
                    $0.compiledEntity.declares(step.relationship, at: step.slot) && !$0.snapshot.isUnread
                }
                for (origin, owners) in owners.byOrigin() {
                    do {
                        try prefetch(step, of: owners, origin: origin)
                    } catch let error as CoreDataError where error.isOfDamage {}
                }
                owners = owners.ends(of: step)
            }
        }
    }

    private func prefetch(_ step: PrefetchPath.Step, of owners: [NSManagedObject], origin: ObjectOrigin) throws {
        if step.relationship.isToMany {
            try prefetchMembers(step, of: owners, origin: origin)
        } else {
            try prefetchDestinations(step, of: owners, origin: origin)
        }
    }

    private func prefetchMembers(
        _ step: PrefetchPath.Step, of owners: [NSManagedObject], origin: ObjectOrigin
    ) throws {
        // The entity that all owners have or inherit from.
        let compiledEntity = origin.compiled[step.relationship.owner]
        var waiting = owners.filter { !$0.members(step.slot, loaded: false).isLoaded }[...]
        var size = RowSet.batchSize
        while !waiting.isEmpty {
            let batch = waiting.prefix(size)
            waiting = waiting.dropFirst(size)
            let keys = batch.map(\.objectID.key)
            let rows = try memberRows(ofRelationship: step.slot, entity: compiledEntity, owners: keys, origin: origin)
            let ranges = rows.ranges(of: keys, limit: faulting.largestReadAhead)
            for owner in batch {
                guard let range = ranges[owner.objectID.key] else { continue }
                owner.members(step.slot, loaded: false).load(
                    try members(MembersReadAhead(rows: rows, range: range), origin: origin))
            }
            let cutOff = batch.filter { ranges[$0.objectID.key] == nil }
            if cutOff.isEmpty {
                size = min(RowSet.batchSize, size * 2)
            } else {
                size = max(1, ranges.count)
                // A single owner whose members exceed the read-ahead limit is left to be read on demand.
                if batch.count > 1 { waiting = cutOff + waiting }
            }
        }
    }

    private func prefetchDestinations(
        _ step: PrefetchPath.Step, of owners: [NSManagedObject], origin: ObjectOrigin
    ) throws {
        // The owners keep the faults alive.
        let root = origin.compiled[step.relationship.destination].root
        let faults = owners.ends(of: step).filter {
            $0.snapshot.isUnread && $0.status.isDisjoint(with: [.inaccessible, .gone]) && $0.compiledEntity.root == root
        }
        for start in stride(from: 0, to: faults.count, by: RowSet.batchSize) {
            let keys = faults[start..<min(faults.count, start + RowSet.batchSize)].map(\.objectID.key)
            let rows = try readRows(keys, entity: step.relationship.destination, origin: origin)
            for row in 0..<rows.buffer.count { _ = try object(in: rows, row: row, origin: origin) }
        }
    }
}

extension [NSManagedObject] {
    /// Returns the saved objects in the collection, grouped by their stores.
    fileprivate func byOrigin() -> [(origin: ObjectOrigin, objects: [NSManagedObject])] {
        var result: [(origin: ObjectOrigin, objects: [NSManagedObject])] = []
        for object in self where !object.objectID.isTemporaryID {
            let origin = object.objectID.origin
            if let index = result.firstIndex(where: { $0.origin === origin }) {
                result[index].objects.append(object)
            } else {
                result.append((origin, [object]))
            }
        }
        return result
    }

    /// Returns the objects that are known to be at the ends of a relationship, each once.
    fileprivate func ends(of step: PrefetchPath.Step) -> [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        return flatMap { owner -> [NSManagedObject] in
            guard step.relationship.isToMany else { return owner.destination(step.slot).map { [$0] } ?? [] }
            let members = owner.members(step.slot, loaded: false)
            return members.isLoaded ? members.objects : []
        }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
