#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormStore

extension NSManagedObjectContext {
    /// Whether every change of a row gives it another version, which can be read.
    var hasVersions: Bool { true }

    /// Returns the rows that a request finds, with their identities and versions; nil if they must be read through
    /// objects.
    func liveRows<T>(_ request: RequestContent, with binding: EntityBinding<T>) throws -> LiveRows<T>? {
        guard let plan = binding.livePlan, let store = persistentStoreCoordinator?.persistentStores.first,
            let model = compiledModel
        else { return nil }
        let specification = try request.specification(of: binding.entity)
        var rows = LiveRows<T>()
        do {
            guard
                let records = try decode(
                    specification, attributes: [PseudoSlot.version, PseudoSlot.entity] + binding.attributes, plan: plan)
            else { return nil }
            rows.records = records
        } catch {
            throw binding.named(error)
        }
        rows.sources = LiveSources(
            Dictionary(
                uniqueKeysWithValues: binding.entity.family.map { number in
                    (Int64(number), LiveSources.Source(store: store.identifier, entity: model[number].name))
                }))
        return rows
    }

    /// The identifiers of the stores.
    var storeIdentifiers: [String] { (persistentStoreCoordinator?.persistentStores ?? []).map(\.identifier) }

    /// Calls a closure after each commit to the stores of the context by this process, on the thread that has committed.
    func listenToCommits(_ listener: @escaping @Sendable (CommittedChanges) -> Void) -> CommitListening {
        CommitListening(
            (persistentStoreCoordinator?.persistentStores ?? []).map { store in
                let listeners = store.commitListeners
                let number = listeners.add(listener)
                return { listeners.remove(number) }
            })
    }
}
#endif
