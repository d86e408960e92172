import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

// Saves with conflicts.
extension NSManagedObjectContext {
    /// Writes the changes of one store's objects, after the merge policy has settled their conflicts.
    ///
    /// Everything happens under one write lock, so that the rows that settle the conflicts are the rows that are
    /// written: no other connection can change them in between. Objects are also validated under the lock, in the state
    /// that the policy gave them.
    ///
    /// - Parameter collect: A closure that collects the current changes.
    /// - Returns: The changes that were written. A save that fails has no effect: everything that was settled is
    ///   undone.
    final func writeSettled(
        to origin: ObjectOrigin, _ store: any ObjectStore, collecting collect: () throws -> SaveRequestBuilder
    ) throws -> (builder: SaveRequestBuilder, result: SaveResult) {
        let open = transactions[origin]
        let transaction = try open ?? store.beginTransaction(interruption.token)
        var before = checkpoint()
        do {
            if open == nil {
                // From here on, everything is read under the lock.
                transactions.add(transaction, for: origin)
                try interruption.enter(transaction)
            }
            // After a mark, a failed attempt does not restart the transaction, which would release the lock.
            let mark = transaction.mark()
            let written: (builder: SaveRequestBuilder, result: SaveResult)
            do {
                written = try write(to: transaction, origin, noting: &before, collecting: collect)
            } catch {
                try? transaction.undo(to: mark)
                throw error
            }
            try transaction.release(mark)
            if open == nil {
                leave(transaction)
                try transaction.commit()
            }
            return written
        } catch {
            if open == nil {
                leave(transaction)
                transaction.end()
            }
            forgetReadAhead()
            restore(before)
            throw error
        }
    }

    private func leave(_ transaction: any StoreTransaction) {
        interruption.leave(transaction)
        transactions.remove(transaction)
    }

    private func write(
        to transaction: any StoreTransaction, _ origin: ObjectOrigin, noting before: inout ContextCheckpoint,
        collecting collect: () throws -> SaveRequestBuilder
    ) throws -> (builder: SaveRequestBuilder, result: SaveResult) {
        var settled = SettledConflicts()
        while true {
            let builder = try collect()
            do {
                return (builder, builder.request.isEmpty ? SaveResult() : try transaction.save(builder.request))
            } catch {
                guard let conflicts = MetConflicts(error) else { throw error }
                guard settled.note(conflicts) else { throw self.error(of: conflicts, in: builder, origin) }
                forgetReadAhead()
                let rows = try rows(around: conflicts, in: builder, origin)
                guard let settlement = try settlement(of: conflicts, in: builder, rows) else {
                    throw self.error(of: conflicts, in: builder, origin)
                }
                before.note(settlement.unchangedObjects(in: self, origin))
                try take(settlement, reading: rows, in: builder, origin: origin)
            }
            // An object may now lack required values, or its deletion may be denied.
            try validateChanges()
        }
    }

    /// Returns the error that lists unresolved conflicts.
    final func error(
        of conflicts: MetConflicts, in builder: SaveRequestBuilder, _ origin: ObjectOrigin
    ) -> CoreDataError {
        let known = builder.objects
        switch conflicts {
        case .rows(let rows):
            return .changedRows(
                rows.conflicts.compactMap { conflict in
                    (known[conflict.row] ?? identities[identityKey(of: conflict.row, in: origin)]).map {
                        (conflict, $0)
                    }
                })
        case .links(let links):
            func object(_ row: RowID) -> NSManagedObject {
                known[row] ?? self.object(for: row, origin: origin, hint: nil)
            }
            return .changedLinks(
                links.conflicts.map { ($0, object($0.row), object($0.destination)) },
                members: links.members.map { ($0.relationship, object($0.owner), object($0.member)) })
        case .constraints(let constraints):
            return .takenValues(constraints.conflicts.map { ($0, known[$0.row]) })
        }
    }

    // MARK: Rows

    /// Reads the rows that are required to settle conflicts.
    private func rows(
        around conflicts: MetConflicts, in builder: SaveRequestBuilder, _ origin: ObjectOrigin
    ) throws -> RowsReadAnew {
        var rows = RowsReadAnew(model: origin.compiled)
        switch conflicts {
        case .rows(let met):
            try read(met.conflicts.map(\.row), into: &rows, of: origin)
            let known = builder.objects
            for conflict in met.conflicts {
                guard let object = known[conflict.row] ?? identities[identityKey(of: conflict.row, in: origin)] else {
                    continue
                }
                rows.note(try mergeConflict(conflict, of: object, reading: rows))
            }
            // The partners of rows that are inserted again may have other partners now.
            let partners = rows.conflicts.filter { $0.persistedSnapshot == nil }.flatMap { conflict in
                origin.compiled[conflict.sourceObject.entity].pairings(in: origin.compiled).compactMap {
                    conflict.objectSnapshot?.toOnes[$0.slot]
                }
            }
            try read(partners, into: &rows, of: origin)
        case .links(let met):
            try read(
                met.conflicts.flatMap { [$0.row, $0.destination] } + met.members.map(\.member), into: &rows, of: origin)
            let partners = met.conflicts.compactMap { conflict -> RowID? in
                let relationships = origin.compiled[conflict.row.entity].relationships
                guard !conflict.isDeletion, relationships.indices.contains(conflict.relationship),
                    let inverse = relationships[conflict.relationship].inverse
                else { return nil }
                return rows.values[conflict.destination]?.toOnes[inverse]
            }
            try read(partners, into: &rows, of: origin)
        case .constraints(let met):
            try read(met.conflicts.map(\.existing), into: &rows, of: origin)
        }
        return rows
    }

    /// Reads the current state of rows, each once. Objects that were not saved have no row.
    private func read(_ rows: [RowID], into read: inout RowsReadAnew, of origin: ObjectOrigin) throws {
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
                let group = try readRows(batch, entity: root, origin: origin)
                for row in 0..<group.buffer.count {
                    let entity = model[try group.checkedEntity(row: row, model: model)]
                    read.insert(try group.rowSnapshot(row: row, of: entity, origin), as: .row(group, row))
                }
            }
        }
    }

    // MARK: Settling

    /// Settles conflicts with the merge policy. Returns nil if the policy does not resolve them.
    private func settlement(
        of conflicts: MetConflicts, in builder: SaveRequestBuilder, _ rows: RowsReadAnew
    ) throws -> ConflictSettlement? {
        var settlement = ConflictSettlement(of: builder.request, by: mergeType, fresh: rows.values)
        switch conflicts {
        case .rows(let met):
            guard rows.conflicts.count == met.conflicts.count else { return nil }
            settlement.settle(rows.conflicts)
        case .links(let met): settlement.settle(met)
        case .constraints(let met):
            guard settlement.settle(try constraintConflicts(met, in: builder, reading: rows.values)) else { return nil }
        }
        return settlement
    }

    /// Applies a settlement to the objects.
    private func take(
        _ settlement: ConflictSettlement, reading rows: RowsReadAnew, in builder: SaveRequestBuilder,
        origin: ObjectOrigin
    ) throws {
        let known = builder.objects
        func object(_ row: RowID) -> NSManagedObject {
            known[row] ?? self.object(for: row, origin: origin, hint: nil)
        }
        for step in settlement.steps {
            switch step {
            case .merge(let row):
                try rows.withRow(row) { try merge(object(row), by: settlement, over: $0, from: $1) }
            case .rollBack(let row):
                try rows.withRow(row) { rollBack(object(row), to: $0, from: $1) }
            case .takeBackDeletion(let row, isRolledBack: true):
                try rows.withRow(row) { try rollBackDeletion(of: object(row), to: $0, from: $1) }
            case .takeBackDeletion(let row, isRolledBack: false):
                object(row).forgetReadRelationships()
                try takeBackDeletionAnew(of: object(row))
            case .insertAnew(let row):
                if let insertion = settlement.insertions[row] { insertAnew(object(row), with: insertion.attributes) }
            case .forget(let row): forgetMissing(object(row))
            case .delete(let row):
                if try isAtHand(object(row)) { delete(object(row)) }
            case .deny(let row, let slot): object(row).forgetReadRelationship(slot)
            case .lead(let row, let slot, let destination):
                if try isAtHand(object(row)) { object(row).assignDestination(slot, to: destination.map(object)) }
            case .takeBack(let row, let slot): object(row).takeBackRelationships { $0 == slot }
            case .unite(let row, let existing):
                try unite(
                    object(row), with: existing, over: rows.snapshot(of: existing),
                    taking: settlement.updates[existing], origin: origin)
            }
        }
    }
}

/// Rows that were read under the write lock, as values for settling and as snapshots for objects.
struct RowsReadAnew {
    private(set) var values: FreshRows
    /// The conflicts of the rows that a save writes or refers to.
    private(set) var conflicts: [MergeConflict] = []
    private var conflictIndexes: [RowID: Int] = [:]
    private var snapshots: [RowID: ObjectSnapshot] = [:]

    init(model: CompiledModel) { values = FreshRows(model: model) }

    mutating func note(_ conflict: MergeConflict) {
        conflictIndexes[conflict.sourceObject] = conflicts.count
        conflicts.append(conflict)
    }

    mutating func insert(_ row: RowSnapshot, as snapshot: ObjectSnapshot) {
        values.insert(row)
        snapshots[values.model.identity(of: row.row)] = snapshot
    }

    /// Returns the snapshot for the object of a row, or nil if the row does not exist.
    func snapshot(of row: RowID) -> ObjectSnapshot? { snapshots[values.model.identity(of: row)] }

    /// Calls a closure with the stored state of a row, and with the conflict that it was read for.
    fileprivate func withRow(
        _ row: RowID, do body: (ObjectSnapshot, MergeConflict) throws -> Void
    ) throws {
        guard let snapshot = snapshot(of: row), let index = conflictIndexes[row] else { return }
        try body(snapshot, conflicts[index])
    }
}

extension ConflictSettlement {
    /// Returns the objects without unsaved changes that are about to be changed or discarded.
    fileprivate func unchangedObjects(
        in context: NSManagedObjectContext, _ origin: ObjectOrigin
    ) -> [NSManagedObject] {
        steps.compactMap { step in
            switch step {
            case .insertAnew(let row), .forget(let row):
                context.identities[context.identityKey(of: row, in: origin)].flatMap { $0.hasChanges ? nil : $0 }
            default: nil
            }
        }
    }
}
