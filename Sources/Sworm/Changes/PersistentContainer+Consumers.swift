// The consumers of the history, and its end.
extension PersistentContainer {
    /// Notes that a named consumer has handled the transactions up to a token.
    ///
    /// The position is written into the metadata of the store, in a transaction of its own. Acknowledge the last of
    /// several transactions to write less often. A position never moves backward.
    ///
    /// - Parameters:
    ///   - token: The token of the last transaction that was handled.
    ///   - consumer: The name of the consumer.
    /// - Throws: A ``StoreError`` with the code `historyTokenExpired` if the token belongs to another store, or an error
    ///   of writing.
    public func acknowledge(_ token: ChangeToken, by consumer: String) throws {
        try withChangeConsumers { context in
            guard let current = try translatingErrors({ try context.changePosition() }) else {
                throw StoreError.historyNeeded
            }
            try token.check(against: current)
            try translatingErrors { try context.updateChangeConsumers { $0.acknowledge(token, by: consumer) } }
        }
    }

    /// Returns the positions of all named consumers.
    ///
    /// - Throws: A ``StoreError`` if the store cannot be read.
    public func changeConsumers() throws -> [String: ChangeToken] {
        var positions: [String: ChangeToken] = [:]
        try withChangeConsumers { context in
            positions = try translatingErrors { try context.changeConsumers().positions }
        }
        return positions
    }

    /// Removes a named consumer, so that the history is no longer kept for it.
    ///
    /// - Parameter consumer: The name of the consumer.
    /// - Throws: A ``StoreError`` if the store cannot be written.
    public func removeChangeConsumer(_ consumer: String) throws {
        try withChangeConsumers { context in
            try translatingErrors { try context.updateChangeConsumers { $0.remove(consumer) } }
        }
    }

    /// Deletes the transactions of the history that nobody needs any more. Objects are not affected.
    ///
    /// Transactions that a named consumer has not acknowledged are kept. Bundles of changes do not need the history: what they
    /// contain is noted first. Consumers that keep their tokens themselves are
    /// not known to the store: pass the smallest of their tokens.
    ///
    /// - Parameter token: The token before which transactions are deleted; nil for the position of the slowest named
    ///   consumer. Without named consumers nothing is deleted then.
    /// - Returns: The position before which transactions were deleted; nil if nothing was.
    /// - Throws: A ``StoreError`` with the code `historyTokenExpired` if the token belongs to another store,
    ///   `historyNeeded` if the store has no history, or an error of writing.
    @discardableResult
    public func purgeHistory(before token: ChangeToken? = nil) throws -> ChangeToken? {
        try noteChangesForBundles()
        var purged: ChangeToken?
        try withChangeConsumers { context in
            guard let current = try translatingErrors({ try context.changePosition() }) else {
                throw StoreError.historyNeeded
            }
            try token?.check(against: current)
            let slowest = try translatingErrors { try context.changeConsumers().slowest }
            guard let end = [token, slowest].compactMap({ $0 }).min() else { return }
            try translatingErrors { try context.deleteChanges(before: end) }
            purged = end
        }
        return purged
    }

    /// Runs a closure with a context of the container, outside of any transaction.
    private func withChangeConsumers(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try logging {
            try gate.enter()
            defer { gate.leave() }
            let context = try makeContext()
            try body(context)
        }
    }
}
