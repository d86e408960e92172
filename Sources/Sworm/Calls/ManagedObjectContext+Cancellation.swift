extension ManagedObjectContext {
    /// Throws an error if the call should end because its task was cancelled or its deadline has passed.
    ///
    /// Everything that reads or writes performs this check by itself. Call it in long stretches of code that do
    /// neither.
    ///
    /// ```swift
    /// try await store.read { context in
    ///     for book in try context.decode(Book.all) {
    ///         try context.checkCancellation()
    ///         index(book)
    ///     }
    /// }
    /// ```
    ///
    /// - Throws: `CancellationError`, or a ``StoreError`` with the code `timedOut`.
    public func checkCancellation() throws {
        try Task.checkCancellation()
        try translatingErrors { try instance.checkInterruption() }
    }
}
