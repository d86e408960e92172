import Foundation
import SwormPredicates
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
        let old = nesting.parent
        guard new !== old else { return }
        guard link(to: new) else {
            return noteFailure(
                CoreDataError(NSCoreDataError, "A context cannot be below itself. Set another parent."))
        }
        let merges = automaticallyMergesChangesFromParent
        if merges { automaticallyMergesChangesFromParent = false }
        let next = new.flatMap { new in exclusively(new) { new.currentCoordinator } }
        // With the same coordinator, too, the objects have other rows from now on.
        if next === coordinator, hasUnsavedObjects || !identities.isEmpty { resetObjects() }
        setCoordinator(next)
        old?.shared.withLock { $0.links.remove(self) }
        nesting.parent = new
        nesting.forgetPermanentIDs()
        if let new {
            exclusively(new) {
                if let above = new.nesting.parent { new.withParent(above) {} }
                nesting.adopted = new.nesting.promotionCount
                nesting.permanentIDs = new.nesting.permanentIDs
                new.nesting.mayHaveChildren = true
                new.shared.withLock { $0.links.add(self, adopted: nesting.adopted) }
            }
        }
        if merges { automaticallyMergesChangesFromParent = true }
    }

    private static let treeLock = NSLock()

    /// Sets the parent that other threads read.
    ///
    /// - Returns: False, without a change, if the context would be below itself.
    private final func link(to new: NSManagedObjectContext?) -> Bool {
        Self.treeLock.withLock {
            var next = new
            while let context = next {
                if context === self { return false }
                next = context.shared.withLock { $0.links.parent }
            }
            shared.withLock { $0.links.parent = new }
            return true
        }
    }

    // MARK: Ids

    /// Assigns permanent ids to inserted objects of a tree of contexts: the context of the stores reserves the keys.
    ///
    /// - Parameters:
    ///   - rows: The temporary identities.
    ///   - stores: The stores that the application has chosen for objects which the parent does not know yet.
    ///   - parent: The context above.
    /// - Returns: The ids by temporary identity.
    final func reservePermanentIDs(
        for rows: [RowID], in stores: [RowID: NSPersistentStore], from parent: NSManagedObjectContext
    ) throws -> [RowID: NSManagedObjectID] {
        try withParent(parent) {
            // An object that the parent knows is promoted there, so that it keeps the id when it is saved.
            let objects = try rows.map { row in
                try parent.origin.flatMap { try parent.existingCounterpart(of: row, in: $0) }
            }
            try parent.assignPermanentIDs(to: objects.compactMap { $0 })
            var ids: [RowID: NSManagedObjectID] = [:]
            for (row, object) in zip(rows, objects) { ids[row] = object?.objectID }
            let unknown = rows.filter { ids[$0] == nil }
            if unknown.isEmpty { return ids }
            if let above = parent.nesting.parent {
                return ids.merging(try parent.reservePermanentIDs(for: unknown, in: stores, from: above)) { $1 }
            }
            return ids.merging(try parent.reserveIDs(for: unknown, in: stores)) { $1 }
        }
    }

    /// Reserves the ids of objects that are not in this context.
    private final func reserveIDs(
        for rows: [RowID], in stores: [RowID: NSPersistentStore]
    ) throws -> [RowID: NSManagedObjectID] {
        let coordinator = try requireCoordinator()
        var ids: [RowID: NSManagedObjectID] = [:]
        for row in rows {
            let origin = try receivingOrigin(of: row, assigned: stores[row], in: coordinator)
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
        for child in liveChildren where child !== saver && child.automaticallyMergesChangesFromParent {
            child.enqueue { [weak child] in child?.merge(ids) }
        }
    }
}
