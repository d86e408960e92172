#if canImport(CoreData)
import CoreData
import Dispatch
import Foundation

/// A permission without effect: Core Data does not limit its readers, and no call waits here.
struct StoreAdmission {
    func adopt() {}
    func leave() {}
    func abandon() {}
}

extension NSManagedObjectContext {
    func enterStores(
        isWriting: Bool, until deadline: @autoclosure () -> ContinuousClock.Instant?
    ) throws -> StoreAdmission { StoreAdmission() }
}

/// A call that needs no permission.
struct CallRequest: Sendable {
    init(
        _ context: NSManagedObjectContext, isWriting: Bool, locksRows: Bool, until deadline: ContinuousClock.Instant?
    ) throws {}

    func begin(_ job: @escaping @Sendable () -> Void) {
        // A separate serial queue for each call. A concurrent queue would share its few threads with the concurrency
        // pool, and closures that block would keep other tasks from running.
        DispatchQueue(label: "Sworm call").async(execute: job)
    }

    func cancel() {}
    func admission() throws -> StoreAdmission { StoreAdmission() }
    static func callEnds() {}
}

/// A lock that serializes the writes of one container.
final class WriteTurn: Sendable {
    private let lock = NSRecursiveLock()

    func withTurn<R>(_ body: () throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }
}

/// An empty pool: Core Data does not document which state a context retains after a reset, so every call has a new
/// context.
final class SpareContexts: Sendable {
    func take() -> NSManagedObjectContext? { nil }
    func keep(_ context: NSManagedObjectContext) {}
}
#endif
