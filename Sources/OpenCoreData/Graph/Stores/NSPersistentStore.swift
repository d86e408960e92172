public import Foundation
package import SwormStore

/// A store that a coordinator has opened.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    // Mutable state is guarded by `lock`, and `objectStore` does its own locking. Hence the unchecked conformance.

    private let underlying: ExchangeableReference<UnderlyingStore>
    /// The underlying store.
    package final var objectStore: any ObjectStore { underlying.object.store }
    /// The type of the store.
    public let type: String
    /// The configuration of the model whose entities the store contains.
    public let configurationName: String
    /// The options that the store was opened with.
    public let options: [AnyHashable: Any]?
    private let lock = NSLock()
    private var place: URL?
    private weak var owner: NSPersistentStoreCoordinator?
    private(set) final var origin: ObjectOrigin?
    /// Called when the coordinator has removed the store.
    final var onLeave: (@Sendable () -> Void)?

    /// - Parameter origin: The origin of the store that this one continues; nil for the objects of a new origin.
    init(
        _ objectStore: any ObjectStore, type: String, configurationName: String, url: URL?,
        options: [AnyHashable: Any]?,
        coordinator: NSPersistentStoreCoordinator, continuing origin: ObjectOrigin? = nil
    ) {
        underlying = ExchangeableReference(UnderlyingStore(store: objectStore))
        self.type = type
        self.configurationName = configurationName
        self.options = options
        place = url
        owner = coordinator
        super.init()
        self.origin =
            origin
            ?? ObjectOrigin(
                storeIdentifier: objectStore.identifier, compiled: coordinator.compiledModel,
                model: coordinator.managedObjectModel, store: self)
    }

    /// The identifier in the URIs of the store's objects.
    public final var identifier: String { objectStore.identifier }

    /// Calls a closure after each commit to the store, until the returned closure is called.
    ///
    /// - Parameter question: Asked before, if the changed entities are known; a commit for which the answer is no is not
    ///   announced.
    package final func listen(
        concerning question: CommitListeners.Question? = nil, _ listener: @escaping CommitListeners.Listener
    ) -> @Sendable () -> Void {
        objectStore.listen(concerning: question, listener)
    }

    /// Whether a commit of this process may have become visible that was not announced to the listeners yet.
    package final var isCommitting: Bool { objectStore.isCommitting }

    /// Whether a commit of another process has become visible that was not announced yet.
    package final var hasForeignCommits: Bool { objectStore.hasForeignCommits }

    /// Announces the commits of other processes to the listeners, before it returns.
    ///
    /// - Returns: False if it is unknown whether there are such commits.
    @discardableResult
    package final func noticeCommits() -> Bool { objectStore.noticeCommits() }

    /// Whether the store was opened read-only.
    public final var isReadOnly: Bool { objectStore.isReadOnly }

    /// The URL of the store's file; nil for an in-memory store.
    open var url: URL? {
        lock.lock()
        defer { lock.unlock() }
        return place
    }

    /// The coordinator that opened the store; nil after the store was removed.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        lock.lock()
        defer { lock.unlock() }
        return owner
    }

    /// The metadata. Changes are written with the next save, except those of a read-only store. Values that a property
    /// list cannot represent are ignored.
    open var metadata: [String: Any] {
        get { objectStore.metadata }
        set {
            let valid = newValue.filter { PropertyListSerialization.propertyList($0.value, isValidFor: .binary) }
            try? objectStore.setMetadata(valid)
        }
    }

    final func leave() {
        lock.lock()
        owner = nil
        lock.unlock()
        onLeave?()
        objectStore.close()
    }

    /// Uses another underlying store, which has the same rows, from now on. The caller closes the present one.
    final func move(to objectStore: any ObjectStore, at url: URL) {
        underlying.exchange(for: UnderlyingStore(store: objectStore))
        lock.withLock { place = url }
        origin?.move(to: self)
    }
}

private final class UnderlyingStore: Sendable {
    let store: any ObjectStore

    init(store: any ObjectStore) { self.store = store }
}
