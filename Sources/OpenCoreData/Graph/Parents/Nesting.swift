import SwormPredicates
import SwormStore

/// The context above a context, and the ids that the objects of both have got. It is used with exclusive access to the
/// context; other threads read the ``ContextLinks``.
struct Nesting {
    /// The context that this one reads from and saves to; nil if it uses the stores of a coordinator.
    var parent: NSManagedObjectContext?
    /// Whether the context may have children.
    var mayHaveChildren = false
    /// The permanent ids that objects of this context have got while it had children, in order, by their temporary keys.
    /// Those that all children have adopted are forgotten.
    private(set) var promotions: [Promotion] = []
    /// The number of promotions that were forgotten.
    private var forgotten = 0
    /// The number of the parent's promotions that this context has adopted.
    var adopted = 0
    /// The permanent ids of objects that rows of this context name by their temporary ids.
    var permanentIDs: [RowID: NSManagedObjectID] = [:]

    /// The permanent id of an object that had a temporary one.
    struct Promotion {
        let temporary: RowID
        let id: NSManagedObjectID
    }

    /// The number of promotions so far, including the forgotten ones.
    var promotionCount: Int { forgotten + promotions.count }

    /// Returns the promotions after a number of them.
    func promotions(after number: Int) -> [Promotion] {
        Array(promotions.dropFirst(max(0, number - forgotten)))
    }

    mutating func add(_ promotion: Promotion) { promotions.append(promotion) }

    mutating func forgetPermanentIDs() { permanentIDs = [:] }

    /// Forgets the promotions up to a number of them.
    mutating func forgetPromotions(upTo number: Int) {
        let count = min(number - forgotten, promotions.count)
        guard count > 0 else { return }
        promotions.removeFirst(count)
        forgotten += count
    }
}

/// The neighbours of a context in a tree of contexts, as all threads may read them.
struct ContextLinks: Sendable {
    var parent: NSManagedObjectContext?
    private var children: [Child] = []
    /// The number of promotions so far.
    private var promotions = 0

    private struct Child: Sendable {
        weak let context: NSManagedObjectContext?
        /// The number of promotions that the child has adopted.
        var adopted: Int
    }

    /// The contexts below that are still in use.
    var liveChildren: [NSManagedObjectContext] { children.isEmpty ? [] : children.compactMap { $0.context } }

    mutating func add(_ child: NSManagedObjectContext, adopted: Int) {
        remove(child)
        children.append(Child(context: child, adopted: adopted))
    }

    mutating func remove(_ child: NSManagedObjectContext) {
        children.removeAll { $0.context == nil || $0.context === child }
    }

    /// Returns the number of promotions that all children in use have adopted; nil if there are no children.
    ///
    /// - Parameter count: The number of promotions so far.
    mutating func adoptedByAll(of count: Int) -> Int? {
        promotions = count
        children.removeAll { $0.context == nil }
        return children.map(\.adopted).min()
    }

    /// Notes how many promotions a child has adopted.
    mutating func note(_ adopted: Int, by child: NSManagedObjectContext) {
        for index in children.indices where children[index].context === child { children[index].adopted = adopted }
    }

    /// Returns whether there are promotions that a child has not adopted.
    func hasPromotions(for child: NSManagedObjectContext) -> Bool {
        children.contains { $0.context === child && $0.adopted < promotions }
    }
}

extension NSManagedObjectContext {
    /// Whether the context reads from another context. All threads may ask.
    final var hasParent: Bool { shared.withLock { $0.links.parent != nil } }

    /// The contexts below this one that are still in use. All threads may ask.
    final var liveChildren: [NSManagedObjectContext] { shared.withLock { $0.links.liveChildren } }

    /// Notes that an object has got its permanent id, for the children that know it by its temporary one.
    final func note(_ promotion: Nesting.Promotion) {
        guard nesting.mayHaveChildren else { return }
        nesting.add(promotion)
        forgetAdoptedPromotions()
    }

    /// Forgets the promotions that all children have adopted.
    final func forgetAdoptedPromotions() {
        let count = nesting.promotionCount
        if let adopted = shared.withLock({ $0.links.adoptedByAll(of: count) }) {
            nesting.forgetPromotions(upTo: adopted)
        } else {
            nesting.forgetPromotions(upTo: count)
            nesting.mayHaveChildren = false
        }
    }

    /// Whether the origin of an object is not the one that the owner of its row has: a new object of the parent may be
    /// related with one of a store.
    final func isElsewhere(_ row: RowID, than origin: ObjectOrigin) -> Bool {
        row.key < 0 || nesting.parent != nil && origin === self.origin
    }

    /// Returns the row by which an object is registered, and its origin, for a row that may be named by a temporary id, or
    /// whose owner is not saved yet.
    final func resolved(_ row: RowID, in origin: ObjectOrigin) -> (row: RowID, origin: ObjectOrigin) {
        guard isElsewhere(row, than: origin) else { return (row, origin) }
        if row.key > 0 { return (row, (try? coordinator?.origins(of: row.entity).first) ?? origin) }
        if let id = nesting.permanentIDs[row] { return (id.row, id.origin) }
        return (row, self.origin ?? origin)
    }
}
