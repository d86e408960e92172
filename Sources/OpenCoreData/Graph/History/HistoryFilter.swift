import Foundation
import SwormPredicates
import SwormStore

/// A filter that selects parts of a history by the predicate of a fetch request.
struct HistoryFilter {
    private enum Subject: String {
        case transaction = "Transaction"
        case change = "Change"
    }

    private let subject: Subject?
    private let predicate: PredicateTree?
    private let limit: Int

    /// Whether the filter has to read the changes.
    let needsChanges: Bool

    /// Creates a filter from a fetch request.
    ///
    /// - Throws: An error if the entity is not a history entity, or if the request has options that a history does not
    ///   support.
    init(_ request: NSFetchRequest<any NSFetchRequestResult>?) throws {
        guard let request else {
            (subject, predicate, limit, needsChanges) = (nil, nil, 0, false)
            return
        }
        guard let name = request.entityName, let subject = Subject(rawValue: name) else {
            throw Self.unsupported(
                "of the entity '\(request.entityName ?? "")'. Use the fetchRequest of NSPersistentHistoryTransaction or NSPersistentHistoryChange"
            )
        }
        guard request.sortDescriptors?.isEmpty ?? true, request.fetchOffset == 0 else {
            throw Self.unsupported("with sort descriptors or an offset. History is sorted by transaction")
        }
        self.subject = subject
        predicate = try request.predicate?.tree()
        limit = max(0, request.fetchLimit)
        needsChanges = subject == .change || predicate?.keyPaths.contains { $0.first == "changes" } ?? false
    }

    /// Returns the transactions or changes that match the predicate. A transaction without a matching change is left
    /// out.
    func apply(to transactions: [StoredTransaction], origin: ObjectOrigin) throws -> [StoredTransaction] {
        guard let given = self.predicate else { return transactions }
        let tree = try NSPersistentHistoryToken.replaced(in: given, forStore: origin.storeIdentifier)
        let predicate = try PreparedPredicate(tree)
        guard subject == .change else {
            return try transactions.filter { try predicate.matches(TransactionSubject($0, origin: origin)) }
        }
        return try transactions.compactMap { transaction in
            var chosen = transaction
            chosen.changes = try transaction.changes.filter {
                try predicate.matches(ChangeSubject($0, of: transaction, origin: origin))
            }
            return chosen.changes.isEmpty ? nil : chosen
        }
    }

    /// Returns at most the number of transactions or changes that the request allows, across all stores.
    func limited(
        _ found: [(origin: ObjectOrigin, transactions: [StoredTransaction])]
    ) -> [(origin: ObjectOrigin, transactions: [StoredTransaction])] {
        guard limit > 0 else { return found }
        var rest = limit
        return found.map { part in
            var transactions: [StoredTransaction] = []
            for var transaction in part.transactions where rest > 0 {
                if subject == .change { transaction.changes = Array(transaction.changes.prefix(rest)) }
                rest -= subject == .change ? transaction.changes.count : 1
                transactions.append(transaction)
            }
            return (part.origin, transactions)
        }
    }

    private static func unsupported(_ what: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreUnsupportedRequestTypeError, "History cannot be fetched with a fetch request \(what).")
    }
}
