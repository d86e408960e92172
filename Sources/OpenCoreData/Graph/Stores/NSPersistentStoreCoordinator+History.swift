import SwormStore

extension NSPersistentStoreCoordinator {
    /// Returns a token for the position after the last transaction of each store.
    ///
    /// - Parameter stores: Stores of this coordinator; nil for all of them. Stores without a history are ignored.
    /// - Returns: A token; nil if no store keeps a history, or if a store can't be read.
    public final func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let asked = stores.map { $0.compactMap { $0 as? NSPersistentStore } }
        var transactions: [String: Int64] = [:]
        for store in persistentStores where asked?.contains(where: { $0 === store }) ?? true {
            do {
                let session = try store.objectStore.beginSession()
                defer { session.end() }
                transactions[store.identifier] = try session.historyExtent()?.highest
            } catch {
                // If the token omitted this store, its history would be read from the beginning.
                return nil
            }
        }
        return transactions.isEmpty ? nil : NSPersistentHistoryToken(transactions)
    }
}
