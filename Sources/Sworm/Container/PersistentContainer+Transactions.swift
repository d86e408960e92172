extension PersistentContainer {
    /// Returns a container over the same stores, whose transactions have another isolation or settings of the server.
    ///
    /// On PostgreSQL, a setting is valid for one transaction, and policies of row-level security can read it:
    ///
    /// ```swift
    /// // CREATE POLICY tenant ON shop."Order" USING ("tenant" = current_setting('app.tenant'));
    /// let tenant = store.withTransactions(settings: ["app.tenant": request.tenant])
    /// let orders = try await tenant.read { try $0.decode(Order.all) }
    /// ```
    /// A store in a file has no settings, and ignores them. Its writers wait for each other, so that a serializable
    /// `perform` runs as a `write` does. On Apple's platforms, Core Data has neither, and both are ignored.
    ///
    /// The containers share their stores: closing or suspending one closes or suspends the other. A call of one does not
    /// join a call of the other, but is a transaction of its own, with a connection of its own.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of the transactions.
    ///   - settings: The values of the server's settings, by their names.
    /// - Returns: A container that can be used as long as the stores are open. It is cheap to create.
    public func withTransactions(
        isolation: TransactionIsolation = .snapshot, settings: [String: String] = [:]
    ) -> PersistentContainer {
        PersistentContainer(self, choosing: TransactionChoice(isolation: isolation, settings: settings))
    }
}
