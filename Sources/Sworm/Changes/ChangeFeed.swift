/// An asynchronous sequence of the transactions of a store, each once and in the order of the commits.
///
/// ```swift
/// for try await changes in store.changes() {
///     for book in changes.of(Book.self) { print(book.kind, book.id) }
/// }
/// ```
///
/// In a store with a history, the store itself is the buffer: the consumer may be as slow as it likes, and transactions of
/// all processes are included. In a store without one, the feed has the transactions of this process. It keeps at most
/// 1,000 of them for a slow consumer; more are replaced by one element that is incomplete. A transaction of another process
/// is an incomplete element as well.
///
/// A sequence may be iterated several times. An iteration starts at the position of the sequence. That of
/// ``PersistentContainer/changes(of:excludingAuthor:)`` is read from the store when the iteration is created, on the
/// calling thread. An iteration ends when the task is cancelled, and throws a ``StoreError``:
/// `historyTokenExpired`, `historyNeeded`, `storeClosed`, or an error of reading.
public struct ChangeFeed: AsyncSequence, Sendable {
    /// The changes of one transaction.
    public typealias Element = StoreChanges
    /// The type of the errors that end the sequence.
    public typealias Failure = any Error

    let container: PersistentContainer
    let start: ChangeFeedStart
    let filter: ChangeFilter

    /// Returns an iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(ChangeInlet(self)) }

    /// An iteration over the transactions of a store.
    public struct Iterator: AsyncIteratorProtocol {
        /// Ends the iteration when the last copy of the iterator is released.
        private final class Subscription: Sendable {
            let inlet: ChangeInlet

            init(_ inlet: ChangeInlet) { self.inlet = inlet }

            deinit { inlet.end() }
        }

        private let subscription: Subscription

        fileprivate init(_ inlet: ChangeInlet) { subscription = Subscription(inlet) }

        /// Returns the changes of the next transaction, after waiting for it; nil after the end.
        public mutating func next() async throws -> StoreChanges? {
            try await subscription.inlet.next(isolation: nil)
        }

        /// Returns the changes of the next transaction like `next()`, without leaving the isolation of the caller.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> StoreChanges? {
            try await subscription.inlet.next(isolation: actor)
        }
    }
}

/// The position at which a feed starts.
enum ChangeFeedStart: Sendable {
    /// The time at which the iteration starts.
    case now
    case after(ChangeToken)
    /// The position that the store remembers for a consumer.
    case consumer(String)
}

/// The transactions that a feed contains.
struct ChangeFilter: Sendable {
    /// The names of the entities of which one must have changed; empty for all.
    var entities: Set<String> = []
    /// The author whose transactions are left out.
    var excludedAuthor: String?

    func contains(_ changes: StoreChanges) -> Bool {
        if let excludedAuthor, changes.author == excludedAuthor { return false }
        if entities.isEmpty || changes.isIncomplete { return true }
        return changes.records.contains { record in entities.contains { changes.isRecord(record, of: $0) } }
    }
}
