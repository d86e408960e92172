import Foundation
import SwormStore

// The positions of history requests, which may have expired.
extension NSManagedObjectContext {
    /// Returns the position in one store, after checking that no transaction after it is missing.
    final func bound(
        _ place: NSPersistentHistoryChangeRequest.Place, in store: NSPersistentStore, extent: HistoryExtent
    ) throws -> HistoryBound? {
        switch place {
        case .date(let date): return .date(date)
        case .token(let token):
            guard let number = token?.transaction(inStore: store.identifier) else { return nil }
            // The transaction of the token itself may be deleted already, but not the one after it.
            let deleted = extent.lowest.map { max($0, 1) - 1 } ?? extent.highest
            guard number <= extent.highest, number >= deleted else {
                throw expired(
                    number, in: store, cannot: "be read after",
                    because: number > extent.highest
                        ? laterThan(extent)
                        : number + 1 == deleted
                            ? "the transaction \(deleted) was deleted"
                            : "the transactions from \(number + 1) to \(deleted) were deleted")
            }
            return .transaction(number)
        }
    }

    final func laterThan(_ extent: HistoryExtent) -> String {
        "the last transaction of the store has the number \(extent.highest). The store was replaced by an older one"
    }

    final func expired(_ number: Int64, in store: NSPersistentStore, cannot what: String, because why: String)
        -> CoreDataError
    {
        CoreDataError(
            NSPersistentHistoryTokenExpiredError,
            "The history of the store \(store.identifier) cannot \(what) the transaction \(number): \(why). Fetch the objects again, and continue with the current token."
        )
    }

    /// Throws an error if a token belongs to other stores.
    final func checkNames(in token: NSPersistentHistoryToken, against stores: [NSPersistentStore]) throws {
        guard !stores.isEmpty, !stores.contains(where: { token.transaction(inStore: $0.identifier) != nil }) else {
            return
        }
        throw CoreDataError(
            NSPersistentHistoryTokenExpiredError,
            "The history token belongs to other stores (\(token.transactions.keys.sorted().joined(separator: ", "))) than the request. Use the current token of the coordinator."
        )
    }
}
