import Sworm

/// Owns the persistent container of the recipe box.
final class CoreDataStack: Sendable {
    enum StoreLocation {
        case file(URL)
        case memory
    }

    /// The authors of transactions, so that the history tells the app's own changes from those of an extension.
    enum Author: String {
        case app, importer, widget
    }

    let container: NSPersistentContainer
    let author: Author

    init(location: StoreLocation, author: Author = .app) {
        container = NSPersistentContainer(name: "Recipes", managedObjectModel: RecipeModel.shared)
        self.author = author
        container.persistentStoreDescriptions = [Self.makeDescription(for: location)]
    }

    private static func makeDescription(for location: StoreLocation) -> NSPersistentStoreDescription {
        let description: NSPersistentStoreDescription
        switch location {
        case .file(let url):
            description = NSPersistentStoreDescription(url: url)
        case .memory:
            description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        }
        description.type = NSSQLiteStoreType
        description.shouldMigrateStoreAutomatically = true
        description.shouldInferMappingModelAutomatically = true
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        return description
    }

    func load() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            container.loadPersistentStores { _, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume()
                }
            }
        }
        await configureViewContext()
    }

    @MainActor
    private func configureViewContext() {
        let viewContext = container.viewContext
        viewContext.name = "view"
        viewContext.undoManager = nil
        viewContext.transactionAuthor = author.rawValue
        viewContext.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        viewContext.automaticallyMergesChangesFromParent = true
        viewContext.shouldDeleteInaccessibleFaults = true
    }

    @MainActor
    var viewContext: NSManagedObjectContext { container.viewContext }

    /// A context for background work. Its changes win over those in the store.
    func newTaskContext(author: Author? = nil, policy: NSMergePolicyType = .mergeByPropertyObjectTrumpMergePolicyType)
        -> NSManagedObjectContext
    {
        let context = container.newBackgroundContext()
        context.name = "task"
        context.transactionAuthor = (author ?? self.author).rawValue
        context.mergePolicy = NSMergePolicy(merge: policy)
        return context
    }

    /// Performs work with a background context, and saves what it has changed.
    func performTask<Result: Sendable>(
        author: Author? = nil, _ work: @escaping @Sendable (NSManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let context = newTaskContext(author: author)
        return try await context.perform {
            let result = try work(context)
            try context.saveIfNeeded()
            return result
        }
    }
}

extension NSManagedObjectContext {
    /// Saves the context if it has changes, and turns Core Data's errors into those of the app.
    func saveIfNeeded() throws {
        guard hasChanges else { return }
        do {
            try save()
        } catch {
            rollback()
            throw RecipeError(error)
        }
    }
}
