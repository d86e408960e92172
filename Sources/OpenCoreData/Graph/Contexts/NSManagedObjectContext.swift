public import Foundation
import SwormPredicates
import SwormStore

/// A scratch pad: the objects that were read from a coordinator's stores, and the changes made to them until they are saved.
///
/// A context is used by one thread at a time: inside `perform` and `performAndWait`, which hold it alone, or on the main
/// thread for a context of the main queue. It does not keep unchanged objects alive unless
/// ``retainsRegisteredObjects`` says so; changed ones it keeps until they are saved or discarded.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    // A context may be handed to any thread, but everything in it is used under `lock` only, or, by the rule above, on the
    // one thread that its owner uses it on. Hence the unchecked conformance.

    /// Where a context's blocks run.
    public struct ConcurrencyType: Sendable, Hashable {
        let isMain: Bool
        /// Blocks run on a queue of the context's own.
        public static let privateQueue = ConcurrencyType(isMain: false)
        /// Blocks run on the main queue.
        public static let mainQueue = ConcurrencyType(isMain: true)
    }

    /// Where the context's blocks run.
    public let concurrencyType: NSManagedObjectContextConcurrencyType
    /// A name for messages and logs; history records it too.
    open var name: String? { didSet { interruption.name = name } }
    /// What the context's owner wants to keep with it.
    public final var userInfo: NSMutableDictionary {
        // Most contexts have none. It is made once, whichever thread asks.
        Self.userInfoLock.withLock {
            if let keptInfo { return keptInfo }
            let made = NSMutableDictionary()
            keptInfo = made
            return made
        }
    }
    private static let userInfoLock = NSLock()
    private final var keptInfo: NSMutableDictionary?
    /// The author that history records for the context's saves.
    open var transactionAuthor: String?
    /// How conflicts of a save are resolved: an ``NSMergePolicy``. By default a conflict is an error.
    open var mergePolicy: Any = NSMergePolicy.error
    /// Has no effect: a fault without a row always counts as deleted, and its values read as nil.
    open var shouldDeleteInaccessibleFaults = true
    /// Has no effect: a refreshed object is always read again.
    open var stalenessInterval: TimeInterval = -1
    /// Whether saves of other contexts of the coordinator are merged into this one.
    open var automaticallyMergesChangesFromParent: Bool {
        get { shared.withLock { $0.mergesAutomatically } }
        set {
            shared.withLock { shared in
                shared.mergesAutomatically = newValue
                coordinator?.remember(self, isMerging: newValue)
            }
        }
    }

    /// Asked by threads that do not hold the context.
    struct Shared: Sendable {
        /// Asked by whoever saves.
        var mergesAutomatically = false
        /// The thread that runs a call of a container in the context.
        var holder: HubState.Holder?
        /// The queue of the context's blocks. Most contexts run none on it, so it is made when the first one is.
        var queue: DispatchQueue?
    }

    let shared = Locked(Shared())
    let lock = NSRecursiveLock()
    final var identities = IdentityTable(retains: false)
    // Unsafe: accesses of these are not checked for overlaps, which took a twentieth of the time of a call that reads one row. No
    // access lasts while code runs that uses the context: they are read, assigned, and changed by methods of their own types.
    @exclusivity(unchecked) package internal(set) final var coordinator: NSPersistentStoreCoordinator?
    @exclusivity(unchecked) final var insertedList = ObjectList()
    @exclusivity(unchecked) final var updatedList = ObjectList()
    @exclusivity(unchecked) final var deletedList = ObjectList()
    @exclusivity(unchecked) final var pinned = PinnedGeneration()
    @exclusivity(unchecked) final var transactions = OpenTransactions()
    /// An error of an accessor that cannot throw, such as a fault that could not be read; thrown by the next save or fetch.
    @exclusivity(unchecked) final var readError: (any Error)?
    @exclusivity(unchecked) final var shapes: [Int: RowShape] = [:]
    @exclusivity(unchecked) private final var knownClasses: [NSManagedObject.Type?] = []
    /// Rises whenever what was read ahead may have become stale.
    @exclusivity(unchecked) final var generation: UInt64 = 1
    /// Rises whenever a row that was read may have another content by now.
    @exclusivity(unchecked) final var rowGeneration: UInt64 = 1
    /// Rows that were read ahead for faults that were not asked for yet.
    final var rowsReadAhead: [IdentityTable.Key: (group: FetchGroup, row: Int)] = [:]
    /// How many rows may be read for objects that were not asked for.
    final var largestReadAhead = 50_000
    final let interruption = Interruption()
    final var assignedStores: [ObjectIdentifier: NSPersistentStore] = [:]
    final var isSaving = false
    /// While a save runs: the origin of the store that new objects go to, by entity number.
    final var savingOrigins: [Int: ObjectOrigin] = [:]
    /// The versions that the context knew of rows which others have deleted and this save writes anew.
    final var lostVersions: [ObjectIdentifier: Int64] = [:]
    /// Whether all objects are plain ones, whatever class their entities name: a migration has the classes of one version
    /// at most.
    final var makesPlainObjects = false
    /// What a save asks of the objects.
    final var validation = Validation.changes
    /// Whether the context may know objects that were inserted in it and have got their rows since.
    final var hasNamedObjects = false
    /// What hands a row to an initializer; one is enough for all objects.
    final lazy var seed = ObjectSeed()

    /// Makes a context without a coordinator.
    ///
    /// - Parameter ct: Where the context's blocks run.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
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

    /// Makes a context without a coordinator.
    ///
    /// - Parameter type: Where the context's blocks run.
    public convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type.isMain ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
    }

    deinit {
        if mayMerge { coordinator?.remember(self, isMerging: false) }
        if !identities.isEmpty { for object in identities.objects { object.detach() } }
        if hasUnsavedObjects {
            for object in insertedList.objects + updatedList.objects + deletedList.objects { object.detach() }
        }
        pinned.end()
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
            // A new context has nothing to let go of, unless objects were made in it without a model of its own.
            if coordinator != nil || hasUnsavedObjects || !identities.isEmpty {
                reset()
                if mayMerge { coordinator?.remember(self, isMerging: false) }
                knownClasses = []
                shapes = [:]
            }
            coordinator = newValue
            readError = nil
            if mayMerge { newValue?.remember(self, isMerging: true) }
        }
    }

    /// Gives a context that was reset the settings of a new one with the same coordinator.
    ///
    /// - Returns: False where the context has something that a reset leaves: unsaved objects, or an open transaction.
    package final func renew() -> Bool {
        guard !hasUnsavedObjects, identities.isEmpty, transactions.areOver, !pinned.isOn else { return false }
        if name != nil { name = nil }
        transactionAuthor = nil
        if mayMerge { automaticallyMergesChangesFromParent = false }
        Self.userInfoLock.withLock { keptInfo = nil }
        return true
    }

    /// Whether saves of other contexts may concern this one. A subclass decides by itself.
    private final var mayMerge: Bool {
        type(of: self) != NSManagedObjectContext.self || shared.withLock { $0.mergesAutomatically }
    }

    /// Whether the context keeps its unchanged objects alive too.
    open var retainsRegisteredObjects: Bool {
        get { identities.retains }
        set { identities.retains = newValue }
    }

    /// The objects that will be inserted by the next save.
    public final var insertedObjects: Set<NSManagedObject> { Set(insertedList.objects) }
    /// The objects that will be updated by the next save.
    public final var updatedObjects: Set<NSManagedObject> { Set(updatedList.objects) }
    /// The objects that will be deleted by the next save.
    public final var deletedObjects: Set<NSManagedObject> { Set(deletedList.objects) }
    /// The objects that the context knows and that are alive.
    public final var registeredObjects: Set<NSManagedObject> { Set(identities.objects) }

    /// Whether a save would have something to do.
    open var hasChanges: Bool { hasUnsavedObjects }
    private final var hasUnsavedObjects: Bool { !insertedList.isEmpty || !updatedList.isEmpty || !deletedList.isEmpty }

    /// Brings relationships and delete rules up to date. Both are always up to date here, so there is nothing left to do.
    public final func processPendingChanges() {}

    package final var compiledModel: CompiledModel? { coordinator?.compiledModel }

    /// Where objects come from that were not saved yet.
    final var origin: ObjectOrigin? { coordinator?.temporaryOrigin }

    // MARK: Classes

    /// The class whose instances stand for an entity's objects.
    final func objectClass(of entity: CompiledEntity) -> NSManagedObject.Type {
        if knownClasses.isEmpty { knownClasses = Array(repeating: nil, count: compiledModel?.entities.count ?? 0) }
        guard !makesPlainObjects, knownClasses.indices.contains(entity.number - 1) else { return NSManagedObject.self }
        if let known = knownClasses[entity.number - 1] { return known }
        var found: NSManagedObject.Type = NSManagedObject.self
        if let name = entity.managedObjectClassName, name != "NSManagedObject" {
            found = ManagedObjectClasses.named(name) ?? NSManagedObject.self
        }
        knownClasses[entity.number - 1] = found
        return found
    }

    /// The entity whose class is the given one.
    final func entity(forClass type: NSManagedObject.Type) -> NSEntityDescription? {
        coordinator?.temporaryOrigin.description(ofClass: type)
    }
}

/// Where a context's blocks run.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// On a queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// On the main queue.
    case mainQueueConcurrencyType = 2
}

/// Looks up subclasses of `NSManagedObject` by the names that models use.
enum ManagedObjectClasses {
    static func named(_ name: String) -> NSManagedObject.Type? {
        if let type = NSClassFromString(name) as? NSManagedObject.Type { return type }
        // A model may name a class without its module, or with a dot in front that stands for the current module.
        let bare = name.hasPrefix(".") ? String(name.dropFirst()) : name
        guard !bare.contains("."), let module = Bundle.main.infoDictionary?["CFBundleName"] as? String else {
            return nil
        }
        return NSClassFromString("\(module).\(bare)") as? NSManagedObject.Type
    }
}
