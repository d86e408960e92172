public import Foundation
import SwormStore

/// A model, a coordinator and a main context, put together.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    // Everything that can change is set up before the stores are loaded, by the rule of the class. Hence the unchecked
    // conformance.

    /// The container's name, and the name of its store's file.
    public let name: String
    /// The context of the main queue.
    public let viewContext: NSManagedObjectContext
    /// The model.
    public let managedObjectModel: NSManagedObjectModel
    /// The coordinator.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// How the stores are opened. By default one SQLite store, `<name>.sqlite` in ``defaultDirectoryURL()``.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// Makes a container with the model file `<name>.xcdatamodeld` or `<name>.xcdatamodel` of the main bundle.
    ///
    /// Without such a file the model is empty, and loading the stores reports it.
    ///
    /// - Parameter name: The name of the model's file and of the store's.
    public convenience init(name: String) {
        var model: NSManagedObjectModel?
        for suffix in ["momd", "xcdatamodeld", "mom", "xcdatamodel"] where model == nil {
            model = Bundle.main.url(forResource: name, withExtension: suffix).flatMap {
                NSManagedObjectModel(contentsOf: $0)
            }
        }
        self.init(name: name, managedObjectModel: model ?? NSManagedObjectModel())
    }

    /// Makes a container with a model.
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

    /// The default folder for stores: the user's application support folder.
    open class func defaultDirectoryURL() -> URL {
        let folder =
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        return folder
    }

    /// Opens the stores.
    ///
    /// - Parameter block: Called once a store, with its description and the error if there was one. Before this call returns,
    ///   unless a description says that its store is added asynchronously.
    open func loadPersistentStores(
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

    /// Makes a context with a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a context of its own, on that context's queue, later.
    ///
    /// - Parameter block: The block to run. It saves the context itself.
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs a block with a context of its own, on that context's queue, and waits for it without blocking a thread.
    ///
    /// - Parameter block: The block to run. It saves the context itself.
    /// - Returns: The result of the block.
    /// - Throws: The error of the block. A call with a block that does not throw needs no `try`.
    public final func performBackgroundTask<T: Sendable, Failure: Error>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws(Failure) -> T
    ) async throws(Failure) -> T {
        let context = newBackgroundContext()
        return try await context.perform { () throws(Failure) -> T in try block(context) }
    }
}
