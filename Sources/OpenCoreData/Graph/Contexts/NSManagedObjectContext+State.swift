public import Foundation
import SwormPredicates
package import SwormStore

/// The kind of queue that runs a context's blocks.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// A private queue of the context.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
    /// The kind of queue that runs a context's blocks.
    public struct ConcurrencyType: Sendable, Hashable {
        let isMain: Bool
        /// A private queue of the context.
        public static let privateQueue = ConcurrencyType(isMain: false)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(isMain: true)
    }

    /// Creates a context without a coordinator.
    ///
    /// - Parameter type: The kind of queue that runs the context's blocks.
    public convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type.isMain ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
    }

    private static let userInfoLock = NSLock()

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
}

// The state of a context, as the other parts of the engine use it.
extension NSManagedObjectContext {
    /// The state that is read by threads that do not hold the context.
    struct Shared: Sendable {
        /// Whether saves are merged; read by the contexts that save.
        var mergesAutomatically = false
        /// The thread that runs a call of a container in the context.
        var holder: HubState.Holder?
        /// The queue of the context's blocks, created for the first block because most contexts never use it.
        var queue: DispatchQueue?
        /// The context above, and those below.
        var links = ContextLinks()
        /// The coordinator, which the contexts below take over.
        var coordinator: NSPersistentStoreCoordinator?
    }

    final var hasUnsavedObjects: Bool { !insertedList.isEmpty || !updatedList.isEmpty || !deletedList.isEmpty }

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

    final var mergesAutomatically: Bool {
        get { shared.withLock { $0.mergesAutomatically } }
        set {
            shared.withLock { shared in
                shared.mergesAutomatically = newValue
                // A child merges the saves of its parent, which passes them on.
                let remembers = newValue && nesting.parent == nil || followsStores
                if remembers { coordinator?.remember(self) } else { coordinator?.forget(self) }
            }
        }
    }

    /// Detaches the objects, and ends the transactions, of a context that is deallocated.
    final func endUse() {
        if mayMerge || followsStores { coordinator?.forget(self) }
        if !identities.isEmpty { for object in identities.objects { object.detach() } }
        if hasUnsavedObjects {
            for object in insertedList.objects + updatedList.objects + deletedList.objects { object.detach() }
        }
        transactions.endPinned()
        for transaction in transactions.takeAll().transactions { transaction.end() }
    }

    /// Sets the coordinator, and discards the objects of the previous one.
    final func setCoordinator(_ new: NSPersistentStoreCoordinator?) {
        lock.lock()
        defer { lock.unlock() }
        guard new !== coordinator else { return }
        let mayMerge = mayMerge
        // A new context has nothing to discard, unless objects were created in it without a model.
        if coordinator != nil || hasUnsavedObjects || !identities.isEmpty {
            operations.resetObjects()
            if mayMerge || followsStores { coordinator?.forget(self) }
            followsStores = false
            classes.forget()
            faulting.forgetShapes()
        }
        let children = shared.withLock { shared in
            shared.coordinator = new
            return shared.links.liveChildren
        }
        coordinator = new
        faulting.resetFailure()
        if mayMerge { new?.remember(self) }
        if !observers.isEmpty { followStores() }
        for child in children { child.operations.enqueue { [weak child] in child?.followCoordinator() } }
    }

    /// The coordinator. A child without one takes over that of the contexts above when it needs it, before the block
    /// runs in which its parent makes it do so.
    final var currentCoordinator: NSPersistentStoreCoordinator? {
        if coordinator == nil, nesting.parent != nil { followCoordinator() }
        return coordinator
    }

    /// Takes over the present coordinator of the tree. By now, the context may have another parent than the one that
    /// makes it do so, or none.
    private final func followCoordinator() {
        lock.lock()
        defer { lock.unlock() }
        guard nesting.parent != nil else { return }
        var top: NSManagedObjectContext = self
        while let above = top.shared.withLock({ $0.links.parent }) { top = above }
        let mayLose = coordinator == nil && hasUnsavedObjects
        setCoordinator(top.shared.withLock { $0.coordinator })
        // The application has not asked this context to discard its objects, and a save would find nothing to write.
        guard mayLose, coordinator != nil else { return }
        faulting.note(
            CoreDataError(
                NSCoreDataError,
                "The objects that were inserted into the context before its parent had a persistent store coordinator were discarded. Set the coordinator of the parent first, and insert the objects again."
            ))
    }

    /// Whether saves of other contexts may affect this one. A subclass decides for itself.
    final var mayMerge: Bool {
        type(of: self) != NSManagedObjectContext.self || shared.withLock { $0.mergesAutomatically }
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

    /// The kind of validation that a save performs.
    final var validation: SaveValidation {
        get { saving.validation }
        set { saving.validation = newValue }
    }

    package final var compiledModel: CompiledModel? { coordinator?.compiledModel }

    /// The origin of objects that are not saved yet.
    final var origin: ObjectOrigin? { currentCoordinator?.temporaryOrigin }
}
