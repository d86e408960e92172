import SwormPredicates
import SwormStore

/// A transaction as the subject of a predicate.
struct TransactionSubject: EvaluationSubject {
    private static let names = [
        "author", "bundleID", "changes", "contextName", "processID", "storeID", "timestamp", "token",
        "transactionNumber",
    ]

    let stored: StoredTransaction
    let origin: ObjectOrigin

    init(_ stored: StoredTransaction, origin: ObjectOrigin) {
        self.stored = stored
        self.origin = origin
    }

    var reference: ObjectReference? { .history("Transaction", stored.number, of: origin) }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        func text(_ text: String?) -> EvaluationValue { text.map { .value(.string($0)) } ?? .null }
        switch key {
        case "author": return text(stored.author)
        case "bundleID": return text(stored.bundleID)
        case "changes": return .objects(stored.changes.map { ChangeSubject($0, of: stored, origin: origin) })
        case "contextName": return text(stored.contextName)
        case "processID": return text(stored.processID)
        case "storeID": return text(origin.storeIdentifier)
        case "timestamp": return .value(.date(stored.timestamp))
        // The tokens that it is compared with have been replaced by the numbers of their transactions.
        case "token", "transactionNumber": return .value(.int(stored.number))
        default: throw QueryError.unknownKey(key, of: "Transaction", names: Self.names)
        }
    }
}

/// A change as the subject of a predicate.
struct ChangeSubject: EvaluationSubject {
    private static let names = ["changeID", "changeType", "changedEntity", "changedObjectID", "transaction"]

    let stored: StoredChange
    let transaction: StoredTransaction
    let origin: ObjectOrigin

    init(_ stored: StoredChange, of transaction: StoredTransaction, origin: ObjectOrigin) {
        self.stored = stored
        self.transaction = transaction
        self.origin = origin
    }

    var reference: ObjectReference? { .history("Change", stored.number, of: origin) }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        switch key {
        case "changeID": return .value(.int(stored.number))
        case "changeType": return .value(.int(Int64(stored.type.rawValue)))
        case "changedEntity": return .value(.string(origin.compiled[stored.row.entity].name))
        case "changedObjectID": return .value(.object(origin.id(of: stored.row).reference))
        case "transaction": return .object(TransactionSubject(transaction, origin: origin))
        default: throw QueryError.unknownKey(key, of: "Change", names: Self.names)
        }
    }
}

extension ObjectReference {
    /// Returns the identity of a transaction or a change.
    fileprivate static func history(_ entity: String, _ number: Int64, of origin: ObjectOrigin) -> ObjectReference {
        ObjectReference(storeIdentifier: origin.storeIdentifier, entityName: entity, key: number)
    }
}

// MARK: Arguments of predicates

extension NSPersistentHistoryTransaction {
    /// The identity of the transaction in predicates.
    final var reference: ObjectReference { .history("Transaction", stored.number, of: origin) }
}

extension NSPersistentHistoryToken {
    private static let prefix = "historyToken:"

    /// The token in a predicate: a variable, because its value is another one in each store.
    var variable: ExpressionTree {
        let places = transactions.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return .variable(Self.prefix + places.joined(separator: ","))
    }

    /// Returns a predicate in which each token is replaced by the number of its last transaction in a store; by 0 if it
    /// does not contain the store, whose whole history comes after it.
    static func replaced(in tree: PredicateTree, forStore identifier: String) throws -> PredicateTree {
        let names = tree.freeVariables.filter { $0.hasPrefix(prefix) }
        guard !names.isEmpty else { return tree }
        let store = identifier.uppercased() + "="
        var values: [String: PredicateArgument] = [:]
        for name in names {
            let place = name.dropFirst(prefix.count).split(separator: ",").first { $0.hasPrefix(store) }
            values[name] = .value(.int(place.flatMap { Int64($0.dropFirst(store.count)) } ?? 0))
        }
        return try tree.substituting(values)
    }
}
