import SwormPredicates

/// The door to a store: runs closures that read and write it.
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
    /// What a container could not do, as Sworm 1.x named it.
    public enum Error: Swift.Error, Sendable {
        /// There was nothing to return.
        case noResult
    }

    let makeContext: @Sendable () throws -> NSManagedObjectContext
    let cleansUp: Bool
    /// The calls that run now: a `perform` inside another one of the same container joins it.
    let calls: RunningCalls
    var logError: (@Sendable (any Swift.Error) -> Void)? { calls.logError }
    /// Whether calls may begin.
    let gate = CallGate()
    /// Whether warnings of the stores go to `logError`.
    private let isListening = Locked(false)
    /// The stores that were taken from a coordinator while the container is suspended, where the engine does that.
    let suspended = Locked<[Engine.SuspendedStore]>([])
    /// Lets writes follow each other where the store does not.
    let writeTurn = Engine.WriteTurn()
    /// How tables lie in the model, by type.
    let bindings = Locked<[ObjectIdentifier: AnyBinding]>([:])
    /// Gets the contexts of calls that have ended; nil for contexts of the user's own.
    let spareContexts: SpareContexts?

    /// Makes a container over contexts of your own.
    ///
    /// - Parameters:
    ///   - managedObjectContext: Gives the context for a `perform`; called once for each of them. It may give the same
    ///     context each time.
    ///   - logError: Called with every error that a `perform` throws, and with what could not be thrown.
    ///   - cleanUpAfterExecution: Whether a private-queue context is reset after each `perform`. A context of the main queue
    ///     is never reset: others hold its objects.
    ///   - strict: Whether a misuse that cannot be thrown stops the program. For tests.
    public init(
        managedObjectContext: @escaping @Sendable () throws -> NSManagedObjectContext,
        logError: (@Sendable (any Swift.Error) -> Void)? = nil, cleanUpAfterExecution: Bool = true, strict: Bool = false
    ) {
        makeContext = managedObjectContext
        calls = RunningCalls(logError: logError, isStrict: strict)
        cleansUp = cleanUpAfterExecution
        spareContexts = nil
    }

    /// Makes a container that owns the contexts of its calls.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator of the contexts.
    ///   - mergePolicy: The merge policy of the contexts.
    ///   - logError: Called with every error that a call throws, and with what could not be thrown.
    ///   - strict: Whether a misuse that cannot be thrown stops the program.
    init(
        coordinator: NSPersistentStoreCoordinator, mergePolicy: NSMergePolicyType,
        logError: (@Sendable (any Swift.Error) -> Void)?, strict: Bool
    ) {
        let spareContexts = SpareContexts()
        self.spareContexts = spareContexts
        makeContext = {
            let context =
                spareContexts.take() ?? NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            // Handles of one perform must show one object each, also when nothing but its id was kept.
            context.retainsRegisteredObjects = true
            context.mergePolicy = NSMergePolicy(merge: mergePolicy)
            return context
        }
        calls = RunningCalls(logError: logError, isStrict: strict)
        cleansUp = true
    }

    /// Lets `logError` have what the stores of a context have to say beside errors. Does its work once.
    func listen(to context: NSManagedObjectContext) {
        guard let logError else { return }
        let isFirst = isListening.withLock { isListening in
            defer { isListening = true }
            return !isListening
        }
        if isFirst { Engine.listen(to: context, logError) }
    }
}
