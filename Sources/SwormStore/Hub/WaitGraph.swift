import SwormPredicates

/// An object that one thread at a time holds, and for which other threads wait.
package protocol WaitTarget: AnyObject, Sendable {
    /// The thread that holds the object.
    var holder: HubState.Holder? { get }
}

/// The threads that wait for turns of files or for contexts, which is used to find cycles that would block forever.
package final class WaitGraph: Sendable {
    package static let shared = WaitGraph()

    private let waiting = Locked<[HubState.Holder: any WaitTarget]>([:])

    /// Notes that a thread waits for a turn or a context, until ``end(_:)`` is called.
    ///
    /// - Throws: ``CoreDataError`` with the condition `wouldDeadlock`, without noting anything, if the holder waits for
    ///   this thread, directly or through other threads. A turn may have been granted by then.
    package func begin(_ thread: HubState.Holder, for target: any WaitTarget) throws {
        // The thread that completes a cycle comes last, and finds the rest of the cycle in the table. Those threads are
        // waiting, so their entries do not change.
        let isCircle = waiting.withLock { waiting in
            var next: (any WaitTarget)? = target
            // A path with more targets than edges has entered a cycle that does not contain this thread. The threads of
            // that cycle find it.
            for _ in 0...waiting.count {
                guard let holder = next?.holder else { break }
                if holder == thread {
                    // The thread itself holds the turn that it requested, because the turn was granted in the meantime,
                    // possibly while this loop ran.
                    if next === target { break }
                    return true
                }
                next = waiting[holder]
            }
            waiting[thread] = target
            return false
        }
        guard !isCircle else {
            throw CoreDataError(
                NSPersistentStoreCoordinatorLockingError,
                "Deadlock: the transaction that this one would wait for is itself waiting for this thread. Use the stores in the same order everywhere, or end one transaction before the next begins.",
                condition: .wouldDeadlock)
        }
    }

    /// Notes that a thread no longer waits.
    package func end(_ thread: HubState.Holder) {
        waiting.withLock { $0[thread] = nil }
    }
}
