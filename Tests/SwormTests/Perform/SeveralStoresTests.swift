// On Apple's platforms bulk writes are saves, and these follow Core Data.
#if !canImport(CoreData)
import Foundation
import OpenCoreData
@testable import Sworm
import SwormSQLite
import Testing
import SwormRows

@Suite("Containers over several stores")
struct SeveralStoresTests {
    typealias Counter = SnapshotWriteTests.Counter
    typealias Entry = SnapshotWriteTests.Entry

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator
    private let store: PersistentContainer

    init() throws {
        folder = try StoreFolder()
        let model = try NSManagedObjectModel(tables: Counter.self, Entry.self)
        for name in [Counter.entityName, Entry.entityName] {
            model.setEntities([try #require(model.entitiesByName[name])], forConfigurationName: name)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for name in [Counter.entityName, Entry.entityName] {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: folder.file("\(name).sqlite"), options: nil)
        }
        self.coordinator = coordinator
        store = PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        })
        try store.perform { try $0.insert(Counter(id: 1)) }
    }

    private func counts() throws -> [Int] {
        try store.read { [try $0.count(of: Counter.all), try $0.count(of: Entry.all)] }
    }

    /// Calls a closure when the first transaction is committed that was begun to write.
    private func atFirstCommit(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let isArmed = Locked(false)
        for store in coordinator.persistentStores {
            _ = store.objectStore.add(
                StatementWatch { statement in
                    guard statement.sql == "COMMIT" else { return }
                    let isFirst = isArmed.withLock { isArmed in
                        defer { isArmed = false }
                        return isArmed
                    }
                    if isFirst { body() }
                })
        }
        return { isArmed.withLock { $0 = true } }
    }

    private static let writes: [(String, @Sendable (ManagedObjectContext) throws -> Void)] = [
        (
            "in bulk",
            { context in
                try context.insert(contentsOf: [Counter(id: 2)])
                try context.insert(contentsOf: [Entry(text: "a")])
            }
        ),
        (
            "as objects",
            { context in
                try context.insert(Counter(id: 2))
                try context.insert(Entry(text: "a"))
            }
        ),
        (
            "both ways",
            { context in
                try context.insert(contentsOf: [Counter(id: 2)])
                try context.insert(Entry(text: "a"))
            }
        ),
    ]

    @Test func `a commit in one of them is followed by those in all, however late`() throws {
        for (name, write) in Self.writes {
            let end = ContinuousClock.now + .milliseconds(300)
            let arm = atFirstCommit { while .now < end + .milliseconds(10) { usleep(5_000) } }
            try store.perform(deadline: end) { context in
                try write(context)
                arm()
            }
            #expect(ContinuousClock.now > end, "\(name)")
            #expect(try counts() == [2, 1], "\(name)")
            try store.perform { context in
                try context.batchDelete(Counter.all.where(\.id == 2))
                try context.batchDelete(Entry.all)
            }
        }
    }

    @Test func `a task that is cancelled between two commits has saved everything`() async throws {
        for (name, write) in Self.writes {
            let task = Locked<Task<Void, any Error>?>(nil)
            let arm = atFirstCommit { task.withLock { $0?.cancel() } }
            let store = self.store
            let began = DispatchSemaphore(value: 0)
            let running = Task {
                try await store.schedule { context in
                    began.wait()
                    try write(context)
                    arm()
                }
            }
            task.withLock { $0 = running }
            began.signal()
            // The call may say that it was cancelled only if nothing was saved.
            try await running.value
            #expect(try await store.read { try $0.count(of: Counter.all) + $0.count(of: Entry.all) } == 3, "\(name)")
            try await store.schedule { context in
                try context.batchDelete(Counter.all.where(\.id == 2))
                try context.batchDelete(Entry.all)
            }
        }
    }

    /// Changes the counter, which somebody else changes in between, and inserts into the second store.
    private func conflict(_ context: ManagedObjectContext) throws {
        let counter = try #require(try context.fetchOne(Counter.all))
        let value = try counter.decode(\.value)
        try context.insert(Entry(text: "mine"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try PersistentContainer(managedObjectContext: { context }).perform {
            try $0.fetchOne(Counter.all)?.encode(\.value, value + 10)
        }
        try counter.encode(\.value, value + 1)
    }

    @Test func `a conflict in one of them leaves nothing in another`() throws {
        #expect(storeError { try store.perform(action: conflict) }?.code == .conflict)
        #expect(try counts() == [1, 0])
        try store.perform { try $0.insert(Entry(text: "next")) }
        #expect(try counts() == [1, 1])
    }

    @Test func `the last repetition is a perform, too`() throws {
        var runs = 0
        let error = storeError {
            try store.perform(retrying: 2) { context in
                runs += 1
                try conflict(context)
            }
        }
        #expect(error?.code == .conflict && runs == 3)
        runs = 0
        try store.perform(retrying: 2) { context in
            runs += 1
            if runs < 3 { try conflict(context) } else { try context.insert(Entry(text: "last")) }
        }
        #expect(try counts() == [1, 1])
    }

    @Test func `a write is unsupported before it waits for anything`() async throws {
        let single = NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
        let file = folder.file("\(Entry.entityName).sqlite")
        try single.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: Entry.entityName, at: file, options: nil)
        let one = PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = single
            return context
        })
        let goOn = await holdWriteLock(of: one)
        let store = self.store
        let error = storeErrorNow { try store.write(deadline: .now + .milliseconds(100)) { _ in } }
        #expect(error?.code == .unsupported)
        let later = await storeError { try await store.write(deadline: .now + .milliseconds(100)) { _ in } }
        #expect(later?.code == .unsupported)
        goOn.signal()
    }

    /// Not asynchronous, so that the synchronous forms are called.
    private func storeErrorNow(_ body: () throws -> Void) -> StoreError? { storeError(body) }
}
#endif
