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
    // Unchecked: its state is only used under `lock` or, by the rule above, on the single thread that its owner uses.

    /// The kind of queue that runs the context's blocks.
    public let concurrencyType: NSManagedObjectContextConcurrencyType
    /// A name for messages and logs. Persistent history also records it.
    open var name: String? { didSet { interruption.name = name } }
    final var keptInfo: NSMutableDictionary?
    /// The author that persistent history records for the context's saves.
    open var transactionAuthor: String?
    /// The ``NSMergePolicy`` that resolves conflicts of a save. By default, a conflict is an error.
    open var mergePolicy: Any {
        get { chosenMergePolicy ?? operations.defaultMergePolicy }
        set { chosenMergePolicy = newValue }
    }
    final var chosenMergePolicy: Any?
    /// Whether an object whose row no longer exists counts as deleted when it is used. Its values are nil in any case.
    /// If this property is false, the next save or fetch throws an error that names the object.
    open var shouldDeleteInaccessibleFaults = true
    /// Has no effect: delete rules are always applied when an object is deleted.
    open var propagatesDeletesAtEndOfEvent = true
    /// The number of seconds for which a row that was read may give a fault its values. If more time has passed, or if
    /// the number is 0, the fault reads its row again. By default, a negative number, for any time.
    ///
    /// A refreshed object always reads its row again.
    open var stalenessInterval: TimeInterval {
        get { staleness }
        set { staleness = newValue }
    }
    final var staleness: TimeInterval = -1
    /// Whether saves of other contexts of the coordinator are merged into this one.
    open var automaticallyMergesChangesFromParent: Bool {
        get { mergesAutomatically }
        set { mergesAutomatically = newValue }
    }

    let shared = Locked(Shared())
    let lock = NSRecursiveLock()
    final var identities = IdentityTable(retains: false)
    // Unsafe: overlaps are not checked, which took 5 % of the time of a call that reads one row. No access spans code
    // that uses the context: the properties are read, assigned, and changed by methods of their own types.
    @exclusivity(unchecked) package internal(set) final var coordinator: NSPersistentStoreCoordinator?
    @exclusivity(unchecked) final var insertedList = ObjectList()
    @exclusivity(unchecked) final var updatedList = ObjectList()
    @exclusivity(unchecked) final var deletedList = ObjectList()
    /// The objects whose deletion was merged last.
    final var mergedDeletions: [NSManagedObject] = []
    // Each of these owns the state of one part of the context's work. Their methods do not use the context: its own
    // methods, and the operations that it starts, take values out of them and put results back.
    @exclusivity(unchecked) final var faulting = Faulting()
    @exclusivity(unchecked) final var saving = Saving()
    @exclusivity(unchecked) final var transactions: Transactions
    @exclusivity(unchecked) final var nesting = Nesting()
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

    deinit { endUse() }

    /// The coordinator whose stores the context reads and writes.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { currentCoordinator }
        set {
            operations.setParent(nil)
            setCoordinator(newValue)
        }
    }

    /// The context whose objects this one reads, with their unsaved changes, and to which it saves: a save changes the
    /// objects of the parent, which saves them in turn. Nil for a context that uses the stores of a coordinator.
    /// Setting it discards the objects of the context, and gives it the parent's coordinator. The parent is retained.
    /// With children on other queues, a parent must be used in `perform` and `performAndWait`, or on the main thread.
    open var parent: NSManagedObjectContext? {
        get { nesting.parent }
        set { operations.setParent(newValue) }
    }

    /// The undo manager, which registers the changes of each event as one step; nil, as by default, to register none.
    open var undoManager: (any UndoManaging)? {
        get { undoManaging }
        set {
            operations.recordSteps(for: newValue)
            undoManaging = newValue
        }
    }
    final var undoManaging: (any UndoManaging)?

    /// Reverses the changes of the last event. Does nothing without an ``undoManager``.
    open func undo() {
        processEvents()
        undoManaging?.undo()
    }

    /// Repeats the changes that were undone last. Does nothing without an ``undoManager``.
    open func redo() {
        processEvents()
        undoManaging?.redo()
    }

    /// Whether the context also retains its unchanged objects.
    open var retainsRegisteredObjects: Bool {
        get { identities.retains }
        set { identities.retains = newValue }
    }

    /// The objects that the next save inserts.
    open var insertedObjects: Set<NSManagedObject> { Set(insertedList.objects) }
    /// The objects that the next save updates.
    open var updatedObjects: Set<NSManagedObject> { Set(updatedList.objects) }
    /// The objects that the next save deletes, and those whose deletion by another context was merged. The latter leave
    /// the set with the next event, merge or save, and are no unsaved changes.
    open var deletedObjects: Set<NSManagedObject> { Set(deletedList.objects + mergedDeletions) }
    /// The live objects that are registered with the context.
    open var registeredObjects: Set<NSManagedObject> { Set(identities.objects) }

    /// Whether the context has unsaved changes.
    open var hasChanges: Bool { hasUnsavedObjects }

    /// Writes all unsaved changes or no change at all, in one transaction per store.
    ///
    /// Objects are validated first. If a row was changed in the store since it was read, or if a unique value already
    /// exists, the merge policy decides. If the save fails, the changes stay in the context.
    ///
    /// - Throws: Validation errors, conflicts that the merge policy does not resolve, or the store's error.
    open func save() throws { try throwingCocoaErrors { try operations.saveChanges() } }

    /// Executes a request and returns its results.
    ///
    /// - Parameter request: The request. Its result type must match the type of the results.
    /// - Returns: Managed objects, ids, dictionaries or a count.
    /// - Throws: An error that names an unknown entity or key, or the store's error.
    open func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        try throwingCocoaErrors { try operations.results(of: request) }
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

    /// Returns the number of objects that a request finds.
    ///
    /// - Parameter request: The request. Its limit caps the count.
    /// - Throws: An error that names an unknown entity or key, or the store's error.
    open func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        try throwingCocoaErrors { try operations.resultCount(of: request) }
    }

    /// Executes a request that is sent to the stores and does not change the objects of the context.
    ///
    /// - Parameter request: An ``NSPersistentHistoryChangeRequest``, an ``NSBatchInsertRequest``, an
    ///   ``NSBatchUpdateRequest``, an ``NSBatchDeleteRequest`` or an ``NSAsynchronousFetchRequest``.
    /// - Returns: The request's result. An ``NSAsynchronousFetchResult`` has no results yet.
    /// - Throws: The error that prevents the request.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try throwingCocoaErrors { try operations.result(of: request) }
    }

    /// Returns the object with an id: the registered object, or a fault whose row may not exist.
    ///
    /// - Parameter objectID: The id.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { objectOrFault(with: objectID) }

    /// Returns the object with an id, after reading its row.
    ///
    /// - Parameter objectID: The id.
    /// - Throws: An error with the code `NSManagedObjectReferentialIntegrityError` if there is no such object.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try throwingCocoaErrors { try readObject(with: objectID) }
    }

    /// Returns the object with an id if the context has registered it.
    ///
    /// - Parameter objectID: The id.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? { knownObject(for: objectID) }

    /// Inserts an object that does not belong to a context, or undoes the deletion of an object of this context.
    ///
    /// - Parameter object: The object.
    open func insert(_ object: NSManagedObject) { insertObject(object) }

    /// Marks an object to be deleted by the next save, and applies its delete rules immediately.
    ///
    /// Cascades follow relationships to any depth, including cycles. Rules that deny the deletion are checked when the
    /// context is saved, so the order of several deletions does not matter.
    ///
    /// - Parameter object: An object of this context.
    open func delete(_ object: NSManagedObject) { deleteObject(object) }

    /// Causes an object to be read again when it is next used.
    ///
    /// - Parameters:
    ///   - object: An object of this context.
    ///   - flag: Whether its unsaved changes are preserved. If not, they are lost and the object becomes a fault.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        operations.refreshObject(object, mergeChanges: flag)
    }

    /// Refreshes all registered objects. Unsaved changes are preserved.
    open func refreshAllObjects() { operations.refreshObjects() }

    /// Discards all unsaved changes: inserted objects are discarded, changed objects get their stored values back, and
    /// deleted objects are restored.
    open func rollback() { operations.rollBackChanges() }

    /// Discards everything: all objects leave the context, and unsaved changes are lost.
    open func reset() { operations.resetObjects() }

    /// Assigns permanent ids to objects before they are saved.
    ///
    /// - Parameter objects: Inserted objects of this context. Other objects are ignored.
    /// - Throws: The store's error.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        try throwingCocoaErrors { try operations.assignPermanentIDs(to: objects) }
    }

    /// Chooses the store for a new object whose entity is in several stores.
    ///
    /// - Parameters:
    ///   - object: An inserted object.
    ///   - store: A store of the context's coordinator.
    open func assign(_ object: Any, to store: NSPersistentStore) { operations.assignObject(object, to: store) }

    /// Merges the changes that another context has saved. Unsaved changes of this context are preserved.
    ///
    /// The registered objects that were deleted are among the ``deletedObjects`` until the next event, merge or save.
    ///
    /// - Parameter notification: The notification of the save.
    open func mergeChanges(fromContextDidSave notification: Notification) { operations.mergeSave(notification) }

    /// Posts the notification about the objects that have changed since the last one.
    ///
    /// `perform`, `performAndWait`, a save, and a fetch that includes unsaved changes call this method.
    open func processPendingChanges() { processEvents() }

    /// Pins the context to one state of its stores: all subsequent reads see that state.
    ///
    /// A save of the context moves it to the state after that save, and a merge to the newest one. Unpin the context
    /// soon: a store in write-ahead log mode cannot shorten its log while an old state is in use.
    ///
    /// - Parameter generation: ``NSQueryGenerationToken/current``; the ``queryGenerationToken`` of another context; the
    ///   token in the notification of a save, for the state after it, or a later one; or nil for the newest at each read.
    /// - Throws: An error if the token is that of a context with another coordinator. The context reads as before then.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        try throwingCocoaErrors { try operations.pin(to: generation) }
    }

    /// Runs a block on the context's queue, asynchronously.
    ///
    /// - Parameter block: The block to run.
    @preconcurrency open func perform(_ block: @escaping @Sendable () -> Void) { operations.enqueue(block) }

    /// Runs a block with exclusive access to the context, on the calling thread, and waits for it. Calls may be nested.
    ///
    /// - Parameter block: The block to run.
    open func performAndWait(_ block: () -> Void) { operations.run(block) }
}
