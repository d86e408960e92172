extension PersistentContainer {
    /// Tells each statement that the container's store runs, from the next read or save on, whoever has asked for it.
    ///
    /// - Parameter tell: Called on the thread that runs the statement. It must not use the container.
    /// - Throws: A ``StoreError`` with the code `unsupported` on Apple's platforms.
    package func observeStatements(
        withValues: Bool = false, _ tell: @escaping @Sendable (SQLTrace) -> Void
    ) throws -> StatementObservation {
        // Inside a perform its context is asked: a closure may count on being called once for each perform.
        let running = calls.scopes.withLock { $0[Engine.threadNumber]?.context }
        return try Engine.observe(try running ?? makeContext(), withValues: withValues, tell)
    }
}
