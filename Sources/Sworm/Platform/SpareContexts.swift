#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
import SwormPredicates
#endif

/// Contexts of ended calls, for new calls: making a context takes as long as reading a row.
///
/// Core Data does not say what else a context keeps after a reset, so each call has a context of its own there.
final class SpareContexts: Sendable {
    #if canImport(CoreData)
    func take() -> NSManagedObjectContext? { nil }
    func keep(_ context: NSManagedObjectContext) {}
    #else
    private static let limit = 8
    private let contexts = Locked<[NSManagedObjectContext]>([])

    /// A context that nobody else refers to, as it was when it was made; nil if no such context is kept.
    func take() -> NSManagedObjectContext? {
        contexts.withLock { contexts in
            guard var context = contexts.popLast(), isKnownUniquelyReferenced(&context) else { return nil }
            return context.renew() ? context : nil
        }
    }

    /// Keeps a context that was reset for another call.
    func keep(_ context: NSManagedObjectContext) {
        contexts.withLock { if $0.count < Self.limit { $0.append(context) } }
    }
    #endif
}
