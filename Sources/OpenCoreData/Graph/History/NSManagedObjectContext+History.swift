import Foundation
import SwormStore

extension NSManagedObjectContext {
    final func executeHistory(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        let stores = try historyStores(request)
        if request.isDeletion {
            guard request.fetchRequest == nil else {
                throw CoreDataError(
                    NSPersistentStoreUnsupportedRequestTypeError,
                    "History is deleted up to a transaction, and a fetchRequest cannot select from it. Omit the fetchRequest."
                )
            }
            try deleteHistory(request, in: stores)
            return NSPersistentHistoryResult(true, resultType: .statusOnly)
        }
        let filter = try HistoryFilter(request.fetchRequest)
        if case .token(let token?) = request.place { try checkNames(in: token, against: stores) }
        let includesChanges = request.resultType != .transactionsOnly || filter.needsChanges
        var keepsHistory = stores.isEmpty
        var found: [(origin: ObjectOrigin, transactions: [StoredTransaction])] = []
        for store in stores {
            guard let origin = store.origin else { continue }
            let transactions = try withSession(of: origin) { session -> [StoredTransaction]? in
                guard let extent = try session.historyExtent() else { return nil }
                let bound = try bound(request.place, in: store, extent: extent)
                return try session.history(after: bound, includingChanges: includesChanges, limit: request.limit)
            }
            guard let transactions else { continue }
            keepsHistory = true
            found.append((origin, try filter.apply(to: transactions, origin: origin)))
        }
        guard keepsHistory else { throw noHistory(stores) }
        return answer(as: request.resultType, from: filter.limited(found))
    }

    private func deleteHistory(_ request: NSPersistentHistoryChangeRequest, in stores: [NSPersistentStore]) throws {
        var keepsHistory = stores.isEmpty
        var bounds: [(store: NSPersistentStore, bound: HistoryBound)] = []
        for store in stores {
            // A new session, not the context's own snapshot: a pinned snapshot can be older than the token.
            let session = try store.objectStore.beginSession()
            defer { session.end() }
            guard let extent = try session.historyExtent() else { continue }
            keepsHistory = true
            switch request.place {
            case .date(let date): bounds.append((store, .date(date)))
            case .token(let token):
                guard let number = token?.transaction(inStore: store.identifier) else { continue }
                // Such a token would delete the whole history, including transactions that no consumer has read yet.
                guard number <= extent.highest else {
                    throw expired(number, in: store, cannot: "be deleted before", because: laterThan(extent))
                }
                bounds.append((store, .transaction(number)))
            }
        }
        guard keepsHistory else { throw noHistory(stores) }
        if case .token(let token?) = request.place { try checkNames(in: token, against: stores) }
        // Rejects mirrored and read-only stores before anything is deleted in one of the stores.
        for (store, _) in bounds {
            if let reason = store.objectStore.historyDeletionRefusal {
                throw CoreDataError(NSPersistentStoreOperationError, "Cannot delete history: \(reason).")
            }
            guard let reason = store.objectStore.readOnlyReason else { continue }
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "Cannot delete history: \(reason). To delete it from other stores, name them in the affectedStores of the request.",
                condition: .readOnly)
        }
        for (store, bound) in bounds { _ = try store.objectStore.deleteHistory(before: bound) }
    }

    private func answer(
        as type: NSPersistentHistoryResultType, from found: [(origin: ObjectOrigin, transactions: [StoredTransaction])]
    ) -> NSPersistentHistoryResult {
        func all<T>(_ make: (StoredTransaction, ObjectOrigin) -> [T]) -> [T] {
            found.flatMap { part in part.transactions.flatMap { make($0, part.origin) } }
        }
        let result: Any =
            switch type {
            case .statusOnly: true
            case .count: found.reduce(0) { $0 + $1.transactions.reduce(0) { $0 + $1.changes.count } }
            case .objectIDs: distinct(all { stored, origin in stored.changes.map { origin.id(of: $0.row) } })
            case .changesOnly:
                all { stored, origin in
                    stored.changes.map { NSPersistentHistoryChange($0, of: stored, origin: origin) }
                }
            case .transactionsOnly, .transactionsAndChanges:
                all {
                    [
                        NSPersistentHistoryTransaction(
                            $0, origin: $1, includesChanges: type == .transactionsAndChanges)
                    ]
                }
            }
        return NSPersistentHistoryResult(result, resultType: type)
    }

    private func distinct(_ ids: [NSManagedObjectID]) -> [NSManagedObjectID] {
        var seen = Set<NSManagedObjectID>()
        return ids.filter { seen.insert($0).inserted }
    }

    // MARK: Stores

    private func historyStores(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentStore] {
        let stores = try requireCoordinator().persistentStores
        guard !stores.isEmpty else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "The coordinator has no persistent store. Add one, or load the container's stores.")
        }
        guard let affected = request.affectedStores else { return stores }
        return stores.filter { store in affected.contains { $0 === store } }
    }

    private func noHistory(_ stores: [NSPersistentStore]) -> CoreDataError {
        let places = stores.map { $0.url?.path ?? "in memory" }.joined(separator: ", ")
        return CoreDataError(
            NSPersistentStoreUnsupportedRequestTypeError,
            "There is no history to read or delete: no store has one (\(places)). Add the store with the option NSPersistentHistoryTrackingKey."
        )
    }
}
