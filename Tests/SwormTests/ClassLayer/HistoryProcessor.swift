import Sworm

/// Merges the transactions of other processes into the view context, and remembers how far it came.
actor HistoryProcessor {
    private let stack: CoreDataStack
    private let tokenFile: URL
    private var lastToken: NSPersistentHistoryToken?
    private var observer: (any NSObjectProtocol)?

    init(stack: CoreDataStack, tokenFile: URL) {
        self.stack = stack
        self.tokenFile = tokenFile
        lastToken = Self.readToken(tokenFile)
    }

    private static func readToken(_ file: URL) -> NSPersistentHistoryToken? {
        guard let data = try? Data(contentsOf: file) else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
    }

    private func remember(_ token: NSPersistentHistoryToken) throws {
        lastToken = token
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        try data.write(to: tokenFile, options: .atomic)
    }

    // MARK: Observing

    /// Processes the history after each commit, until the processor is stopped.
    func start() {
        observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: stack.container.persistentStoreCoordinator, queue: nil
        ) { [weak self] _ in
            guard let self else { return }
            Task { try await self.process() }
        }
    }

    func stop() {
        if let observer { NotificationCenter.default.removeObserver(observer) }
        observer = nil
    }

    // MARK: Processing

    /// What the processor found.
    struct Summary: Equatable, Sendable {
        var transactions = 0
        var inserted: Set<NSManagedObjectID> = []
        var updated: [NSManagedObjectID: Set<String>] = [:]
        var deleted: Set<NSManagedObjectID> = []
    }

    /// Merges the commits of other processes since the last call.
    @discardableResult
    func process() async throws -> Summary {
        let (context, own, token) = (stack.newTaskContext(), stack.author.rawValue, lastToken)
        let viewContext = await stack.viewContext
        let (summary, newToken) = try await context.perform {
            let transactions = try Self.transactions(after: token, notBy: own, in: context)
            var summary = Summary()
            for transaction in transactions {
                Self.add(transaction, to: &summary)
                viewContext.performAndWait {
                    viewContext.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
                }
            }
            return (summary, transactions.last?.token)
        }
        if let newToken { try remember(newToken) }
        return summary
    }

    private static func transactions(
        after token: NSPersistentHistoryToken?, notBy author: String, in context: NSManagedObjectContext
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        if let filter = NSPersistentHistoryTransaction.fetchRequest {
            filter.predicate = NSPredicate(format: "author != %@", author)
            request.fetchRequest = filter
        }
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    private static func add(_ transaction: NSPersistentHistoryTransaction, to summary: inout Summary) {
        summary.transactions += 1
        for change in transaction.changes ?? [] {
            switch change.changeType {
            case .insert:
                summary.inserted.insert(change.changedObjectID)
            case .update:
                let names = change.updatedProperties?.map(\.name) ?? []
                summary.updated[change.changedObjectID, default: []].formUnion(names)
            case .delete:
                summary.deleted.insert(change.changedObjectID)
            @unknown default:
                break
            }
        }
    }

    /// Deletes the transactions that were processed.
    func purge() async throws {
        guard let token = lastToken else { return }
        let context = stack.newTaskContext()
        try await context.perform {
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))
        }
    }
}
