import SwormStore

extension NSPersistentStoreCoordinator {
    /// The place behind the last transactions of stores.
    ///
    /// - Parameter stores: Stores of this coordinator; nil for all of them. One that keeps no history is passed over.
    /// - Returns: A token; nil when none of the stores keeps a history, or one can't be read.
    public final func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let asked = stores.map { $0.compactMap { $0 as? NSPersistentStore } }
        var transactions: [String: Int64] = [:]
        for store in persistentStores where asked?.contains(where: { $0 === store }) ?? true {
            do {
                let session = try store.objectStore.beginSession()
                defer { session.end() }
                transactions[store.identifier] = try session.historyExtent()?.highest
            } catch {
                // A token that left a store out would have it read from the beginning.
                return nil
            }
        }
        return transactions.isEmpty ? nil : NSPersistentHistoryToken(transactions)
    }
}
