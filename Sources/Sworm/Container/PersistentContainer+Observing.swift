extension PersistentContainer {
    /// Reports every statement that the container's store runs, on behalf of any caller, from the next read or save on.
    ///
    /// - Parameters:
    ///   - withValues: Whether the closure also receives the values of the statements.
    ///   - report: A closure that is called on the thread that runs the statement. It must not use the container.
    /// - Throws: A ``StoreError`` with the code `unsupported` on Apple's platforms.
    package func observeStatements(
        withValues: Bool = false, _ report: @escaping @Sendable (SQLTrace) -> Void
    ) throws -> StatementObservation {
        // Inside a `perform`, use its context: the user's context closure may rely on being called once per `perform`.
        let running = calls.scopes.withLock { $0[CurrentThread.number]?.context }
        return try (running ?? makeContext()).observeStatements(withValues: withValues, report)
    }
}
