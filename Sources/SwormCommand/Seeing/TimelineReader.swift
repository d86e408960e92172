import Foundation
import SwormStore

/// A reader of the transactions of a history that a user asks for.
struct TimelineReader {
    /// The number of transactions that are in memory at once.
    private static let part = 200

    let store: StoreReader
    let filter: TimelineFilter

    /// Calls a closure with each transaction, and with only those of its changes that are asked for. Transactions without
    /// such changes are left out.
    ///
    /// - Throws: ``ToolError`` if the store keeps no history, and the errors of the closure.
    func forEach(_ body: (StoredTransaction) throws -> Void) throws {
        var bound: HistoryBound?
        while true {
            let part = try store.session.history(after: bound, includingChanges: true, limit: Self.part)
            guard let part else {
                throw ToolError(
                    .noHistory, "the store '\(store.name)' keeps no history",
                    hint:
                        "an app enables it with the option NSPersistentHistoryTrackingKey, or Sworm with tracksHistory")
            }
            for var transaction in part where filter.contains(transaction) {
                if filter.selectsChanges {
                    transaction.changes.removeAll { !filter.contains($0) }
                    if transaction.changes.isEmpty { continue }
                }
                try body(transaction)
            }
            guard let last = part.last else { return }
            bound = .transaction(last.number)
        }
    }
}
