public import Foundation
import SwormPredicates
import SwormStore

/// A scratch pad for managed objects: the objects that were read from a coordinator's stores, and their unsaved
/// changes.
///
/// A context is used by one thread at a time: inside `perform` and `performAndWait`, which have exclusive access to it,
/// or, for a context of the main queue, on the main thread. It does not retain unchanged objects unless
/// ``retainsRegisteredObjects`` is true. It retains changed objects until they are saved or discarded.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    // A context may be passed to any thread, but its state is only used under `lock` or, by the rule above, on the
    // single thread that its owner uses. Hence the unchecked conformance.

    /// The kind of queue that runs a context's blocks.
    public struct ConcurrencyType: Sendable, Hashable {
        let isMain: Bool
        /// A private queue of the context.
        public static let privateQueue = ConcurrencyType(isMain: false)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(isMain: true)
    }

    /// The kind of queue that runs the context's blocks.
    public let concurrencyType: NSManagedObjectContextConcurrencyType
    /// A name for messages and logs. Persistent history also records it.
    open var name: String? { didSet { interruption.name = name } }
    /// A dictionary for the application's own information about the context.
    public final var userInfo: NSMutableDictionary {
        // Most contexts have no dictionary. It is created once, on whichever thread requests it first.
        Self.userInfoLock.withLock {
            if let keptInfo { return keptInfo }
            let made = NSMutableDictionary()
            keptInfo = made
            return made
        }
    }
    private static let userInfoLock = NSLock()
    private final var keptInfo: NSMutableDictionary?
    /// The author that persistent history records for the context's saves.
    open var transactionAuthor: String?
    /// The ``NSMergePolicy`` that resolves conflicts of a save. By default, a conflict is an error.
    open var mergePolicy: Any = NSMergePolicy.error
    /// Whether an object whose row no longer exists counts as deleted when it is used. Its values are nil in any case.
    /// If this property is false, the next save or fetch throws an error that names the object.
    open var shouldDeleteInaccessibleFaults = true
    /// Has no effect: delete rules are always applied when an object is deleted.
    open var propagatesDeletesAtEndOfEvent = true
    /// The number of seconds for which a row that was read may give a fault its values. If more time has passed, or if
    /// the number is 0, the fault reads its row again. By default, a negative number, for any time.
    ///
    /// A refreshed object always reads its row again.
    open var stalenessInterval: TimeInterval = -1
    /// Whether saves of other contexts of the coordinator are merged into this one.
    open var automaticallyMergesChangesFromParent: Bool {
        get { shared.withLock { $0.mergesAutomatically } }
        set {
            shared.withLock { shared in
                shared.mergesAutomatically = newValue
                if newValue || followsStores { coordinator?.remember(self) } else { coordinator?.forget(self) }
            }
        }
    }

    /// The state that is read by threads that do not hold the context.
    struct Shared: Sendable {
        /// Whether saves are merged; read by the contexts that save.
        var mergesAutomatically = false
        /// The thread that runs a call of a container in the context.
        var holder: HubState.Holder?
        /// The queue of the context's blocks, created for the first block because most contexts never use it.
        var queue: DispatchQueue?
    }

    let shared = Locked(Shared())
    let lock = NSRecursiveLock()
    final var identities = IdentityTable(retains: false)
    // Unsafe: accesses to these properties are not checked for overlaps; the checks took 5 % of the time of a call that
    // reads one row. No access spans code that uses the context: the properties are read, assigned, and changed by
    // methods of their own types.
    @exclusivity(unchecked) package internal(set) final var coordinator: NSPersistentStoreCoordinator?
    @exclusivity(unchecked) final var insertedList = ObjectList()
    @exclusivity(unchecked) final var updatedList = ObjectList()
    @exclusivity(unchecked) final var deletedList = ObjectList()
    // Each of these owns the state of one part of the context's work. Their methods do not use the context: its own
    // methods, and the operations that it starts, take values out of them and put results back.
    @exclusivity(unchecked) final var faulting = Faulting()
    @exclusivity(unchecked) final var saving = Saving()
    @exclusivity(unchecked) final var transactions: Transactions
    @exclusivity(unchecked) final var classes = ObjectClasses()
    final let interruption = Interruption()
    /// The recorder of the edit that is running; nil if changes are not recorded.
    @exclusivity(unchecked) package final var recorder: ChangeRecorder?
    /// The objects that have changed since the last notification about changed objects.
    @exclusivity(unchecked) final var pendingEvent = PendingEvent()
    /// The event that observers are being notified of.
    final var announcedEvent: AnnouncedEvent?
    final var observers: [WeakObserver] = []
    /// Whether the coordinator notifies the context when a store is removed.
    final var followsStores = false
    /// Whether the context may have registered objects that were inserted in it and have been saved since.
    final var hasNamedObjects = false
    /// The objects that a primitive setter has changed beside its own.
    @exclusivity(unchecked) final var unmarked = UnmarkedObjects()
    /// The clock that decides whether a row is stale.
    package final var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// The object that passes a row to an initializer. One is enough for all objects.
    final lazy var seed = ObjectSeed()

    /// Creates a context without a coordinator.
    ///
    /// - Parameter ct: The kind of queue that runs the context's blocks.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        transactions = Transactions(interruption)
        super.init()
    }

    final var queue: DispatchQueue {
        if concurrencyType == .mainQueueConcurrencyType { return .main }
        return shared.withLock { shared in
            if let queue = shared.queue { return queue }
            let made = DispatchQueue(label: "NSManagedObjectContext")
            shared.queue = made
            return made
        }
    }

    /// Creates a context without a coordinator.
    ///
    /// - Parameter type: The kind of queue that runs the context's blocks.
    public convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type.isMain ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
    }

    deinit {
        if mayMerge || followsStores { coordinator?.forget(self) }
        if !identities.isEmpty { for object in identities.objects { object.detach() } }
        if hasUnsavedObjects {
            for object in insertedList.objects + updatedList.objects + deletedList.objects { object.detach() }
        }
        transactions.endPinned()
        for transaction in transactions.takeAll().transactions { transaction.end() }
    }

    /// The coordinator whose stores the context reads and writes.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { coordinator }
        set {
            lock.lock()
            defer { lock.unlock() }
            guard newValue !== coordinator else { return }
            let mayMerge = mayMerge
            // A new context has nothing to discard, unless objects were created in it without a model.
            if coordinator != nil || hasUnsavedObjects || !identities.isEmpty {
                reset()
                if mayMerge || followsStores { coordinator?.forget(self) }
                followsStores = false
                classes.forget()
                faulting.forgetShapes()
            }
            coordinator = newValue
            faulting.resetFailure()
            if mayMerge { newValue?.remember(self) }
            if !observers.isEmpty { followStores() }
        }
    }

    /// Resets the settings of a context to those of a new context with the same coordinator.
    ///
    /// - Returns: False if the context has state that a reset preserves: unsaved objects, or an open transaction.
    package final func renew() -> Bool {
        guard !hasUnsavedObjects, identities.isEmpty, transactions.areOver else { return false }
        if name != nil { name = nil }
        transactionAuthor = nil
        if mayMerge { automaticallyMergesChangesFromParent = false }
        Self.userInfoLock.withLock { keptInfo = nil }
        return true
    }

    /// Whether saves of other contexts may affect this one. A subclass decides for itself.
    private final var mayMerge: Bool {
        type(of: self) != NSManagedObjectContext.self || shared.withLock { $0.mergesAutomatically }
    }

    /// Whether the context also retains its unchanged objects.
    open var retainsRegisteredObjects: Bool {
        get { identities.retains }
        set { identities.retains = newValue }
    }

    /// The objects that the next save inserts.
    public final var insertedObjects: Set<NSManagedObject> { Set(insertedList.objects) }
    /// The objects that the next save updates.
    public final var updatedObjects: Set<NSManagedObject> { Set(updatedList.objects) }
    /// The objects that the next save deletes.
    public final var deletedObjects: Set<NSManagedObject> { Set(deletedList.objects) }
    /// The live objects that are registered with the context.
    public final var registeredObjects: Set<NSManagedObject> { Set(identities.objects) }

    /// Whether the context has unsaved changes.
    open var hasChanges: Bool { hasUnsavedObjects }
    private final var hasUnsavedObjects: Bool { !insertedList.isEmpty || !updatedList.isEmpty || !deletedList.isEmpty }

    /// The kind of validation that a save performs.
    final var validation: SaveValidation {
        get { saving.validation }
        set { saving.validation = newValue }
    }

    /// Called when an object is used whose row no longer exists.
    ///
    /// - Parameters:
    ///   - fault: The object.
    ///   - oid: The id of the object.
    ///   - property: The property that is read; nil if it is not known.
    /// - Returns: Whether the object counts as deleted, with nil for all of its values. If not, the next save or fetch
    ///   throws an error that names the object. By default, ``shouldDeleteInaccessibleFaults``.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    package final var compiledModel: CompiledModel? { coordinator?.compiledModel }

    /// The origin of objects that are not saved yet.
    final var origin: ObjectOrigin? { coordinator?.temporaryOrigin }
}

/// The kind of queue that runs a context's blocks.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// A private queue of the context.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}
