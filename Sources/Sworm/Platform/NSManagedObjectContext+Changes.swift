import Foundation
import SwormPredicates
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

// The history of the context's store, for both platforms.
extension NSManagedObjectContext {
    /// Returns the only store of the context.
    func onlyStore() throws -> NSPersistentStore {
        let stores = persistentStoreCoordinator?.persistentStores ?? []
        guard let store = stores.first, stores.count == 1 else {
            throw StoreError(
                .unsupported,
                stores.isEmpty
                    ? "The container has no store whose changes could be read."
                    : "A feed of changes needs a container with one store; this one has \(stores.count). Make a container for each store."
            )
        }
        return store
    }

    /// Returns the transactions that a request finds.
    ///
    /// - Parameter position: Returns the position after a transaction, and its origin.
    func storeChanges(
        _ request: NSPersistentHistoryChangeRequest,
        at position: (NSPersistentHistoryTransaction) throws -> (ChangeToken, StoreChanges.Origin)
    ) throws -> [StoreChanges] {
        request.resultType = .transactionsAndChanges
        let result = try execute(request) as? NSPersistentHistoryResult
        let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
        let lineages = self.lineages
        return try transactions.map { transaction in
            var changes = StoreChanges()
            let (token, origin) = try position(transaction)
            (changes.token, changes.origin, changes.lineages) = (token, origin, lineages)
            (changes.date, changes.author) = (transaction.timestamp, transaction.author)
            changes.contextName = transaction.contextName
            changes.records = (transaction.changes ?? []).map(StoreChanges.Record.init)
            return changes
        }
    }

    /// Returns changes that were announced, in a store without a history.
    func announcedChanges(_ announced: CommittedChanges) -> StoreChanges {
        var changes = StoreChanges()
        changes.isIncomplete = announced.isUnknown || !announced.unknownRows.isEmpty || announced.transactions > 1
        changes.author = announced.author
        changes.lineages = lineages
        let store = persistentStoreCoordinator?.persistentStores.first?.identifier
        for (root, rows) in announced.rows.sorted(by: { $0.key < $1.key }) {
            let family = changes.lineages.filter { $0.value.contains(root) }.map(\.key)
            let properties = family.reduce(into: Set<String>()) { $0.formUnion(announced.properties[$1] ?? []) }
            for (keys, kind) in [
                (rows.inserted, ChangeKind.inserted), (rows.updated, .updated), (rows.deleted, .deleted),
            ] {
                changes.records += keys.sorted().map { key in
                    StoreChanges.Record(
                        object: ObjectReference(storeIdentifier: store, entityName: root, key: key), kind: kind,
                        properties: properties, isOfAnyEntity: family.count > 1)
                }
            }
        }
        return changes
    }

    /// The names of each entity and its super-entities, by the name of the entity.
    private var lineages: [String: Set<String>] {
        var lineages: [String: Set<String>] = [:]
        for entity in persistentStoreCoordinator?.managedObjectModel.entities ?? [] {
            var names: Set<String> = []
            var next: NSEntityDescription? = entity
            while let current = next {
                names.insert(current.stableName)
                next = current.superentity
            }
            lineages[entity.stableName] = names
        }
        return lineages
    }

    /// Returns the position of a consumer, which is added at the current position if it is new.
    func position(ofConsumer name: String) throws -> ChangeToken {
        if let known = try changeConsumers().positions[name] { return known }
        var found: ChangeToken?
        try updateChangeConsumers { consumers in
            // Determined under the write lock, so that no transaction after it can be purged before it is written.
            found = try changePosition().map { consumers.position(of: name, orNew: $0) }
        }
        guard let found else { throw StoreError.historyNeeded }
        return found
    }
}

extension StoreChanges.Record {
    fileprivate init(_ change: NSPersistentHistoryChange) {
        object = change.changedObjectID.reference
        kind =
            switch change.changeType {
            case .insert: .inserted
            case .delete: .deleted
            default: .updated
            }
        properties = change.updatedProperties.map { Set($0.map(\.name)) }
        for (name, value) in change.tombstone ?? [:] {
            if let name = name as? String, let value = AttributeValue(any: value) { tombstone[name] = value }
        }
    }
}

extension ChangeToken {
    /// Throws an error if the transactions after the token are not those that it was made for.
    ///
    /// - Parameter current: The current position of the store.
    func check(against current: ChangeToken) throws {
        guard store.uppercased() == current.store.uppercased() else {
            throw StoreError(
                .historyTokenExpired,
                "The token belongs to the store \(store), and not to the store \(current.store). Read the objects again, and continue with the current token."
            )
        }
        guard number <= current.number else {
            throw StoreError(
                .historyTokenExpired,
                "The token is behind the transaction \(number), but the last transaction of the store has the number \(current.number): the store was replaced by an older one. Read the objects again, and continue with the current token."
            )
        }
    }
}

extension StoreError {
    static var historyNeeded: StoreError {
        StoreError(
            .historyNeeded,
            "The store has no history, so earlier transactions are not known. Open it with `history: true`, or follow `changes()` from now on."
        )
    }
}
