/// An asynchronous sequence of the bundles of a store: the first one contains everything after a number, and a further one
/// comes after each commit of the store's own changes.
///
/// ```swift
/// for try await bundle in store.changeBundles(after: lastNumber) {
///     try await upload(JSONEncoder().encode(bundle))
/// }
/// ```
/// Commits that follow each other faster than the consumer handles them come in one bundle. The sequence ends when the task
/// is cancelled, and throws the errors of ``PersistentContainer/changeBundle(after:)-4men0``.
public struct ChangeBundles: AsyncSequence, Sendable {
    /// A bundle.
    public typealias Element = ChangeBundle
    /// The type of the errors that end the sequence.
    public typealias Failure = any Error

    let container: PersistentContainer
    let number: Int64

    /// Returns an iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(container, after: number) }

    /// An iteration over the bundles of a store.
    public struct Iterator: AsyncIteratorProtocol {
        private let container: PersistentContainer
        private var number: Int64
        private var changes: ChangeFeed.Iterator

        fileprivate init(_ container: PersistentContainer, after number: Int64) {
            self.container = container
            self.number = number
            // It starts before the first bundle is created, so that no commit is missed in between.
            changes = container.changes().makeAsyncIterator()
        }

        /// Returns the next bundle, after waiting for it; nil after the end.
        public mutating func next() async throws -> ChangeBundle? {
            while !Task.isCancelled {
                if let bundle = try await container.changeBundle(after: number) {
                    number = bundle.number
                    return bundle
                }
                guard try await changes.next() != nil else { return nil }
            }
            return nil
        }
    }
}

extension PersistentContainer {
    /// Returns the bundles of this store after a number, and then those of later commits.
    ///
    /// - Parameter number: The ``ChangeBundle/number`` of the last bundle that the receiver has; 0 for none.
    public func changeBundles(after number: Int64 = 0) -> ChangeBundles {
        ChangeBundles(container: self, number: number)
    }
}
