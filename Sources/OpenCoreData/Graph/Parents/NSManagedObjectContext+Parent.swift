import Foundation
import SwormStore

// A tree of contexts: a child reads the objects of its parent, with their unsaved changes, and saves its changes to them.
//
// A child acquires the lock of its parent while it holds its own, and never the other way around: a parent passes changes
// on to its children in blocks on their queues.
extension NSManagedObjectContext {
    /// Sets the context that this one reads from and saves to.
    final func setParent(_ new: NSManagedObjectContext?) {
        lock.lock()
        defer { lock.unlock() }
        guard new !== nesting.parent else { return }
        var next = new
        while let context = next {
            guard context !== self else {
                return noteFailure(
                    CoreDataError(NSCoreDataError, "A context cannot be below itself. Set another parent."))
            }
            next = context.nesting.parent
        }
        let merges = automaticallyMergesChangesFromParent
        if merges { automaticallyMergesChangesFromParent = false }
        setCoordinator(new?.coordinator)
        if let old = nesting.parent { old.run { old.nesting.remove(self) } }
        nesting.parent = new
        if let new {
            withParent(new) {
                new.nesting.add(self)
                nesting.adopted = new.nesting.promotions.count
                nesting.permanentIDs = new.nesting.permanentIDs
            }
        }
        if merges { automaticallyMergesChangesFromParent = true }
    }

    /// Calls a closure with exclusive access to the parent, after adopting the permanent ids that objects have got there.
    ///
    /// A context of the main queue may be used on the main thread without its lock, so the closure runs on that thread.
    final func withParent<Result>(_ parent: NSManagedObjectContext, _ body: () throws -> Result) rethrows -> Result {
        func run() throws -> Result {
            parent.lock.lock()
            defer { parent.lock.unlock() }
            adoptPromotions(of: parent)
            return try body()
        }
        guard parent.concurrencyType == .mainQueueConcurrencyType, !MainQueue.isCurrent else { return try run() }
        return try DispatchQueue.main.sync(execute: run)
    }

    // MARK: Ids

    private final func adoptPromotions(of parent: NSManagedObjectContext) {
        if let above = parent.nesting.parent { parent.withParent(above) {} }
        let promotions = parent.nesting.promotions
        if nesting.adopted == promotions.count { return }
        let start = min(nesting.adopted, promotions.count)
        nesting.adopted = promotions.count
        for promotion in promotions[start...] { adopt(promotion) }
    }

    private final func adopt(_ promotion: Nesting.Promotion) {
        nesting.permanentIDs[promotion.temporary] = promotion.id
        guard let origin, let object = identities[temporaryIdentity(promotion.temporary, origin)],
            object.objectID.isTemporaryID
        else {
            // The object of this context is no longer in use. One of a child may be.
            return nesting.note(promotion)
        }
        identities[temporaryKey(of: object)] = nil
        promote(object, to: promotion.id.key, origin: promotion.id.origin)
    }

    private final func temporaryIdentity(_ row: RowID, _ origin: ObjectOrigin) -> IdentityTable.Key {
        IdentityTable.Key(
            origin: ObjectIdentifier(origin), root: origin.compiled[row.entity].root, key: row.key)
    }

    /// Assigns permanent ids to inserted objects of a tree of contexts: the context of the stores reserves the keys.
    ///
    /// - Parameter rows: The temporary identities.
    /// - Returns: The ids by temporary identity.
    final func reservePermanentIDs(for rows: [RowID], from parent: NSManagedObjectContext) throws
        -> [RowID: NSManagedObjectID]
    {
        try withParent(parent) {
            // An object that the parent knows is promoted there, so that it keeps the id when it is saved.
            let objects = rows.map { row in
                parent.origin.flatMap { parent.existingCounterpart(of: row, in: $0) }
            }
            try parent.assignPermanentIDs(to: objects.compactMap { $0 })
            var ids: [RowID: NSManagedObjectID] = [:]
            for (row, object) in zip(rows, objects) { ids[row] = object?.objectID }
            let unknown = rows.filter { ids[$0] == nil }
            if unknown.isEmpty { return ids }
            if let above = parent.nesting.parent {
                return ids.merging(try parent.reservePermanentIDs(for: unknown, from: above)) { $1 }
            }
            return ids.merging(try parent.reserveIDs(for: unknown)) { $1 }
        }
    }

    /// Reserves the ids of objects that are not in this context.
    private final func reserveIDs(for rows: [RowID]) throws -> [RowID: NSManagedObjectID] {
        let coordinator = try requireCoordinator()
        var ids: [RowID: NSManagedObjectID] = [:]
        for row in rows {
            let origins = try coordinator.origins(of: row.entity)
            let origin = origins.first { !($0.store?.isReadOnly ?? true) } ?? origins[0]
            guard let store = origin.store?.objectStore else { continue }
            let entity = origin.compiled[row.entity]
            let key =
                try transactions[origin]?.reserveKeys(root: entity.root, count: 1)
                ?? store.reserveKeys(root: entity.root, count: 1, interruption.token)
            ids[row] = NSManagedObjectID(entity: entity, key: key, origin: origin)
        }
        return ids
    }

    // MARK: Merging

    /// Merges changes of this context, or of one of its children, into the children that merge automatically.
    final func passOnToChildren(_ ids: SavedIDs, from saver: NSManagedObjectContext) {
        for child in nesting.liveChildren where child !== saver && child.automaticallyMergesChangesFromParent {
            child.enqueue { [weak child] in child?.merge(ids) }
        }
    }
}
