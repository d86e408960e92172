import Foundation

/// The transactions of the sessions of one process.
struct ListRun: Sendable {
    var transactions: [ListTransaction] = []
    /// Errors that no transaction may meet.
    var unexpected: [String] = []

    /// Runs sessions over some containers at the same time, each on a thread of its own.
    ///
    /// - Parameters:
    ///   - stores: The containers.
    ///   - threads: The number of sessions of each container.
    ///   - transactions: The number of transactions of each session.
    ///   - first: The number of the first session.
    ///   - makeRandom: Makes the random source of a session.
    static func over(
        _ stores: [ListStore], threads: Int, transactions: Int, first: Int = 0,
        _ makeRandom: @escaping @Sendable (Int) -> some RandomNumberGenerator & SendableMetatype
    ) async -> ListRun {
        let results = Results()
        let group = DispatchGroup()
        for number in 0..<stores.count * threads {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                var session = ListSession(first + number, stores[number % stores.count], makeRandom(first + number))
                session.run(transactions)
                results.add(session.history, session.unexpected)
            }
        }
        // A blocked thread of the pool could be the one that a scheduled transaction needs.
        await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
        return results.run
    }

    mutating func append(_ other: ListRun) {
        transactions += other.transactions
        unexpected += other.unexpected
    }

    /// The sessions add theirs when they have ended.
    private final class Results: @unchecked Sendable {
        // All is read and changed under the lock; hence the unchecked conformance.
        private let lock = NSLock()
        private var collected = ListRun()

        var run: ListRun { lock.withLock { collected } }

        func add(_ transactions: [ListTransaction], _ unexpected: [String]) {
            lock.withLock {
                collected.transactions += transactions
                collected.unexpected += unexpected
            }
        }
    }

    /// The number of committed transactions, of those that were not, and of elements.
    var summary: String {
        let committed = transactions.filter(\.isCommitted)
        let points = committed.count(where: \.isPoint)
        return "\(committed.count) committed (\(points) of them points), \(transactions.count - committed.count) not, "
            + "\(committed.reduce(0) { $0 + $1.appended.count }) elements"
    }
}
