import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A store whose commits are compared with its rows.
final class CommitRun {
    let coordinator: NSPersistentStoreCoordinator
    let model: CompiledModel
    private let folder: StoreFolder
    private let layout: StoreLayout
    private let raw: Connection
    private let hasHistory: Bool
    private let stopListening: @Sendable () -> Void
    private let announced = Locked<[CommittedChanges]>([])
    private var last: StoreRows
    private var token: NSPersistentHistoryToken?
    /// The number of commits that were announced.
    private(set) var commits = 0

    init(_ descriptions: NSManagedObjectModel, hasHistory: Bool) throws {
        self.hasHistory = hasHistory
        folder = try StoreFolder()
        model = try descriptions.compiled()
        layout = StoreLayout(model: model)
        coordinator = try GraphLibrary.coordinator(
            at: folder.url(), model: descriptions, options: [NSPersistentHistoryTrackingKey: hasHistory])
        raw = try folder.raw()
        last = try StoreRows(raw, model, layout)
        let store = try #require(coordinator.persistentStores.first)
        stopListening = store.listen { [announced] changes in announced.withLock { $0.append(changes) } }
    }

    /// Returns the faults of what was announced since the last call, during which there was one transaction at most.
    ///
    /// - Parameter omit: Removes a part of what was announced, to show that the check finds it.
    func faults(_ omit: (inout CommittedChanges) -> Void = { _ in }) throws -> [String] {
        let rows = try StoreRows(raw, model, layout)
        var changes = announced.withLock { announced in
            defer { announced = [] }
            return announced
        }
        for index in changes.indices { omit(&changes[index]) }
        commits += changes.count
        if changes.count > 1 { return ["one transaction was announced \(changes.count) times"] }
        let check = CommitCheck(model, layout, before: last, after: rows, changes: changes.first)
        last = rows
        let faults = check.faults()
        guard hasHistory else { return faults }
        let transactions = try GraphLibrary.context(coordinator).transactions(.fetchHistory(after: token))
        token = transactions.last?.token ?? token
        return faults + check.faults(in: transactions.flatMap { $0.changes ?? [] }.compactMap(stored))
    }

    private func stored(_ change: NSPersistentHistoryChange) -> StoredChange? {
        let object = change.changedObjectID.reference
        guard let entity = model.entity(named: object.entityName) else { return nil }
        return StoredChange(
            number: change.changeID, row: RowID(entity: entity.number, key: object.key), type: change.changeType,
            properties: change.updatedProperties?.map(\.name), tombstone: [:])
    }

    /// Closes the store, and returns what a verification finds.
    func end() throws -> [String] {
        stopListening()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return try StoreVerification.findings(of: folder.url(), model: model).map { "\($0)" }
    }
}
