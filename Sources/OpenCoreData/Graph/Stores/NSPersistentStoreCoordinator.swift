public import Foundation
import SwormStore

/// A coordinator that connects contexts with stores, by a model.
///
/// A coordinator may be used from any thread.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    // Mutable state is guarded by `lock`. Hence the unchecked conformance.

    /// The model. It must no longer be changed.
    public let managedObjectModel: NSManagedObjectModel
    /// A name for messages and logs.
    open var name: String?
    let compiledModel: CompiledModel
    /// The error of an invalid model, which is thrown when a store is opened.
    let modelError: (any Error)?
    /// The origin of objects that were never saved.
    let temporaryOrigin: ObjectOrigin
    /// The classes that the model names.
    let classes = ModelClasses()
    private let lock = NSRecursiveLock()
    /// The queue of the blocks that are performed asynchronously.
    let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")
    private var stores: [NSPersistentStore] = []
    /// The cached origins by entity number. Cleared whenever a store is added or removed.
    private var knownOrigins: [[ObjectOrigin]] = []
    private var contexts: [ObjectIdentifier: WeakContext] = [:]

    private struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    /// Creates a coordinator without stores.
    ///
    /// - Parameter model: The model. If it is invalid, adding a store throws its error.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        do {
            compiledModel = try model.compiled()
            modelError = nil
        } catch {
            compiledModel = CompiledModel(entities: [])
            modelError = error
        }
        temporaryOrigin = ObjectOrigin(storeIdentifier: "", compiled: compiledModel, model: model, store: nil)
        super.init()
        ModelsInUse.note(temporaryOrigin) { [weak temporaryOrigin] type in
            (type as? NSManagedObject.Type).flatMap { temporaryOrigin?.description(ofClass: $0) }
        }
    }

    deinit {
        for store in stores { store.leave() }
    }

    /// The open stores.
    open var persistentStores: [NSPersistentStore] {
        lock.lock()
        defer { lock.unlock() }
        return stores
    }

    /// Runs a block with exclusive access to the coordinator.
    ///
    /// - Parameter block: The block to run.
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try block()
    }

    // MARK: Stores

    /// Adds a store. Throws an error if a store with its identifier is open, because their objects would have the same
    /// ids.
    final func enter(_ store: NSPersistentStore) throws {
        lock.lock()
        defer { lock.unlock() }
        if let other = stores.first(where: { $0.hasIdentifier(store.identifier) }) { throw store.isTwin(of: other) }
        stores.append(store)
        knownOrigins = []
    }

    /// Closes a store after the running reads and writes have ended. Its objects can no longer be read.
    ///
    /// - Parameter store: A store of this coordinator.
    /// - Throws: An error if the store does not belong to this coordinator, or if it is still in use after its timeout,
    ///   or by the calling thread. In the latter cases, no new work can start in the store.
    open func remove(_ store: NSPersistentStore) throws {
        try throwingCocoaErrors { try removeStore(store) }
    }

    private func removeStore(_ store: NSPersistentStore) throws {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CoreDataError(
                NSPersistentStoreOperationError, "Cannot remove a store that does not belong to this coordinator.")
        }
        try remove(store, until: .now + .seconds(store.objectStore.timeout))
    }

    /// Closes a store and removes it.
    ///
    /// - Parameter end: The time at which to give up; nil to wait without a limit.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` or `wouldDeadlock`. No new work can start then.
    package final func remove(_ store: NSPersistentStore, until end: ContinuousClock.Instant?) throws {
        // The store is closed without the lock, and before it is removed, because the running work needs both.
        post(.NSPersistentStoreCoordinatorWillRemoveStore, [NSRemovedPersistentStoresKey: [store]])
        post(.NSPersistentStoreCoordinatorStoresWillChange, [NSRemovedPersistentStoresKey: [store]])
        try store.objectStore.close(until: end)
        lock.lock()
        stores.removeAll { $0 === store }
        knownOrigins = []
        lock.unlock()
        store.leave()
        post(.NSPersistentStoreCoordinatorStoresDidChange, [NSRemovedPersistentStoresKey: [store]])
        guard let origin = store.origin else { return }
        for context in knownContexts {
            context.operations.enqueue { [weak context] in context?.announceRemoval(of: origin) }
        }
    }

    /// Makes another store take over the objects of a store, which the caller closes.
    final func exchange(_ store: NSPersistentStore, for new: NSPersistentStore) {
        lock.lock()
        defer { lock.unlock() }
        if let index = stores.firstIndex(where: { $0 === store }) { stores[index] = new }
        knownOrigins = []
        new.origin?.move(to: new)
    }

    /// Makes a store use another underlying store.
    ///
    /// - Returns: False, with nothing changed, if a store with the other one's identifier is open.
    final func move(_ store: NSPersistentStore, to objectStore: any ObjectStore, at url: URL) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if stores.contains(where: { $0 !== store && $0.hasIdentifier(objectStore.identifier) }) { return false }
        store.move(to: objectStore, at: url)
        return true
    }

    /// Returns the open store at a URL; nil if no store is open at it.
    ///
    /// - Parameter URL: The URL of a store's file, or of a store on a server.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.isSameStore(as: URL) ?? false }
    }

    /// Returns the URL of a store.
    ///
    /// - Parameter store: A store of this coordinator.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

    /// Returns the metadata of a store.
    ///
    /// - Parameter store: A store of this coordinator.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Sets the metadata of a store, which are written with the next save, except those of a read-only store.
    ///
    /// - Parameters:
    ///   - metadata: Property-list values by key. The framework's own keys cannot be changed.
    ///   - store: A store of this coordinator.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) { store.metadata = metadata ?? [:] }

    /// Returns the id that a URI represents.
    ///
    /// - Parameter url: The result of `uriRepresentation()` of a permanent id.
    /// - Returns: The id; nil if the URI is malformed, or identifies no open store or no entity of the model.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let identifier = url.host else { return nil }
        let parts = url.path.split(separator: "/")
        guard parts.count == 2, parts[1].first == "p", let key = Int64(parts[1].dropFirst()), key > 0,
            let origin = origin(withIdentifier: identifier),
            let entity = origin.compiled.entity(named: String(parts[0]))
        else { return nil }
        return NSManagedObjectID(entity: entity, key: key, origin: origin)
    }

    // MARK: For contexts

    final func origin(withIdentifier identifier: String) -> ObjectOrigin? {
        persistentStores.first { $0.hasIdentifier(identifier) }?.origin
    }

    /// Returns the origins of the stores that contain an entity.
    final func origins(of entity: Int) throws -> [ObjectOrigin] {
        lock.lock()
        defer { lock.unlock() }
        if knownOrigins.indices.contains(entity), !knownOrigins[entity].isEmpty { return knownOrigins[entity] }
        guard let name = compiledModel.entity(numbered: Int64(entity))?.name else {
            throw CoreDataError(
                NSCoreDataError, "The entity of the object is not in the coordinator's model.")
        }
        let holding = stores.filter { store in
            store.configurationName == Self.defaultConfiguration
                || (compiledModel.configurations[store.configurationName]?.contains(name) ?? true)
        }
        guard !holding.isEmpty else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                stores.isEmpty
                    ? "The coordinator has no persistent store. Add one, or load the container's stores."
                    : "No store of the coordinator holds the entity \(name).", entity: name)
        }
        let origins = holding.compactMap(\.origin)
        while knownOrigins.count <= entity { knownOrigins.append([]) }
        knownOrigins[entity] = origins
        return origins
    }

    static let defaultConfiguration = "PF_DEFAULT_CONFIGURATION_NAME"

    /// Remembers a context that merges saves of other contexts, or whose objects are observed. Only these contexts are
    /// referenced, because a weak reference makes every later use of an object slower.
    final func remember(_ context: NSManagedObjectContext) {
        lock.lock()
        defer { lock.unlock() }
        contexts[ObjectIdentifier(context)] = WeakContext(context: context)
    }

    final func forget(_ context: NSManagedObjectContext) {
        lock.lock()
        defer { lock.unlock() }
        contexts[ObjectIdentifier(context)] = nil
    }

    private var knownContexts: [NSManagedObjectContext] {
        lock.lock()
        defer { lock.unlock() }
        return contexts.isEmpty ? [] : contexts.values.compactMap(\.context)
    }

    /// Merges the changes of a save into the other contexts that merge automatically.
    final func passOn(_ ids: SavedIDs, from saver: NSManagedObjectContext) {
        for context in knownContexts
        where context !== saver && !context.hasParent && context.automaticallyMergesChangesFromParent {
            context.operations.enqueue { [weak context] in context?.operations.merge(ids) }
        }
    }
}

extension NSPersistentStore {
    fileprivate final func hasIdentifier(_ other: String) -> Bool {
        identifier.caseInsensitiveCompare(other) == .orderedSame
    }

    fileprivate final func isTwin(of other: NSPersistentStore) -> CoreDataError {
        let (path, otherPath) = (url?.path ?? "memory", other.url?.path ?? "memory")
        let isSameFile = url?.resolvingSymlinksInPath() == other.url?.resolvingSymlinksInPath()
        return CoreDataError(
            NSPersistentStoreOpenError,
            isSameFile
                ? "The store at '\(path)' is already open in this coordinator, as '\(otherPath)'."
                : "The store at '\(path)' is a copy of the store at '\(otherPath)', which is open in this coordinator: both have the identifier \(identifier), so their objects would have the same ids. Remove the other store first, or open the copy in another coordinator."
        )
    }
}

extension NSPersistentStoreCoordinator {
    final func post(_ name: Notification.Name, _ stores: [String: [NSPersistentStore]]) {
        NotificationCenter.default.post(name: name, object: self, userInfo: stores)
    }
}
