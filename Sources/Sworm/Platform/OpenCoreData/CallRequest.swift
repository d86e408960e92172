#if !canImport(CoreData)
import OpenCoreData
import SwormStore

extension NSManagedObjectContext {
    /// Blocks the calling thread until a call may use the stores of the context.
    func enterStores(
        isWriting: Bool, until deadline: @autoclosure () -> ContinuousClock.Instant?
    ) throws -> StoreAdmission {
        if isWriting { try checkWriting() }
        return try StoreAdmission.enter(
            persistentStoreCoordinator?.persistentStores ?? [], isWriting: isWriting, deadline: deadline())
    }
}

/// The request of an asynchronous call to use the stores of a context.
struct CallRequest: Sendable {
    private let request: StoreRequest

    /// - Throws: The error of a write that is not possible.
    init(
        _ context: NSManagedObjectContext, isWriting: Bool, locksRows: Bool, until deadline: ContinuousClock.Instant?
    ) throws {
        if isWriting { try context.checkWriting() }
        request = StoreRequest(
            context.persistentStoreCoordinator?.persistentStores ?? [], isWriting: isWriting, locksRows: locksRows,
            deadline: deadline)
    }

    /// Runs the call's job on a thread that may block, as soon as there is an answer. No thread waits for the answer.
    func begin(_ job: @escaping @Sendable () -> Void) {
        let (request, isWriting) = (request, request.isWriting)
        request.begin { isAdmitted in
            // The thread of a connection runs the calls that have it. Their number is limited by that of the connections, and
            // they mostly wait for the server.
            if let seat = request.seat { return seat.run(job) }
            // A call that is not admitted throws immediately.
            CallThreads.shared.enqueue(isAdmitted ? isWriting ? .write : .read : .brief, job)
        }
    }

    /// Stops waiting for an answer.
    func cancel() { request.cancel() }

    /// Returns the answer, for use by the job.
    func admission() throws -> StoreAdmission { try request.admission() }

    /// Announces that the asynchronous call of the calling thread is about to release what it holds.
    static func callEnds() { CallThreads.callEnds() }
}

/// A turn without effect: the store itself serializes the writes of all containers.
struct WriteTurn: Sendable {
    func withTurn<R>(_ body: () throws -> R) rethrows -> R { try body() }
}
#endif
