import SwormPredicates
import SwormStore

// Conflicts in the form in which merge policies of the application receive them.
extension ConflictResolver {
    func mergeConflicts(
        in builder: SaveRequestBuilder, reading rows: RowsReadAnew, for resolution: ConflictResolution
    ) -> [NSMergeConflict] {
        let known = builder.objects
        return rows.conflicts.compactMap { conflict in
            guard let object = known[conflict.sourceObject] ?? registered(conflict.sourceObject) else { return nil }
            let result = NSMergeConflict(conflict, of: object, origin)
            result.resolution = resolution
            return result
        }
    }

    func objects(
        of conflicts: [ConstraintConflict], in builder: SaveRequestBuilder, for resolution: ConflictResolution
    ) -> [NSConstraintConflict] {
        let known = builder.objects
        return conflicts.map { conflict in
            let objects = conflict.conflictingObjects.compactMap { known[$0] }
            let result = constraintConflict(conflict, of: objects)
            result.resolution = resolution
            return result
        }
    }

    private func constraintConflict(
        _ conflict: ConstraintConflict, of objects: [NSManagedObject]
    ) -> NSConstraintConflict {
        if let row = conflict.databaseObject, registered(row) == nil,
            let peer = objects.first(where: { $0.compiledEntity === origin.compiled[row.entity] })
        {
            // An object of the row would replace the inserted object, which the application holds.
            return NSConstraintConflict(conflict, of: objects, with: peer, row: row, in: context, origin)
        }
        let database = conflict.databaseObject.map { context.object(for: $0, origin: origin, hint: nil) }
        return NSConstraintConflict(conflict, of: objects, database: database, origin)
    }
}

/// The conflicts that a merge policy of the application settles.
struct ConflictChoice {
    private let rows: [RowID: NSManagedObject]
    /// The objects with the unique values, by constraint.
    private let constraints: [[String]: Set<RowID>]

    init(rows: [NSMergeConflict], constraints: [NSConstraintConflict]) {
        self.rows = Dictionary(
            rows.map { ($0.sourceObject.objectID.row, $0.sourceObject) }, uniquingKeysWith: { first, _ in first })
        self.constraints = constraints.reduce(into: [:]) { result, conflict in
            result[conflict.constraint, default: []].formUnion(conflict.conflictingObjects.map(\.objectID.row))
        }
    }

    /// Returns the chosen ones of some rows with conflicts, without those that the policy has already settled.
    ///
    /// - Parameter fresh: The rows as the store holds them now.
    func unsettled(_ conflicts: [SaveConflicts.Conflict], in fresh: FreshRows) -> Set<RowID> {
        let open = conflicts.filter { conflict in
            // The object of a deleted row is deleted, or inserted again.
            guard let object = rows[conflict.row], object.status.isDisjoint(with: [.gone, .inserted]) else {
                return false
            }
            guard conflict.exists, let version = object.snapshot.version else { return true }
            return version != fresh[conflict.row]?.version
        }
        return Set(open.map(\.row))
    }

    /// Returns the chosen ones of some conflicts of unique values, without the objects that the policy has already
    /// settled.
    ///
    /// A conflict whose object the policy has deleted is no longer one: the row is deleted before the other is inserted.
    ///
    /// - Parameter builder: The present changes, which lack the objects that were united with a row or another object.
    func unsettled(_ conflicts: [ConstraintConflict], in builder: SaveRequestBuilder) -> [ConstraintConflict] {
        let present = builder.objects
        return conflicts.compactMap { conflict in
            guard let chosen = constraints[conflict.constraint],
                conflict.conflictingObjects.contains(where: chosen.contains)
            else { return nil }
            if let row = conflict.databaseObject, present[row]?.isDeleted == true { return nil }
            var open = conflict
            open.conflictingObjects.removeAll { present[$0]?.isDeleted ?? true }
            // One object alone is in conflict with a row only.
            let fewest = conflict.databaseObject == nil ? 2 : 1
            return open.conflictingObjects.count < fewest ? nil : open
        }
    }
}

extension MetConflicts {
    /// Whether they are conflicts of relationships, which a policy's type settles.
    var areLinks: Bool { if case .links = self { true } else { false } }
}
