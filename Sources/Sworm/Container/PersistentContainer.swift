import SwormPredicates

/// A container that provides access to a store: it runs closures that read and write.
///
/// ```swift
/// let store = try PersistentContainer(for: Book.self, at: .file(url))
/// try store.perform { context in
///     try context.insert(Book(title: "War and Peace", year: 1869))
/// }
/// ```
///
/// A container may be used from any thread.
public final class PersistentContainer: Sendable {
    let makeContext: @Sendable () throws -> NSManagedObjectContext
    let cleansUp: Bool
    /// The calls that are running. A `perform` inside another `perform` of the same container joins it.
    let calls: RunningCalls
    var logError: (@Sendable (any Swift.Error) -> Void)? { calls.logError }
    /// The gate that decides whether calls may start.
    let gate: ContainerState
    /// Whether warnings of the stores are passed to `logError`. Containers over the same stores share it, so that each
    /// warning is passed once.
    private let isListening: Locked<Bool>
    /// The stores that are removed from their coordinator while the container is suspended, if the engine does that.
    let suspended: Locked<[SuspendedStore]>
    /// A lock that serializes writes if the store does not.
    let writeTurn: WriteTurn
    /// The mappings from tables to the model, by type.
    let bindings: Locked<[ObjectIdentifier: any AnyObject & Sendable]>
    /// The live requests.
    let live = LiveCenter()
    /// The context of the main actor, once it was used.
    let mainContext = MainContextStorage()
    /// The feeds of changes.
    let feeds = FeedSignals()
    /// The commits that contexts which outlive calls have not merged yet.
    let news = ContainerNews()
    /// The author of the container's transactions.
    let authorship: Locked<String?>
    /// A pool that receives the contexts of calls that have ended; nil if the user provides the contexts.
    let spareContexts: SpareContexts?
    /// The properties of the container's transactions; nil for the usual ones.
    let properties: TransactionChoice?

    /// Creates a container over contexts that you provide.
    ///
    /// - Parameters:
    ///   - managedObjectContext: A closure that returns the context for a `perform`. It is called once per `perform`,
    ///     and may return the same context every time.
    ///   - logError: A closure that is called with every error that a `perform` throws, and with every error that could
    ///     not be thrown.
    ///   - cleanUpAfterExecution: Whether a private-queue context is reset after each `perform`. A main-queue context
    ///     is never reset, because other code may hold its objects.
    ///   - strict: Whether a misuse that cannot be thrown as an error stops the program. For tests.
    public init(
        managedObjectContext: @escaping @Sendable () throws -> NSManagedObjectContext,
        logError: (@Sendable (any Swift.Error) -> Void)? = nil, cleanUpAfterExecution: Bool = true, strict: Bool = false
    ) {
        makeContext = managedObjectContext
        (gate, suspended, writeTurn) = (ContainerState(), Locked([]), WriteTurn())
        (bindings, properties, isListening) = (Locked([:]), nil, Locked(false))
        calls = RunningCalls(logError: logError, isStrict: strict)
        cleansUp = cleanUpAfterExecution
        authorship = Locked(nil)
        spareContexts = nil
    }

    /// Creates a container that owns the contexts of its calls.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator of the contexts.
    ///   - mergePolicy: The merge policy of the contexts.
    ///   - logError: A closure that is called with every error that a call throws, and with every error that could not
    ///     be thrown.
    ///   - strict: Whether a misuse that cannot be thrown as an error stops the program.
    init(
        coordinator: NSPersistentStoreCoordinator, mergePolicy: NSMergePolicyType,
        logError: (@Sendable (any Swift.Error) -> Void)?, strict: Bool
    ) {
        let (spareContexts, authorship) = (SpareContexts(), Locked<String?>(nil))
        self.spareContexts = spareContexts
        self.authorship = authorship
        makeContext = {
            let context =
                spareContexts.take() ?? NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            // All handles of one object within a `perform` must share the object, even if the closure only kept its id.
            context.retainsRegisteredObjects = true
            context.mergePolicy = NSMergePolicy(merge: mergePolicy)
            context.transactionAuthor = authorship.withLock { $0 }
            return context
        }
        (gate, suspended, writeTurn) = (ContainerState(), Locked([]), WriteTurn())
        (bindings, properties, isListening) = (Locked([:]), nil, Locked(false))
        calls = RunningCalls(logError: logError, isStrict: strict)
        cleansUp = true
    }

    /// Creates a container over the stores of another one.
    init(_ other: PersistentContainer, choosing choice: TransactionChoice) {
        let make = other.makeContext
        // A context that outlives a call, and that of a live request, have the properties from their beginning.
        makeContext = {
            let context = try make()
            context.use(choice)
            return context
        }
        // Its calls have transactions of their own: they do not join those of the other container.
        calls = RunningCalls(logError: other.calls.logError, isStrict: other.calls.isStrict)
        (gate, suspended, writeTurn) = (other.gate, other.suspended, other.writeTurn)
        (bindings, properties, authorship) = (other.bindings, choice, other.authorship)
        isListening = other.isListening
        cleansUp = other.cleansUp
        spareContexts = nil
    }

    /// Passes the warnings of a context's stores to `logError`. Has an effect only the first time.
    func listen(to context: NSManagedObjectContext) {
        guard let logError else { return }
        let isFirst = isListening.withLock { isListening in
            defer { isListening = true }
            return !isListening
        }
        if isFirst { context.addWarningListener(logError) }
    }
}
