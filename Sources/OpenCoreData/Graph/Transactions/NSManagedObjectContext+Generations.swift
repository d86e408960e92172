import Foundation
import SwormStore

extension NSManagedObjectContext {
    /// Pins the context to one state of its stores. See ``setQueryGenerationFrom(_:)``.
    final func pin(to generation: NSQueryGenerationToken?) throws {
        if let generation, let views = generation.views {
            let stores = (coordinator?.persistentStores ?? []).map(\.objectStore)
            let shared = stores.compactMap { store in views[ObjectIdentifier(store)].map { (view: $0, store: store) } }
            guard !shared.isEmpty else {
                throw CoreDataError(
                    NSPersistentStoreOperationError,
                    "The generation cannot be set: it is that of other stores. Use the token of a context with the same coordinator, or NSQueryGenerationToken.current."
                )
            }
            try transactions.pin(to: generation, shared)
        } else {
            transactions.pin(generation != nil)
            if let generation, generation.isImmediate { try beginPinnedSessions() }
        }
        forgetReadAhead()
    }

    /// The token of the state that the context is pinned to; nil if it is not pinned.
    ///
    /// If the context has not read since it was pinned, it is pinned to the newest state now.
    public final var queryGenerationToken: NSQueryGenerationToken? {
        guard transactions.isPinned else { return nil }
        lock.lock()
        defer { lock.unlock() }
        let hasStores = coordinator?.persistentStores.isEmpty == false
        guard transactions.isEmpty, hasStores, (try? beginPinnedSessions()) != nil else { return .current }
        return transactions.shareGeneration()
    }
}
