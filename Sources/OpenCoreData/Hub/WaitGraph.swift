/// Which thread waits for which file's turn, to find circles in which all would wait for ever.
final class WaitGraph: Sendable {
    static let shared = WaitGraph()

    private let waiting = Guarded<[HubState.Holder: FileHub]>([:])

    /// Notes that a thread waits for a turn, until ``end(_:)``.
    ///
    /// - Throws: ``CoreDataError`` with the condition `wouldDeadlock`, noting nothing, where the holder of the turn waits for
    ///   this thread, directly or through more threads. The turn may have been granted by then.
    func begin(_ thread: HubState.Holder, for hub: FileHub) throws {
        // Whoever closes a circle comes last, and finds the rest of it in the table. The threads there wait, so that nothing changes there.
        let isCircle = waiting.withLock { waiting in
            var next: FileHub? = hub
            // A path over more hubs than there are edges has met a circle without this thread, which its own threads find.
            for _ in 0...waiting.count {
                guard let holder = next?.holder else { break }
                if holder == thread {
                    // It holds the turn itself that it asked for: it was granted since, also while this loop ran.
                    if next === hub { break }
                    return true
                }
                next = waiting[holder]
            }
            waiting[thread] = hub
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
    func end(_ thread: HubState.Holder) {
        waiting.withLock { $0[thread] = nil }
    }
}
