#if PostgreSQL
import SwormPredicates

/// The threads that have open write transactions, which is used to find a thread that would wait for itself.
enum WriterThreads {
    /// The transactions of one thread in one store.
    fileprivate struct Holding: Sendable {
        /// The number of transactions that are exclusive.
        var exclusive = 0
        var shared = 0
    }

    private struct Place: Hashable, Sendable {
        /// The listeners, which all stores with the same tables share.
        var store: ObjectIdentifier
        var thread: HubState.Holder
    }

    private static let holdings = Locked<[Place: Holding]>([:])

    /// Notes a transaction of the calling thread.
    ///
    /// - Parameter isExclusive: Whether no other transaction can write beside it.
    /// - Returns: A closure that notes the end of the transaction.
    /// - Throws: ``CoreDataError`` with the condition `wouldDeadlock` if the thread has a transaction for which this one
    ///   would wait.
    static func begin(_ store: PostgresStore, isExclusive: Bool) throws -> @Sendable () -> Void {
        let place = Place(store: ObjectIdentifier(store.commits), thread: ThreadHoldings.thread)
        let waits = holdings.withLock { holdings in
            let present = holdings[place] ?? Holding()
            if present.exclusive > 0 || isExclusive && present.shared > 0 { return true }
            holdings[place, default: Holding()].change(by: 1, isExclusive: isExclusive)
            return false
        }
        guard !waits else { throw CoreDataError.hasTransaction }
        // The commits are held, so that no other object has their identity.
        return { [commits = store.commits] in
            withExtendedLifetime(commits) {
                holdings.withLock { holdings in
                    holdings[place]?.change(by: -1, isExclusive: isExclusive)
                    if holdings[place]?.isOver == true { holdings[place] = nil }
                }
            }
        }
    }
}

extension WriterThreads.Holding {
    mutating func change(by difference: Int, isExclusive: Bool) {
        if isExclusive { exclusive += difference } else { shared += difference }
    }

    var isOver: Bool { exclusive == 0 && shared == 0 }
}
#endif
