#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

/// Contexts of calls that have ended, for calls that begin: to make a context takes as long as to read a row.
///
/// Core Data does not say what else a context keeps after a reset, so each call has a context of its own there.
final class SpareContexts: Sendable {
    #if canImport(CoreData)
    func take() -> NSManagedObjectContext? { nil }
    func keep(_ context: NSManagedObjectContext) {}
    #else
    private static let limit = 8
    private let contexts = Locked<[NSManagedObjectContext]>([])

    /// A context that nobody else refers to; nil where there is none.
    func take() -> NSManagedObjectContext? {
        contexts.withLock { contexts in
            guard var context = contexts.popLast() else { return nil }
            return isKnownUniquelyReferenced(&context) ? context : nil
        }
    }

    /// Keeps a context that was reset for another call.
    func keep(_ context: NSManagedObjectContext) {
        context.renew()
        contexts.withLock { if $0.count < Self.limit { $0.append(context) } }
    }
    #endif
}
