import Foundation
import SwormPredicates
import SwormStore

/// The objects of a store as they were read last, and their comparison with a newer state.
final class StoreWatch {
    /// The number of transactions that are read from the history at once.
    private static let batch = 500

    private let store: StoreReader
    private let entities: [CompiledEntity]
    private let predicate: PredicateTree?
    private let blobs: BlobStyle
    private let commitCount: CommitCount?
    /// The properties of each object as JSON, in the order of the entity's properties.
    private var objects: [ObjectName: [(name: String, value: String)]] = [:]
    /// The objects that match the condition.
    private var matching: Set<ObjectName> = []
    /// The number of the last transaction that was read; nil in a store without a history.
    private(set) var lastTransaction: Int64?
    /// The number of commits when the objects were read last.
    private var lastCount: UInt32?

    var count: Int { objects.count }

    init(
        _ store: StoreReader, entities: [CompiledEntity], predicate: PredicateTree?, blobs: BlobStyle
    ) throws {
        self.store = store
        self.entities = entities
        self.predicate = predicate
        self.blobs = blobs
        commitCount = try (store.store as? SQLiteStore)?.commitCount()
        let (session, count) = try beginSession()
        defer { session.end() }
        lastCount = count
        lastTransaction = try session.historyExtent()?.highest
        for entity in entities {
            objects.merge(try read(entity, in: session)) { $1 }
            matching.formUnion(try matches(entity, among: nil, in: session))
        }
    }

    /// Returns the changes since the last call, each transaction once.
    ///
    /// - Parameter warn: Receives a message if transactions are missing in the history.
    func changes(warn: (String) -> Void) throws -> [WatchedChange] {
        let (session, count) = try beginSession()
        defer { session.end() }
        guard let last = lastTransaction, let extent = try session.historyExtent() else {
            return try difference(session, count: count)
        }
        if extent.lowest ?? extent.highest + 1 > last + 1 {
            warn("transactions were deleted from the history before they were read; their changes are shown together")
            let changes = try difference(session, count: nil)
            lastTransaction = extent.highest
            return changes
        }
        var changes: [WatchedChange] = []
        while let number = lastTransaction,
            let transactions = try session.history(
                after: .transaction(number), includingChanges: true, limit: Self.batch), let newest = transactions.last
        {
            changes += try self.changes(of: transactions, session)
            lastTransaction = newest.number
        }
        lastCount = count
        return changes
    }

    /// Begins a view of the newest state, and returns the number of commits in it, if it is known.
    private func beginSession() throws -> (any StoreSession, UInt32?) {
        guard let commitCount else { return (try store.store.beginSession(nil), nil) }
        // If the number is the same before and after, it is that of the view.
        for _ in 0..<10 {
            let before = commitCount.value
            let session = try store.store.beginSession(nil)
            if let before, commitCount.value == before { return (session, before) }
            session.end()
        }
        return (try store.store.beginSession(nil), nil)
    }

    // MARK: Transactions

    private struct Key: Hashable {
        var name: ObjectName
        var property: String
    }

    private func changes(
        of transactions: [StoredTransaction], _ session: any StoreSession
    ) throws -> [WatchedChange] {
        var rows: [Int: Set<Int64>] = [:]
        /// The last transaction that has changed a property.
        var last: [Key: Int64] = [:]
        let watched = Set(entities.map(\.number))
        for transaction in transactions {
            for change in transaction.changes where watched.contains(change.row.entity) {
                rows[change.row.entity, default: []].insert(change.row.key)
                let name = name(of: change)
                for property in change.properties ?? [] {
                    last[Key(name: name, property: property)] = transaction.number
                }
            }
        }
        var new: [ObjectName: [(name: String, value: String)]] = [:]
        var nowMatching: Set<ObjectName> = []
        for entity in entities {
            guard let keys = rows[entity.number] else { continue }
            new.merge(try read(entity, in: session, keys: keys)) { $1 }
            nowMatching.formUnion(try matches(entity, among: keys, in: session))
        }
        var changes: [WatchedChange] = []
        for transaction in transactions {
            let source = WatchedChange.Source(
                transaction: transaction.number, seconds: transaction.timestamp.timeIntervalSinceReferenceDate,
                author: transaction.author)
            for change in transaction.changes where watched.contains(change.row.entity) {
                let name = name(of: change)
                guard predicate == nil || matching.contains(name) || nowMatching.contains(name) else { continue }
                let kind: WatchedChange.Kind =
                    switch change.type {
                    case .insert: .inserted
                    case .delete: .deleted
                    default: .updated
                    }
                let properties = properties(
                    kind, named: change.properties, old: objects[name], new: new[name],
                    isLast: { property in (last[Key(name: name, property: property)] ?? 0) <= transaction.number })
                changes.append(WatchedChange(source: source, name: name, kind: kind, properties: properties))
                if kind == .deleted { objects[name] = nil }
            }
        }
        for (entity, keys) in rows {
            for key in keys {
                let name = ObjectName(entity: store.model[entity].name, key: key)
                objects[name] = new[name]
                if nowMatching.contains(name) { matching.insert(name) } else { matching.remove(name) }
            }
        }
        return changes
    }

    private func name(of change: StoredChange) -> ObjectName {
        ObjectName(entity: store.model[change.row.entity].name, key: change.row.key)
    }

    private func properties(
        _ kind: WatchedChange.Kind, named names: [String]?, old: [(name: String, value: String)]?,
        new: [(name: String, value: String)]?, isLast: (String) -> Bool
    ) -> [WatchedChange.Property] {
        switch kind {
        case .deleted: return (old ?? []).map { .init(name: $0.name, old: $0.value) }
        case .inserted:
            return (new ?? []).map { property in
                isLast(property.name)
                    ? .init(name: property.name, new: property.value) : .init(name: property.name, isReplaced: true)
            }
        case .updated:
            let oldValues = Self.values(old)
            let newValues = Self.values(new)
            let all = (new ?? old ?? []).map(\.name)
            return all.compactMap { name in
                if let names {
                    guard names.contains(where: { $0 == name || name.hasPrefix($0 + ".") }) else { return nil }
                } else if oldValues[name] == newValues[name] {
                    return nil
                }
                let isKnown = isLast(name) && newValues[name] != nil
                return .init(
                    name: name, old: oldValues[name], new: isKnown ? newValues[name] : nil, isReplaced: !isKnown)
            }
        }
    }

    private static func values(_ properties: [(name: String, value: String)]?) -> [String: String] {
        Dictionary((properties ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Comparison

    /// Compares all objects with those that were read last.
    private func difference(_ session: any StoreSession, count: UInt32?) throws -> [WatchedChange] {
        var commits: Int?
        if let count, let lastCount { commits = CommitCount.commits(from: lastCount, to: count) }
        lastCount = count
        if commits == 0 { return [] }
        let source = WatchedChange.Source(seconds: Date().timeIntervalSinceReferenceDate, commits: commits)
        var changes: [WatchedChange] = []
        for entity in entities {
            let present = try read(entity, in: session)
            let nowMatching = try matches(entity, among: nil, in: session)
            let names = Set(present.keys).union(objects.keys.filter { $0.entity == entity.name })
            for name in names.sorted(by: { $0.key < $1.key }) {
                let (old, new) = (objects[name], present[name])
                objects[name] = new
                let isWanted = predicate == nil || matching.contains(name) || nowMatching.contains(name)
                let kind: WatchedChange.Kind = old == nil ? .inserted : new == nil ? .deleted : .updated
                let properties = properties(kind, named: nil, old: old, new: new, isLast: { _ in true })
                if kind == .updated, properties.isEmpty { continue }
                if isWanted {
                    changes.append(WatchedChange(source: source, name: name, kind: kind, properties: properties))
                }
            }
            matching = matching.filter { $0.entity != entity.name }.union(nowMatching)
        }
        return changes
    }

    // MARK: Reading

    private func read(
        _ entity: CompiledEntity, in session: any StoreSession, keys: Set<Int64>? = nil
    ) throws -> [ObjectName: [(name: String, value: String)]] {
        var objects: [ObjectName: [(name: String, value: String)]] = [:]
        let stream = try ObjectStream(
            from: store, of: entity, blobs: blobs, in: session, matching: keys.map { self.keys($0, of: entity) })
        while let record = try stream.record() {
            objects[record.name] = record.properties.map { ($0.name, $0.value.json) }
        }
        return objects
    }

    /// Returns the objects that match the condition.
    private func matches(
        _ entity: CompiledEntity, among keys: Set<Int64>?, in session: any StoreSession
    ) throws -> Set<ObjectName> {
        guard let predicate else { return [] }
        var fetch = FetchSpecification(entity: entity.number)
        fetch.includesSubentities = false
        fetch.predicate = keys.map { .and([self.keys($0, of: entity), predicate]) } ?? predicate
        return Set(try session.identities(fetch).map { ObjectName(entity: entity.name, key: $0.key) })
    }

    private func keys(_ keys: Set<Int64>, of entity: CompiledEntity) -> PredicateTree {
        let references = keys.sorted().map {
            ObjectReference(storeIdentifier: store.store.identifier, entityName: entity.name, key: $0)
        }
        return .comparison(
            Comparison(.evaluatedObject, by: .in, with: .list(references.map { .value(.object($0)) })))
    }
}

extension ObjectRecord.Value {
    /// The value as JSON.
    fileprivate var json: String {
        switch self {
        case .attribute(let text): text
        case .toOne(let name): name.map { "\"\($0)\"" } ?? "null"
        case .toMany(let names, let isOrdered):
            "["
                + (isOrdered ? names : names.sorted { $0.description < $1.description }).map { "\"\($0)\"" }
                .joined(separator: ",") + "]"
        }
    }
}
