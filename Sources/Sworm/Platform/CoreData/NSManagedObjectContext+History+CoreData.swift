#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

// The history of the context's store.
extension NSManagedObjectContext {
    /// Returns the position after the newest transaction; nil in a store without a history.
    func changePosition() throws -> ChangeToken? {
        let store = try onlyStore()
        guard
            (store.options?[NSPersistentHistoryTrackingKey] as? NSNumber)?.boolValue ?? false,
            let token = persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: [store])
        else { return nil }
        // Core Data gives the numbers of transactions, but not that of a token.
        let archive = try token.archived()
        let number =
            try lastTransactionNumber(after: .fetchHistory(after: Date(timeIntervalSinceNow: -3600)))
            ?? lastTransactionNumber(after: .fetchHistory(after: nil as NSPersistentHistoryToken?))
        return ChangeToken(store: store.identifier, number: number ?? 0, archive: archive)
    }

    private func lastTransactionNumber(after request: NSPersistentHistoryChangeRequest) throws -> Int64? {
        request.resultType = .transactionsOnly
        let result = try execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction])?.map(\.transactionNumber).max()
    }

    /// Returns the transactions after a position.
    ///
    /// - Parameter limit: Has no effect, because a request of Core Data for history has no limit.
    func storeChanges(after token: ChangeToken, limit: Int) throws -> [StoreChanges] {
        let store = try onlyStore()
        let process = ProcessInfo.processInfo.processName
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: try token.coreDataToken())
        return try storeChanges(request) { transaction in
            let position = ChangeToken(
                store: store.identifier, number: transaction.transactionNumber,
                archive: try transaction.token.archived())
            return (position, transaction.processID == process ? .thisProcess : .elsewhere)
        }.filter { $0.token.map { $0.number > token.number } ?? true }
    }

    /// Returns changes that were announced, in a store without a history.
    func storeChanges(_ announced: CommittedChanges) -> StoreChanges {
        var changes = announcedChanges(announced)
        changes.origin = announced.isForeign ? .elsewhere : .thisProcess
        return changes
    }

    func deleteChanges(before token: ChangeToken) throws {
        guard let native = try token.coreDataToken() else { return }
        _ = try execute(NSPersistentHistoryChangeRequest.deleteHistory(before: native))
    }

    func changeConsumers() throws -> ChangeConsumers {
        let store = try onlyStore()
        let metadata = persistentStoreCoordinator?.metadata(for: store) ?? [:]
        return ChangeConsumers(metadata[ChangeConsumers.key], store: store.identifier)
    }

    func updateChangeConsumers(_ change: (inout ChangeConsumers) throws -> Void) throws {
        let store = try onlyStore()
        guard let coordinator = persistentStoreCoordinator else { return }
        var consumers = try changeConsumers()
        try change(&consumers)
        var metadata = coordinator.metadata(for: store)
        metadata[ChangeConsumers.key] = consumers.value
        coordinator.setMetadata(metadata, for: store)
        // Core Data writes metadata with the next save, also of a context without changes.
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { try context.save() }
    }
}

extension NSPersistentHistoryToken {
    fileprivate func archived() throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)
    }
}

extension ChangeToken {
    /// Returns the token in Core Data's form; nil for the beginning of the history, and for a token that was made on
    /// another platform. The whole history is read then.
    fileprivate func coreDataToken() throws -> NSPersistentHistoryToken? {
        guard let archive else { return nil }
        do {
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: archive)
        } catch {
            throw StoreError(
                .historyTokenExpired,
                "The token of the store \(store) cannot be read. Read the objects again, and continue with the current token.",
                cause: error)
        }
    }
}
#endif
