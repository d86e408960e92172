#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormStore

extension NSManagedObjectContext {
    /// Whether rows of sub-entities are found by their key and the super-entity.
    var readsRowsByKey: Bool { true }

    /// Returns the rows that a request finds, with their identities and versions; nil if they must be read through
    /// objects.
    func liveRows<T>(_ request: RequestContent, with binding: EntityBinding<T>) throws -> LiveRows<T>? {
        guard let rows = binding.liveRows, let sources = try liveSources(of: binding.entity) else { return nil }
        let specification = try request.specification(of: binding.entity)
        do {
            guard let records = try decode(specification, attributes: rows.columns, plan: rows.plan) else { return nil }
            return LiveRows(records, stamps: LiveRecord<T>.stamps(records), sources: sources)
        } catch {
            throw binding.named(error)
        }
    }

    /// Returns the store and the entities of the rows of an entity; nil if they are in several stores.
    func liveSources(of entity: ModelEntity) throws -> LiveSources? {
        guard let store = try storeIdentifier(ofEntity: entity.number), let model = compiledModel else { return nil }
        let sources = entity.family.map { number in
            (Int64(number), LiveSources.Source(store: store, entity: model[number].name))
        }
        return LiveSources(Dictionary(uniqueKeysWithValues: sources))
    }

    /// Returns the identities and versions of the rows that a request finds; nil if they must be read through objects.
    func liveStamps(_ request: RequestContent, of entity: ModelEntity) throws -> [LiveStamp]? {
        guard let key = MemoryLayout<LiveStamp>.offset(of: \.identity.key),
            let source = MemoryLayout<LiveStamp>.offset(of: \.identity.source),
            let version = MemoryLayout<LiveStamp>.offset(of: \.version)
        else { return nil }
        let plan = RowPlan(
            ops: [
                RowOp(column: 0, kind: .int64, offset: key), RowOp(column: 1, kind: .int64, offset: version),
                RowOp(column: 2, kind: .int64, offset: source),
            ], template: LiveStamp(identity: LiveIdentity(), version: 0))
        return try decode(
            request.specification(of: entity), attributes: [PseudoSlot.version, PseudoSlot.entity], plan: plan)
    }

    /// Returns those of some objects whose rows exist in the store.
    func withRows(_ objects: [NSManagedObject]) throws -> Set<NSManagedObject> {
        var found: Set<NSManagedObject> = []
        for (root, group) in Dictionary(grouping: objects, by: \.entity.root) {
            let keys = group.map(\.objectID.reference.key)
            if let entity = compiledModel?.entities.first(where: { $0.name == root.stableName }),
                let stamps = try liveStamps(request(forKeys: keys, of: entity.name), of: entity)
            {
                let present = Set(stamps.map(\.identity.key))
                found.formUnion(zip(group, keys).filter { present.contains($1) }.map(\.0))
            } else {
                for object in group where try hasRow(of: object) { found.insert(object) }
            }
        }
        return found
    }

    /// The identifiers of the stores.
    var storeIdentifiers: [String] { (persistentStoreCoordinator?.persistentStores ?? []).map(\.identifier) }

    /// Whether a commit of this process may have become visible that was not announced yet.
    var isCommitting: Bool { stores.contains(where: \.isCommitting) }

    /// Whether a commit of another process has become visible that was not announced yet.
    var hasForeignCommits: Bool { stores.contains(where: \.hasForeignCommits) }

    private var stores: [NSPersistentStore] { persistentStoreCoordinator?.persistentStores ?? [] }

    /// Calls a closure after each commit to the stores of the context, also by other processes.
    ///
    /// - Parameter question: Asked before, with the names of the changed entities if they are known; a commit for which
    ///   the answer is no is not announced.
    func listenToCommits(
        concerning question: (@Sendable ([String]) -> Bool)? = nil,
        _ listener: @escaping @Sendable (CommittedChanges) -> Void
    ) -> CommitListening {
        let stores = stores
        return CommitListening(
            stores.map { $0.listen(concerning: question, listener) },
            noticing: stores.map { store in { [weak store] in store?.noticeCommits() ?? true } }
        )
    }
}
#endif
