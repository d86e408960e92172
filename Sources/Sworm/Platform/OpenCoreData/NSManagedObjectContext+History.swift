#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

// The history of the context's store.
extension NSManagedObjectContext {
    /// Returns the position after the newest transaction; nil in a store without a history.
    func changePosition() throws -> ChangeToken? {
        let store = try onlyStore()
        let session = try store.objectStore.beginSession()
        defer { session.end() }
        return try session.historyExtent().map { ChangeToken(store: store.identifier, number: $0.highest) }
    }

    /// Returns the transactions after a position.
    ///
    /// - Parameter limit: The largest number of transactions.
    func storeChanges(after token: ChangeToken, limit: Int) throws -> [StoreChanges] {
        let store = try onlyStore()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(
            after: NSPersistentHistoryToken([token.store: token.number]))
        request.limit = limit
        return try storeChanges(request) { transaction in
            let origin: StoreChanges.Origin =
                switch store.objectStore.origin(ofTransaction: transaction.transactionNumber) {
                case .thisStore: .thisContainer
                case .thisProcess: .thisProcess
                case .elsewhere: .elsewhere
                }
            return (ChangeToken(store: store.identifier, number: transaction.transactionNumber), origin)
        }
    }

    /// Returns changes that were announced, in a store without a history.
    func storeChanges(_ announced: CommittedChanges) -> StoreChanges {
        var changes = announcedChanges(announced)
        changes.origin = announced.isForeign ? .elsewhere : .thisProcess
        return changes
    }

    func deleteChanges(before token: ChangeToken) throws {
        _ = try execute(
            NSPersistentHistoryChangeRequest.deleteHistory(
                before: NSPersistentHistoryToken([token.store: token.number])))
    }

    func changeConsumers() throws -> ChangeConsumers {
        let store = try onlyStore()
        let session = try store.objectStore.beginSession()
        defer { session.end() }
        return ChangeConsumers(try session.metadataValue(forKey: ChangeConsumers.key), store: store.identifier)
    }

    func updateChangeConsumers(_ change: (inout ChangeConsumers) throws -> Void) throws {
        let store = try onlyStore()
        try store.objectStore.updateMetadata(forKey: ChangeConsumers.key) { value in
            var consumers = ChangeConsumers(value, store: store.identifier)
            try change(&consumers)
            return consumers.value
        }
    }
}
#endif
