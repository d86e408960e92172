public import Foundation
import SwormStore

/// A container that holds a model, a coordinator, and a context of the main queue.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    // All mutable state must be set up before the stores are loaded. Hence the unchecked conformance.

    /// The name of the container, which is also the name of its store's file.
    public let name: String
    /// The context of the main queue.
    public let viewContext: NSManagedObjectContext
    /// The model.
    public let managedObjectModel: NSManagedObjectModel
    /// The coordinator.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// The descriptions of the stores to load. The default is one SQLite store, `<name>.sqlite` in
    /// ``defaultDirectoryURL()``.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// Creates a container with a model from the main bundle: `<name>.momd`, `<name>.xcdatamodeld`, `<name>.mom`, or
    /// `<name>.xcdatamodel`.
    ///
    /// If there is no such file, the model is empty, and loading the stores reports an error.
    ///
    /// - Parameter name: The name of the model file and of the store's file.
    public convenience init(name: String) {
        var model: NSManagedObjectModel?
        for suffix in ["momd", "xcdatamodeld", "mom", "xcdatamodel"] where model == nil {
            model = Bundle.main.url(forResource: name, withExtension: suffix).flatMap {
                NSManagedObjectModel(contentsOf: $0)
            }
        }
        self.init(name: name, managedObjectModel: model ?? NSManagedObjectModel())
    }

    /// Creates a container with a model.
    ///
    /// - Parameters:
    ///   - name: The name of the store's file.
    ///   - model: The model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.name = name
        managedObjectModel = model
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
        let place = Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite")
        persistentStoreDescriptions = [NSPersistentStoreDescription(url: place)]
        super.init()
    }

    /// Returns the default folder for stores, which is the user's application support folder.
    open class func defaultDirectoryURL() -> URL {
        let folder =
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        return folder
    }

    /// Opens the stores of all descriptions.
    ///
    /// - Parameter block: A closure that is called once for each store, with its description and the error that
    ///   occurred, or nil. It is called before this method returns, unless `shouldAddStoreAsynchronously` is set in the
    ///   description.
    @preconcurrency open func loadPersistentStores(
        completionHandler block: @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            if description.type == NSSQLiteStoreType, let url = description.url, url.path != "/dev/null",
                !description.isReadOnly
            {
                let disk = StoreDisk(coordinatorOptions: description.options)
                try? disk.calls.makeFolders(url.deletingLastPathComponent().path(percentEncoded: false))
            }
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// Returns a new context with a private queue.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block asynchronously with a new background context, on the queue of that context.
    ///
    /// - Parameter block: The block to run. It is responsible for saving the context.
    @preconcurrency open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs a block with a new background context, on the queue of that context, and suspends until it has finished.
    ///
    /// - Parameter block: The block to run. It is responsible for saving the context.
    /// - Returns: The result of the block.
    /// - Throws: The error of the block. If the block does not throw, the call needs no `try`.
    public final func performBackgroundTask<T: Sendable, Failure: Error>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws(Failure) -> T
    ) async throws(Failure) -> T {
        let context = newBackgroundContext()
        return try await context.perform { () throws(Failure) -> T in try block(context) }
    }
}
