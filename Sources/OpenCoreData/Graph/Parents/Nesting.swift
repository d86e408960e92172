import SwormStore

/// The context above a context, and those below it.
struct Nesting {
    /// The context that this one reads from and saves to; nil if it uses the stores of a coordinator.
    var parent: NSManagedObjectContext?
    private var children: [WeakContext] = []
    /// The permanent ids that objects of this context have got while it had children, in order, by their temporary keys.
    private(set) var promotions: [Promotion] = []
    /// The number of the parent's promotions that this context has adopted.
    var adopted = 0
    /// The permanent ids of objects that rows of this context name by their temporary ids.
    var permanentIDs: [RowID: NSManagedObjectID] = [:]

    /// The permanent id of an object that had a temporary one.
    struct Promotion {
        let temporary: RowID
        let id: NSManagedObjectID
    }

    private struct WeakContext {
        weak var value: NSManagedObjectContext?
    }

    /// The contexts below that are still in use.
    var liveChildren: [NSManagedObjectContext] { children.isEmpty ? [] : children.compactMap(\.value) }

    mutating func add(_ child: NSManagedObjectContext) {
        children.removeAll { $0.value == nil || $0.value === child }
        children.append(WeakContext(value: child))
    }

    mutating func remove(_ child: NSManagedObjectContext) {
        children.removeAll { $0.value == nil || $0.value === child }
        if children.isEmpty { promotions.removeAll() }
    }

    /// Notes that an object has got its permanent id, for the children that know it by its temporary one.
    mutating func note(_ promotion: Promotion) {
        if children.isEmpty { return }
        children.removeAll { $0.value == nil }
        if children.isEmpty { promotions.removeAll() } else { promotions.append(promotion) }
    }
}

extension NSManagedObjectContext {
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
