extension PersistentContainer {
    /// A context that reads on the main actor.
    ///
    /// ```swift
    /// let books = try store.main.fetch(Book.all.sort(\.title))
    /// ```
    /// Its handles can be used on the main actor as long as the container exists, also after a suspension. Each fetch
    /// finds the objects that match at that moment. The objects that the context holds are updated after commits of any
    /// context or process, between two jobs of the main actor. Nothing can be changed: inserting, encoding and deleting
    /// throw a ``StoreError`` with the code `readOnly`.
    ///
    /// Reads block the main thread, so keep them small. ``values(of:)-(Request<PlainObject>)`` reads on another thread.
    ///
    /// - Throws: A ``StoreError`` if the store is closed or suspended.
    @MainActor
    public var main: ManagedObjectContext {
        get throws {
            try gate.check()
            if let known = mainContext.value as? MainContext { return known.lasting.context }
            let made = try MainContext(self)
            mainContext.value = made
            return made.lasting.context
        }
    }
}

/// The context that reads on the main actor.
@MainActor
private final class MainContext {
    let lasting: LastingContext

    init(_ store: PersistentContainer) throws {
        let reference = Locked(WeakMainContext())
        let news = CommitNews {
            Task { @MainActor in reference.withLock { $0.context }?.lasting.mergeCommitsIfOpen() }
        }
        lasting = try LastingContext(store, for: .main, news: news)
        lasting.beReadOnly()
        reference.withLock { $0.context = self }
    }
}

private struct WeakMainContext: Sendable {
    weak var context: MainContext?
}
