import Foundation
import SwormPredicates

// Objects get permanent ids in the context of the stores. The contexts below adopt them before they ask their parent.
extension NSManagedObjectContext {
    /// Calls a closure with exclusive access to the parent, after adopting the permanent ids that objects have got there.
    final func withParent<Result>(_ parent: NSManagedObjectContext, _ body: () throws -> Result) rethrows -> Result {
        try exclusively(parent) {
            adoptPromotions(of: parent)
            return try body()
        }
    }

    /// Calls a closure with exclusive access to a context above.
    ///
    /// A context of the main queue may be used on the main thread without its lock, so the closure runs on that thread.
    final func exclusively<Result>(
        _ parent: NSManagedObjectContext, _ body: () throws -> Result
    ) rethrows -> Result {
        func run() throws -> Result {
            parent.lock.lock()
            defer { parent.lock.unlock() }
            return try body()
        }
        guard parent.concurrencyType == .mainQueueConcurrencyType, !MainQueue.isCurrent else { return try run() }
        return try DispatchQueue.main.sync(execute: run)
    }

    private final func adoptPromotions(of parent: NSManagedObjectContext) {
        if let above = parent.nesting.parent { parent.withParent(above) {} }
        let count = parent.nesting.promotionCount
        if nesting.adopted == count { return }
        let promotions = parent.nesting.promotions(after: nesting.adopted)
        nesting.adopted = count
        for promotion in promotions { adopt(promotion) }
        parent.shared.withLock { $0.links.note(count, by: self) }
        parent.forgetAdoptedPromotions()
    }

    /// Adopts the permanent ids that objects have got in the contexts above. It does not wait for the parent if there are
    /// no such ids.
    final func adoptPromotions() {
        guard let parent = nesting.parent else { return }
        var child: NSManagedObjectContext = self
        var next: NSManagedObjectContext? = parent
        while let context = next {
            let links = context.shared.withLock { $0.links }
            if links.hasPromotions(for: child) { return withParent(parent) {} }
            child = context
            next = links.parent
        }
    }

    private final func adopt(_ promotion: Nesting.Promotion) {
        nesting.permanentIDs[promotion.temporary] = promotion.id
        guard let origin, let object = identities[temporaryIdentity(promotion.temporary, origin)],
            object.objectID.isTemporaryID
        else {
            // The object of this context is no longer in use. One of a child may be.
            return note(promotion)
        }
        identities[temporaryKey(of: object)] = nil
        promote(object, to: promotion.id.key, origin: promotion.id.origin)
    }

    private final func temporaryIdentity(_ row: RowID, _ origin: ObjectOrigin) -> IdentityTable.Key {
        IdentityTable.Key(
            origin: ObjectIdentifier(origin), root: origin.compiled[row.entity].root, key: row.key)
    }
}
