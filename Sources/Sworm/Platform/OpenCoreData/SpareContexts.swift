#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates

/// A pool of contexts of ended calls, for new calls: creating a context takes as long as reading a row.
final class SpareContexts: Sendable {
    private static let limit = 8
    private let contexts = Locked<[NSManagedObjectContext]>([])

    /// Returns a context without other references, in its initial state; nil if the pool has none.
    func take() -> NSManagedObjectContext? {
        contexts.withLock { contexts in
            guard var context = contexts.popLast(), isKnownUniquelyReferenced(&context) else { return nil }
            return context.renew() ? context : nil
        }
    }

    /// Adds a context that was reset to the pool.
    func keep(_ context: NSManagedObjectContext) {
        contexts.withLock { if $0.count < Self.limit { $0.append(context) } }
    }
}
#endif
