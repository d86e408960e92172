import Foundation
@testable import OpenCoreData
import Testing

/// A store with a history, seen through the public API.
struct HistoryLibrary {
    let folder: StoreFolder
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init(model: NSManagedObjectModel = GraphLibrary.model()) throws {
        folder = try StoreFolder()
        coordinator = try GraphLibrary.coordinator(
            at: folder.url(), model: model, options: [NSPersistentHistoryTrackingKey: true])
        context = GraphLibrary.context(coordinator)
    }

    var store: NSPersistentStore {
        get throws { try #require(coordinator.persistentStores.first) }
    }

    var token: NSPersistentHistoryToken? { coordinator.currentPersistentHistoryToken(fromStores: nil) }

    /// Saves one new tag.
    @discardableResult
    func saveTag(_ name: String, author: String? = nil) throws -> NSManagedObject {
        context.transactionAuthor = author
        let tag = try context.make("Tag", ["name": name])
        try context.save()
        return tag
    }

    /// Closes the store and looks for issues.
    func verify() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(
            try StoreVerification.issues(of: folder.url(), model: coordinator.managedObjectModel.compiled()) == [])
    }
}

extension NSManagedObjectContext {
    func history<Result>(
        _ request: NSPersistentHistoryChangeRequest, _ type: NSPersistentHistoryResultType, as: Result.Type
    ) throws -> Result {
        request.resultType = type
        let answer = try #require(try execute(request) as? NSPersistentHistoryResult)
        #expect(answer.resultType == type)
        return try #require(answer.result as? Result)
    }

    func transactions(_ request: NSPersistentHistoryChangeRequest = .init()) throws -> [NSPersistentHistoryTransaction]
    {
        try history(request, .transactionsAndChanges, as: [NSPersistentHistoryTransaction].self)
    }

    /// Each change as its kind, entity and key.
    func changeTexts(_ request: NSPersistentHistoryChangeRequest = .init()) throws -> [String] {
        try history(request, .changesOnly, as: [NSPersistentHistoryChange].self).map(\.text)
    }
}

extension NSPersistentHistoryChange {
    var text: String {
        "\(changeType) \(changedObjectID.entity.name ?? "")/\(changedObjectID.uriRepresentation().lastPathComponent)"
    }
}
