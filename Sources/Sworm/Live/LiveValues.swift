/// An asynchronous sequence of the values of something in a store: the current value, and a newer one after each commit
/// that changes it.
///
/// ```swift
/// for try await books in store.values(of: Book.all.where { $0.year > 1800 }.sort(\.title)) {
///     show(books)
/// }
/// ```
///
/// The first value comes immediately. A consumer that is slower than the commits receives the newest value, and not those
/// in between. Each value is read from one snapshot, and includes all changes that this process had committed when the
/// consumer asked for the value. The loop runs on the isolation of its caller.
///
/// A sequence may be iterated several times, also concurrently: each iteration has its own values. An iteration keeps
/// the container alive. It ends when the task is cancelled or the iterator is released, and it throws a ``StoreError`` if
/// the store cannot be read, with the code `storeClosed` if the container is closed.
public struct LiveValues<Element: Sendable>: AsyncSequence, Sendable {
    /// The type of the errors that end the sequence.
    public typealias Failure = any Error

    let subscribe: @Sendable () -> any LiveInlet<Element>

    /// Returns an iteration, which starts to read immediately.
    public func makeAsyncIterator() -> Iterator { Iterator(subscribe()) }

    /// An iteration over live values.
    public struct Iterator: AsyncIteratorProtocol {
        /// Ends the values when the last copy of the iterator is released.
        private final class Subscription: Sendable {
            let inlet: any LiveInlet<Element>

            init(_ inlet: any LiveInlet<Element>) { self.inlet = inlet }

            deinit { inlet.end() }
        }

        private let subscription: Subscription

        fileprivate init(_ inlet: any LiveInlet<Element>) { subscription = Subscription(inlet) }

        /// Returns the current value if the consumer has not received it, or else the next one; nil after the end.
        public mutating func next() async throws -> Element? {
            try await subscription.inlet.next(isolation: nil)
        }

        /// Returns the next value like `next()`, without leaving the isolation of the caller.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await subscription.inlet.next(isolation: actor)
        }
    }
}

extension LiveValues where Element: Equatable {
    /// Returns the values without those that equal the value before them.
    public func removingDuplicates() -> LiveValues {
        LiveValues { [subscribe] in
            DerivedInlet(from: subscribe()) { value, last in value == last ? nil : value }
        }
    }
}
