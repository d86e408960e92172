import SwormPredicates

/// Something that one thread at a time holds, and further threads wait for.
package protocol WaitTarget: AnyObject, Sendable {
    /// The thread that holds it.
    var holder: HubState.Holder? { get }
}

/// Which thread waits for which file's turn or which context, to find circles in which all would wait for ever.
package final class WaitGraph: Sendable {
    package static let shared = WaitGraph()

    private let waiting = Locked<[HubState.Holder: any WaitTarget]>([:])

    /// Notes that a thread waits for a turn or a context, until ``end(_:)``.
    ///
    /// - Throws: ``CoreDataError`` with the condition `wouldDeadlock`, noting nothing, where its holder waits for this thread,
    ///   directly or through more threads. A turn may have been granted by then.
    package func begin(_ thread: HubState.Holder, for target: any WaitTarget) throws {
        // Whoever closes a circle comes last, and finds the rest of it in the table. The threads there wait, so that nothing changes there.
        let isCircle = waiting.withLock { waiting in
            var next: (any WaitTarget)? = target
            // A path over more targets than there are edges has met a circle without this thread, which its own threads find.
            for _ in 0...waiting.count {
                guard let holder = next?.holder else { break }
                if holder == thread {
                    // It holds the turn itself that it asked for: it was granted since, also while this loop ran.
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
                "The transaction that this one would have to wait for waits for this thread itself. Take the stores in the same order everywhere, or end one transaction before the next begins.",
                condition: .wouldDeadlock)
        }
    }

    /// Notes that a thread waits no longer.
    package func end(_ thread: HubState.Holder) {
        waiting.withLock { $0[thread] = nil }
    }
}
