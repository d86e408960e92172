import Foundation
import SwormPredicates

// Bundles of changes, for a server of one's own.
extension PersistentContainer {
    /// Returns the changes of this store after a number as one bundle; nil without changes.
    ///
    /// A bundle can be created again at any time, for example if it was lost on its way. It then leaves out values that
    /// were replaced since. The store must have a history, the entity ``BundleRecord``, and a uniqueness constraint for each
    /// entity. The first call creates a record for each object, whose values then are changes with the number 1.
    ///
    /// - Parameter number: The ``ChangeBundle/number`` of the last bundle that the receiver has; 0 for none.
    /// - Throws: A ``StoreError``: `historyNeeded` without a history, `uniqueKeyNeeded` for an entity without a uniqueness
    ///   constraint or an object whose unique attribute is nil, `historyTokenExpired` if transactions were purged with other
    ///   means than ``purgeHistory(before:)``, `bundleMissing` if the store has no such number.
    public func changeBundle(after number: Int64 = 0) throws -> ChangeBundle? {
        try withLedger { try $0.bundle(after: number) }
    }

    /// Returns everything that this store contains as one bundle, including all that it has received.
    ///
    /// Apply it to a store that is new, or that has missed bundles which nobody can send again. The changes of the
    /// receiver are kept.
    ///
    /// - Throws: The errors of ``changeBundle(after:)-4men0``.
    public func changeSnapshot() throws -> ChangeBundle { try withLedger { try $0.snapshot() } }

    /// Applies a bundle from another store in one transaction.
    ///
    /// A bundle that was applied before, or that comes from this store, changes nothing. The transaction has the author
    /// ``ChangeBundle/author``, and its changes are not part of this store's own bundles.
    ///
    /// ```swift
    /// let outcome = try store.apply(bundle)
    /// for conflict in outcome.conflicts { print(conflict.key, conflict.property ?? "", conflict.kept) }
    /// ```
    ///
    /// - Parameters:
    ///   - bundle: The bundle.
    ///   - policy: The rule for properties that both stores have changed. See ``ConflictPolicy``.
    /// - Returns: The conflicts.
    /// - Throws: A ``StoreError``: `bundleMissing` if bundles of the same origin before this one are missing, with the number
    ///   that is missing, or if the bundle knows transactions of this store that it does not have, because it was restored
    ///   from a backup; `invalidBundle` or `unknownName` if the bundle does not fit the model, and the errors of a save and
    ///   of ``changeBundle(after:)-4men0``. Nothing of the bundle is applied then.
    @discardableResult
    public func apply(_ bundle: ChangeBundle, policy: ConflictPolicy = .laterWins) throws -> AppliedBundle {
        try apply(bundle, policy: policy, now: Date())
    }

    /// - Parameter now: The present time, with which the times of the bundle are compared.
    func apply(_ bundle: ChangeBundle, policy: ConflictPolicy, now: Date) throws -> AppliedBundle {
        try withLedger(now: now) { try $0.apply(bundle, policy: policy) }
    }

    /// Returns the identifier of this store in bundles, its last number, and the numbers up to which it has applied the
    /// bundles of other stores.
    ///
    /// Send it to the server to learn which bundles are missing.
    ///
    /// - Throws: The errors of ``changeBundle(after:)-4men0``.
    public func bundlePosition() throws -> BundlePosition {
        try withLedger { ledger in
            var applied: [String: Int64] = [:]
            for (origin, number) in ledger.state.applied { applied[ledger.state.origins[origin]] = number }
            return BundlePosition(origin: ledger.origin, number: ledger.state.number, applied: applied)
        }
    }

    /// Removes all records of the synchronization, so that the store continues as a new origin.
    ///
    /// Call it once in a copy of a store, in a store that was restored from a backup, and after `historyTokenExpired`. Then
    /// apply a ``changeSnapshot()`` of another store. Objects are not affected.
    ///
    /// - Throws: A ``StoreError`` if the store cannot be written.
    public func resetChangeBundles() throws {
        try write { (context: ManagedObjectContext) in
            try context.savingRecords { try BundleLedger.removeAll(in: context) }
        }
    }

    /// Notes the changes since the last bundle, so that the history is not needed any more. Does nothing in a store without
    /// records.
    func noteChangesForBundles() throws {
        guard try read({ try BundleLedger.exists(in: $0) }) else { return }
        try withLedger { _ in }
    }

    private func withLedger<R: Sendable>(now: Date = Date(), _ body: (BundleLedger) throws -> R) throws -> R {
        if calls.scopes.withLock({ $0[CurrentThread.number] }) != nil {
            throw StoreError(
                .unsupported,
                "Bundles cannot be created or applied inside a perform, read or write, because their changes need a transaction of their own. Call the method outside."
            )
        }
        return try write { (context: ManagedObjectContext) throws -> R in
            try context.savingRecords { try context.withLedger(now: now, body) }
        }
    }
}

// The asynchronous calls.
extension PersistentContainer {
    /// Returns the changes of this store after a number as one bundle, without blocking a thread of the concurrency pool.
    ///
    /// - Parameter number: The ``ChangeBundle/number`` of the last bundle that the receiver has; 0 for none.
    /// - Throws: `CancellationError` if the task was cancelled, and the errors of the synchronous variant.
    public func changeBundle(after number: Int64 = 0) async throws -> ChangeBundle? {
        try await write { (context: ManagedObjectContext) throws -> ChangeBundle? in
            try context.savingRecords { try context.withLedger { try $0.bundle(after: number) } }
        }
    }

    /// Applies a bundle from another store in one transaction, without blocking a thread of the concurrency pool.
    ///
    /// - Parameters:
    ///   - bundle: The bundle.
    ///   - policy: The rule for properties that both stores have changed.
    /// - Returns: The conflicts.
    /// - Throws: `CancellationError` if the task was cancelled, and the errors of the synchronous variant.
    @discardableResult
    public func apply(_ bundle: ChangeBundle, policy: ConflictPolicy = .laterWins) async throws -> AppliedBundle {
        try await write { (context: ManagedObjectContext) throws -> AppliedBundle in
            try context.savingRecords { try context.withLedger { try $0.apply(bundle, policy: policy) } }
        }
    }
}

extension ManagedObjectContext {
    fileprivate func withLedger<R>(now: Date = Date(), _ body: (BundleLedger) throws -> R) throws -> R {
        let ledger = try BundleLedger(self, now: now)
        try ledger.scan()
        try BundleSettlement(ledger).settle()
        let result = try body(ledger)
        try ledger.save()
        return result
    }

    /// Saves what a closure changes with the author of bundles.
    fileprivate func savingRecords<R>(_ body: () throws -> R) throws -> R {
        let author = instance.transactionAuthor
        defer { instance.transactionAuthor = author }
        instance.transactionAuthor = ChangeBundle.author
        let result = try body()
        if instance.hasChanges { try translatingErrors { try instance.save() } }
        return result
    }
}

/// The position of a store among those that exchange bundles.
public struct BundlePosition: Sendable, Hashable, Codable {
    /// The identifier of the store in bundles.
    public let origin: String
    /// The number of the store's last transaction.
    public let number: Int64
    /// The numbers up to which the store has applied the bundles of other stores, by their identifiers.
    public let applied: [String: Int64]
}
