// The feed of changes.
extension PersistentContainer {
    /// Returns the transactions that are committed from now on.
    ///
    /// ```swift
    /// for try await changes in store.changes(of: Book.self) {
    ///     for book in changes.of(Book.self) { print(book.kind, book.id) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - types: The types of which an object must have changed; none for all transactions.
    ///   - author: The author whose transactions are left out, for example that of a program's own synchronization.
    public func changes(
        of types: any ManagedObjectConvertible.Type..., excludingAuthor author: String? = nil
    ) -> ChangeFeed { feed(from: .now, of: types, excludingAuthor: author) }

    /// Returns the transactions after a token, and then those that are committed from now on.
    ///
    /// The store must have a history: open it with `history: true`. The feed contains each transaction once, regardless
    /// of the process that has committed it.
    ///
    /// - Parameters:
    ///   - token: The ``StoreChanges/token`` of the last transaction that was handled, or ``changeToken()``.
    ///   - types: The types of which an object must have changed; none for all transactions.
    ///   - author: The author whose transactions are left out.
    /// - Returns: A sequence that throws a ``StoreError`` with the code `historyTokenExpired` if transactions after the
    ///   token were purged, or the store was replaced, and `historyNeeded` if the store has no history.
    public func changes(
        since token: ChangeToken, of types: any ManagedObjectConvertible.Type..., excludingAuthor author: String? = nil
    ) -> ChangeFeed { feed(from: .after(token), of: types, excludingAuthor: author) }

    /// Returns the transactions that a named consumer has not acknowledged, and then those that are committed from now
    /// on.
    ///
    /// The store remembers the position of the consumer, and ``purgeHistory(before:)`` keeps the transactions that it has
    /// not acknowledged. A consumer with a new name starts at the current position.
    ///
    /// ```swift
    /// for try await changes in store.changes(for: "search index", of: Book.self) {
    ///     try index.apply(changes)
    ///     if let token = changes.token { try store.acknowledge(token, by: "search index") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - consumer: The name of the consumer.
    ///   - types: The types of which an object must have changed; none for all transactions.
    ///   - author: The author whose transactions are left out.
    /// - Returns: A sequence that throws the errors of ``changes(since:of:excludingAuthor:)``.
    public func changes(
        for consumer: String, of types: any ManagedObjectConvertible.Type..., excludingAuthor author: String? = nil
    ) -> ChangeFeed { feed(from: .consumer(consumer), of: types, excludingAuthor: author) }

    /// Returns the current position of the history.
    ///
    /// - Throws: A ``StoreError`` with the code `historyNeeded` if the store has no history.
    public func changeToken() throws -> ChangeToken {
        try read { (context: ManagedObjectContext) throws -> ChangeToken in
            guard let token = try translatingErrors({ try context.instance.changePosition() }) else {
                throw StoreError.historyNeeded
            }
            return token
        }
    }

    /// The author that the history of the store records for the transactions of this container; nil for none.
    ///
    /// A new author applies to the calls that begin after it was set. A context that you provide keeps the author of its
    /// own.
    ///
    /// ```swift
    /// store.author = "download"  // and elsewhere: store.changes(excludingAuthor: "download")
    /// ```
    public var author: String? {
        get { authorship.withLock { $0 } }
        set { authorship.withLock { $0 = newValue } }
    }

    private func feed(
        from start: ChangeFeedStart, of types: [any ManagedObjectConvertible.Type], excludingAuthor author: String?
    ) -> ChangeFeed {
        ChangeFeed(
            container: self, start: start,
            filter: ChangeFilter(entities: Set(types.map { $0.entityName }), excludedAuthor: author))
    }
}
