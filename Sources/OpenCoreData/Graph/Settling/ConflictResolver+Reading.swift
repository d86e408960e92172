import Foundation
import SwormPredicates
import SwormRows
import SwormSQLite
import SwormStore

// The rows that settle conflicts, and the decision of the merge policy.
extension ConflictResolver {
    /// Reads the rows that are required to settle conflicts.
    func rows(around conflicts: MetConflicts, in builder: SaveRequestBuilder) throws -> RowsReadAnew {
        var rows = RowsReadAnew(model: origin.compiled)
        switch conflicts {
        case .rows(let met):
            try read(met.conflicts.map(\.row), into: &rows)
            let known = builder.objects
            for conflict in met.conflicts {
                guard let object = known[conflict.row] ?? registered(conflict.row) else { continue }
                rows.note(try mergeConflict(conflict, of: object, reading: rows))
            }
            // The partners of rows that are inserted again may have other partners now.
            let partners = rows.conflicts.filter { $0.persistedSnapshot == nil }.flatMap { conflict in
                origin.compiled[conflict.sourceObject.entity].pairings(in: origin.compiled).compactMap {
                    conflict.objectSnapshot?.toOnes[$0.slot]
                }
            }
            try read(partners, into: &rows)
        case .links(let met):
            try read(
                met.conflicts.flatMap { [$0.row, $0.destination] } + met.members.map(\.member), into: &rows)
            let partners = met.conflicts.compactMap { conflict -> RowID? in
                let relationships = origin.compiled[conflict.row.entity].relationships
                guard !conflict.isDeletion, relationships.indices.contains(conflict.relationship),
                    let inverse = relationships[conflict.relationship].inverse
                else { return nil }
                return rows.values[conflict.destination]?.toOnes[inverse]
            }
            try read(partners, into: &rows)
        case .constraints(let met):
            try read(met.conflicts.flatMap { [$0.existing, $0.row] }, into: &rows)
        }
        return rows
    }

    /// Reads the current state of rows, each once. Objects that were not saved have no row.
    private func read(_ rows: [RowID], into read: inout RowsReadAnew) throws {
        let model = origin.compiled
        var keys: [(root: Int, keys: [Int64])] = []
        var seen: Set<RowID> = []
        for row in rows where row.key > 0 && read.values[row] == nil {
            guard let entity = model.entity(numbered: Int64(row.entity)) else { continue }
            guard seen.insert(model.identity(of: row)).inserted else { continue }
            let index = keys.firstIndex { $0.root == entity.root } ?? keys.count
            if index == keys.count { keys.append((entity.root, [])) }
            keys[index].keys.append(row.key)
        }
        for (root, keys) in keys {
            for start in stride(from: 0, to: keys.count, by: RowSet.batchSize) {
                let batch = Array(keys[start..<min(keys.count, start + RowSet.batchSize)])
                let group = try context.readRows(batch, entity: root, origin: origin)
                for row in 0..<group.buffer.count {
                    let entity = model[try group.checkedEntity(row: row, model: model)]
                    read.insert(try group.rowSnapshot(row: row, of: entity, origin), as: .row(group, row))
                }
            }
        }
    }

    /// Returns a conflict of a save, with the row as the context read it and as it is now.
    private func mergeConflict(
        _ met: SaveConflicts.Conflict, of object: NSManagedObject, reading rows: RowsReadAnew
    ) throws -> MergeConflict {
        var cached = try object.snapshot.rowSnapshot(of: object)
        var persisted = met.exists ? rows.values[met.row] : nil
        let isKept = persisted != nil
        // The policy may write the object as a whole.
        let isWhole = isKept ? mergeType == .overwriteMergePolicyType : mergeType.contextPrevails
        for slot in object.compiledEntity.attributes.indices
        where object.compiledEntity.traits[slot].allowsExternalStorage {
            guard let known = cached?.attributes[slot] else { break }
            let now = persisted?.attributes[slot]
            if case .value(let value) = known, value != .null, case .reference = now,
                let content = try rows.snapshot(of: met.row)?.content(slot, of: object)
            {
                // The object knows the content, so compare the content.
                persisted?.attributes[slot] = content
            } else if case .reference = known, known != now, isWhole {
                if let content = try object.snapshot.content(slot, of: object) { cached?.attributes[slot] = content }
            }
        }
        var present = cached
        object.changedAttributes.forEach { present?.attributes[$0] = .value(object.attribute($0)) }
        for (slot, relationship) in object.compiledEntity.relationships.enumerated()
        where !relationship.isToMany && !relationship.isTransient
            && (!isKept || object.changedRelationships.contains(slot))
        {
            present?.toOnes[slot] = object.destination(slot).flatMap {
                $0.status.isDisjoint(with: [.deleted, .gone]) ? $0.objectID.row : nil
            }
        }
        return MergeConflict(
            sourceObject: met.row, oldVersionNumber: cached?.version ?? met.expected, cachedSnapshot: cached,
            persistedSnapshot: persisted, objectSnapshot: present)
    }

    // MARK: Deciding

    /// Settles conflicts with the merge policy. Returns nil if the policy does not resolve them.
    ///
    /// - Parameter choice: The conflicts to settle; nil for all of them.
    func settlement(
        of conflicts: MetConflicts, in builder: SaveRequestBuilder, _ rows: RowsReadAnew, only choice: ConflictChoice?
    ) throws -> ConflictSettlement? {
        var settlement = ConflictSettlement(of: builder.request, by: mergeType, fresh: rows.values)
        switch conflicts {
        case .rows(let met):
            let open = choice?.unsettled(met.conflicts, in: rows.values) ?? Set(met.conflicts.map(\.row))
            guard open.isSubset(of: rows.conflicts.map(\.sourceObject)) else { return nil }
            settlement.settle(rows.conflicts.filter { open.contains($0.sourceObject) })
        case .links(let met): settlement.settle(met)
        case .constraints(let met):
            let all = try constraintConflicts(met, in: builder, reading: rows.values)
            let open = choice?.unsettled(all, in: builder) ?? all
            // A policy may settle conflicts one at a time, and uniting an object settles all conflicts that it has.
            if choice != nil, open.isEmpty { return settlement }
            guard settlement.settle(open) else { return nil }
        }
        return settlement
    }

    /// Returns the conflicts of unique values with the rows or the objects that already contain them, one for each.
    func constraintConflicts(
        _ met: UniquenessConflicts, in builder: SaveRequestBuilder, reading rows: FreshRows
    ) throws -> [ConstraintConflict] {
        var conflicts: [ConstraintConflict] = []
        var indexes: [HeldValues: Int] = [:]
        // If a row has the values that two objects of the save have, both conflict with the row.
        let stored = Set(
            met.conflicts.filter { !$0.isInSave }.map { HeldValues(constraint: $0.constraint, holder: $0.row) })
        for conflict in met.conflicts {
            let isStored = stored.contains(HeldValues(constraint: conflict.constraint, holder: conflict.row))
            if conflict.isInSave, isStored { continue }
            let values = HeldValues(
                constraint: conflict.constraint, holder: origin.compiled.identity(of: conflict.existing))
            if let index = indexes[values] {
                conflicts[index].conflictingObjects.append(conflict.row)
            } else {
                indexes[values] = conflicts.count
                conflicts.append(try constraintConflict(conflict, in: builder, reading: rows))
            }
        }
        return conflicts
    }

    private func constraintConflict(
        _ conflict: UniquenessConflicts.Conflict, in builder: SaveRequestBuilder, reading rows: FreshRows
    ) throws -> ConstraintConflict {
        let model = builder.model
        guard !conflict.isInSave else {
            return ConstraintConflict(
                constraint: conflict.constraint, conflictingObjects: [conflict.existing, conflict.row])
        }
        guard let entity = model.entity(numbered: Int64(conflict.existing.entity)),
            entity.root == model[conflict.row.entity].root
        else {
            let name = model[conflict.row.entity].name
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "The row \(conflict.existing.key) in the table of \(name) has the entity number \(conflict.existing.entity), which does not belong to the table. The store is damaged.",
                entity: name)
        }
        return ConstraintConflict(
            constraint: conflict.constraint, databaseObject: conflict.existing,
            databaseSnapshot: rows[conflict.existing], conflictingObjects: [conflict.row])
    }
}

/// The values of a constraint, identified by a row or an object that has them.
private struct HeldValues: Hashable {
    let constraint: [String]
    let holder: RowID
}
