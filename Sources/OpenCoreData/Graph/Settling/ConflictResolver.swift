import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

/// The write of one store's changes whose conflicts the merge policy settles.
///
/// A resolver is created for one write, and ends with it. A write that fails has no effect: everything that was settled
/// is undone.
final class ConflictResolver {
    let context: NSManagedObjectContext
    let origin: ObjectOrigin
    /// The way in which conflicts are settled: that of the context's policy, or of another policy which that one calls.
    private(set) var mergeType: NSMergePolicyType
    /// The type by which a policy of the application has settled conflicts last. It also settles the conflicts of
    /// relationships that follow, because a policy does not receive those.
    private var calledType: NSMergePolicyType?
    /// The unsaved changes before conflicts were settled. A failed write restores them.
    private var before: ContextCheckpoint
    private var settled = SettledConflicts()
    /// The objects with references through relationships without an inverse; nil before the current settlement needs
    /// them.
    var referrers: Referrers?
    /// The previously known versions of rows that other contexts have deleted and that are inserted again.
    private var lostVersions: [ObjectIdentifier: Int64] = [:]

    /// The changes of one store, as a request. The argument is the versions of rows that were deleted and are inserted
    /// again, by object.
    typealias Collecting = (_ lostVersions: [ObjectIdentifier: Int64]) throws -> SaveRequestBuilder

    init(_ context: NSManagedObjectContext, _ origin: ObjectOrigin) {
        self.context = context
        self.origin = origin
        mergeType = context.mergeType
        before = context.checkpoint()
    }

    /// Writes the changes of the store's objects, after the merge policy has settled their conflicts.
    ///
    /// Everything happens under one write lock, so that the rows that settle the conflicts are the rows that are
    /// written: no other connection can change them in between. Objects are also validated under the lock, in the state
    /// that the policy gave them.
    ///
    /// - Parameter collect: A closure that collects the current changes.
    /// - Returns: The changes that were written.
    func write(
        to store: any ObjectStore, collecting collect: @escaping Collecting
    ) throws -> (builder: SaveRequestBuilder, result: SaveResult) {
        let open = context.transactions[origin]
        let transaction = try open ?? store.beginTransaction(context.interruption.token)
        do {
            if open == nil {
                // From here on, everything is read under the lock.
                context.transactions.add(transaction, for: origin)
                try context.interruption.enter(transaction)
            }
            // After a mark, a failed attempt does not restart the transaction, which would release the lock.
            let mark = transaction.mark()
            let written: (builder: SaveRequestBuilder, result: SaveResult)
            do {
                written = try writeSettled(to: transaction, collecting: collect)
            } catch {
                try? transaction.undo(to: mark)
                throw error
            }
            try transaction.release(mark)
            if open == nil {
                context.transactions.remove(transaction)
                try transaction.commit()
            }
            return written
        } catch {
            if open == nil {
                context.transactions.remove(transaction)
                transaction.end()
            }
            context.forgetReadAhead()
            context.restore(before)
            throw error
        }
    }

    /// Attempts the write, and settles the conflicts that the attempt reports, until an attempt reports none.
    ///
    /// One pass is not enough: an attempt reports conflicts of one kind only, and settling them may change objects that
    /// had no conflict. ``SettledConflicts`` explains why the loop ends.
    private func writeSettled(
        to transaction: any StoreTransaction, collecting collect: @escaping Collecting
    ) throws -> (builder: SaveRequestBuilder, result: SaveResult) {
        while true {
            let builder = try collect(lostVersions)
            do {
                return (builder, builder.request.isEmpty ? SaveResult() : try transaction.save(builder.request))
            } catch {
                guard let conflicts = MetConflicts(error) else { throw error }
                let isNew = settled.note(conflicts)
                context.forgetReadAhead()
                let rows = try rows(around: conflicts, in: builder)
                guard isNew else { throw self.error(of: conflicts, in: builder, reading: rows) }
                if let policy = context.customMergePolicy, !conflicts.areLinks {
                    try ask(policy, to: conflicts, in: builder, reading: rows, collecting: collect)
                } else {
                    try settling(by: calledType ?? mergeType) {
                        try settle(conflicts, in: builder, reading: rows)
                    }
                }
            }
            // An object may now lack required values, or its deletion may be denied.
            try context.validateChanges()
        }
    }

    /// Settles conflicts in the way of the merge policy's type.
    ///
    /// - Parameter choice: The conflicts to settle; nil for all of them.
    /// - Throws: The error that lists the conflicts, if the policy does not resolve them.
    private func settle(
        _ conflicts: MetConflicts, in builder: SaveRequestBuilder, reading rows: RowsReadAnew,
        only choice: ConflictChoice? = nil
    ) throws {
        guard mergeType != .errorMergePolicyType,
            let settlement = try settlement(of: conflicts, in: builder, rows, only: choice)
        else { throw error(of: conflicts, in: builder, reading: rows) }
        // The checkpoint contains the objects that had changes. The settlement may affect further objects.
        before.note(unchangedObjects(of: settlement))
        try apply(settlement, reading: rows, in: builder)
    }

    /// Calls a closure that settles conflicts in the way of a type.
    private func settling(by type: NSMergePolicyType, _ work: () throws -> Void) rethrows {
        let own = mergeType
        mergeType = type
        defer { mergeType = own }
        try work()
    }

    /// Lets a policy of the application settle conflicts. It may change objects and settle only some of the conflicts,
    /// so that everything is compared with the store again afterwards.
    private func ask(
        _ policy: NSMergePolicy, to conflicts: MetConflicts, in builder: SaveRequestBuilder, reading rows: RowsReadAnew,
        collecting collect: @escaping Collecting
    ) throws {
        let resolution = ConflictResolution(in: context) { [self] rows, constraints, type in
            try settling(by: type) {
                // The policy may have changed objects.
                let builder = try collect(lostVersions)
                let fresh = try self.rows(around: conflicts, in: builder)
                let choice = ConflictChoice(rows: rows, constraints: constraints)
                try settle(conflicts, in: builder, reading: fresh, only: choice)
            }
            calledType = type
        }
        defer { resolution.end() }
        switch conflicts {
        case .rows:
            try policy.resolve(optimisticLockingConflicts: mergeConflicts(in: builder, reading: rows, for: resolution))
        case .constraints(let met):
            let list = try constraintConflicts(met, in: builder, reading: rows.values)
            try policy.resolve(constraintConflicts: objects(of: list, in: builder, for: resolution))
        case .links: try settle(conflicts, in: builder, reading: rows)
        }
    }

    /// Returns the objects without unsaved changes that a settlement is about to change or discard.
    private func unchangedObjects(of settlement: ConflictSettlement) -> [NSManagedObject] {
        settlement.steps.compactMap { step in
            switch step {
            case .insertAnew(let row), .forget(let row): registered(row).flatMap { $0.hasChanges ? nil : $0 }
            default: nil
            }
        }
    }

    /// Records the version of a row that was deleted in the store and is inserted again.
    func noteLost(_ object: NSManagedObject) {
        lostVersions[ObjectIdentifier(object)] = object.snapshot.version
    }

    func registered(_ row: RowID) -> NSManagedObject? { context.identities[context.identityKey(of: row, in: origin)] }
}
