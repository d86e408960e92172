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
    private let predicate: PreparedPredicate?
    private let limit: Int

    /// Whether the filter has to read the changes.
    var needsChanges: Bool { subject == .change }

    /// Creates a filter from a fetch request.
    ///
    /// - Throws: An error if the entity is not a history entity, or if the request has options that a history does not
    ///   support.
    init(_ request: NSFetchRequest<NSManagedObject>?) throws {
        guard let request else {
            (subject, predicate, limit) = (nil, nil, 0)
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
        predicate = try request.predicate.map { try PreparedPredicate($0.tree()) }
        limit = max(0, request.fetchLimit)
    }

    /// Returns the transactions or changes that match the predicate. A transaction without a matching change is left
    /// out.
    func apply(to transactions: [StoredTransaction], origin: ObjectOrigin) throws -> [StoredTransaction] {
        guard let predicate else { return transactions }
        guard subject == .change else {
            return try transactions.filter { try predicate.matches(TransactionSubject($0, origin: origin)) }
        }
        return try transactions.compactMap { transaction in
            var chosen = transaction
            chosen.changes = try transaction.changes.filter { try predicate.matches(ChangeSubject($0, origin: origin)) }
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
                if needsChanges { transaction.changes = Array(transaction.changes.prefix(rest)) }
                rest -= needsChanges ? transaction.changes.count : 1
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

/// A transaction as the subject of a predicate.
private struct TransactionSubject: EvaluationSubject {
    let stored: StoredTransaction
    let origin: ObjectOrigin

    init(_ stored: StoredTransaction, origin: ObjectOrigin) {
        self.stored = stored
        self.origin = origin
    }

    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        func text(_ text: String?) -> EvaluationValue { text.map { .value(.string($0)) } ?? .null }
        switch key {
        case "author": return text(stored.author)
        case "bundleID": return text(stored.bundleID)
        case "contextName": return text(stored.contextName)
        case "processID": return text(stored.processID)
        case "storeID": return text(origin.storeIdentifier)
        case "timestamp": return .value(.date(stored.timestamp))
        case "transactionNumber": return .value(.int(stored.number))
        default:
            let names = [
                "author", "bundleID", "contextName", "processID", "storeID", "timestamp", "transactionNumber",
            ]
            throw QueryError.unknownKey(key, of: "Transaction", names: names)
        }
    }
}

/// A change as the subject of a predicate.
private struct ChangeSubject: EvaluationSubject {
    let stored: StoredChange
    let origin: ObjectOrigin

    init(_ stored: StoredChange, origin: ObjectOrigin) {
        self.stored = stored
        self.origin = origin
    }

    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        switch key {
        case "changeID": return .value(.int(stored.number))
        case "changeType": return .value(.int(Int64(stored.type.rawValue)))
        case "changedObjectID": return .value(.object(origin.id(of: stored.row).reference))
        default:
            throw QueryError.unknownKey(
                key, of: "Change", names: ["changeID", "changeType", "changedObjectID"])
        }
    }
}
