// Core Data has nothing of this on Apple's platforms.
#if !canImport(CoreData)
import Foundation
import Sworm
import SwormSQLite
import SwormTools
import Testing

@Suite("Backups and checkpoints")
struct BackupTests {
    typealias Volume = Shelf.Volume

    private let test: TestStore
    private let url: URL
    private var store: PersistentContainer { test.container }
    private var target: URL { url.deletingLastPathComponent().appendingPathComponent("backup.sqlite") }

    init() throws {
        test = try TestStore(for: Volume.self, in: .file) { context in
            try context.insert(contentsOf: (1...200).map { Volume(id: $0, title: "volume \($0)") })
        }
        url = try #require(test.url)
    }

    private func names(beside url: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).sorted()
    }

    @Test func `a backup is one sound file, and a later one replaces it`() throws {
        try store.backup(to: target)
        try store.write { try $0.insert(Volume(id: 201)) }
        #expect(try count(target) == 200)
        try store.backup(to: target)
        #expect(try count(target) == 201)
        #expect(try names(beside: url).filter { $0.contains("backup") && !$0.hasPrefix("backup.sqlite") } == [])
    }

    private func count(_ url: URL) throws -> Int {
        try PersistentContainer(for: Volume.self, at: .readOnly(url)).read { try $0.count(of: Volume.all) }
    }

    @Test func `a backup is one state during writes`() async throws {
        let (store, target, isDone) = (test.container, self.target, Locked(false))
        // Two rows always change together.
        let writer = Task {
            var pages = 0
            while !isDone.withLock({ $0 }) {
                pages += 1
                try await store.write { [pages] context in
                    try context.update(Volume.all.where { $0.id == 1 }, set: (\.pages, pages))
                    try context.update(Volume.all.where { $0.id == 200 }, set: (\.pages, pages))
                }
            }
            return pages
        }
        var last = -1
        for _ in 0..<5 {
            try store.backup(to: target)
            let copy = try PersistentContainer(for: Volume.self, at: .readOnly(target))
            let pages = try await copy.read { context in
                try context.decode(Volume.all.where { $0.id == 1 || $0.id == 200 }).map(\.pages)
            }
            #expect(pages.count == 2 && pages[0] == pages[1] && pages[0] >= last)
            last = pages[0]
        }
        isDone.withLock { $0 = true }
        #expect(try await writer.value >= last)
    }

    @Test func `the store's own file, and a store that is open, are rejected as targets`() throws {
        #expect(storeError { try store.backup(to: url) } != nil)
        try store.backup(to: target)
        let reader = try PersistentContainer(for: Volume.self, at: .file(target), timeout: 0.1)
        #expect(try reader.read { try $0.count(of: Volume.all) } == 200)
        let other = try PersistentContainer(for: Volume.self, at: .file(url), timeout: 0.1)
        #expect(storeError { try other.backup(to: target) } != nil)
        #expect(try reader.read { try $0.count(of: Volume.all) } == 200)
        #expect(storeError { try store.backup(to: target, deadline: .now - .seconds(1)) } != nil)
        try test.verify()
    }

    @Test func `leftover files next to the target are not mistaken for the backup's own`() throws {
        try store.backup(to: target)
        let old = try PersistentContainer(for: Volume.self, at: .file(target))
        try old.write { try $0.update(Volume.all, set: (\.pages, 66)) }
        // The store is gone, and its log is not.
        let log = try Data(contentsOf: URL(fileURLWithPath: target.path + "-wal"))
        try old.close()
        try FileManager.default.removeItem(at: target)
        try log.write(to: URL(fileURLWithPath: target.path + "-wal"))
        try store.backup(to: target)
        let copy = try PersistentContainer(for: Volume.self, at: .readOnly(target))
        #expect(try copy.read { try $0.count(of: Volume.all.where { $0.pages == 66 }) } == 0)
        #expect(try copy.read { try $0.count(of: Volume.all) } == 200)
    }

    @Test func `a target that is in use is named when the time is over`() throws {
        try store.backup(to: target)
        let reader = try PersistentContainer(for: Volume.self, at: .file(target))
        #expect(try reader.read { try $0.count(of: Volume.all) } == 200)
        let error = storeError { try store.backup(to: target, deadline: .now + .milliseconds(100)) }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("backup.sqlite") ?? false)
        #expect(error?.message.contains("migrat") == false)
    }

    @Test(arguments: ["memory", "WAL", "DELETE"])
    func `nothing is copied that is not committed`(_ kind: String) throws {
        let store: PersistentContainer
        if kind == "memory" {
            store = try PersistentContainer(for: Volume.self, at: .memory)
        } else {
            let file = url.deletingLastPathComponent().appendingPathComponent("\(kind).sqlite")
            let context = try sharedContext(of: Volume.self, at: file, pragmas: ["journal_mode": kind])
            store = PersistentContainer(managedObjectContext: { context })
        }
        try store.write { try $0.insert(Volume(id: 1)) }
        for isWrite in [true, false] {
            func work(_ context: ManagedObjectContext) throws {
                try context.insert(contentsOf: [Volume(id: 2)])
                let error = storeError { try store.backup(to: target) }
                #expect(error?.code == (kind == "WAL" ? nil : .wouldDeadlock))
                throw StoreError.Missing()
            }
            #expect(throws: StoreError.Missing.self) {
                if isWrite { try store.write(work) } else { try store.perform(action: work) }
            }
            if kind == "WAL" { #expect(try count(target) == 1) }
        }
        try store.read { context in
            _ = try context.count(of: Volume.all)
            try store.backup(to: target)
        }
        #expect(try count(target) == 1)
    }

    @Test func `a store in memory is backed up too`() throws {
        let memory = try PersistentContainer(for: Volume.self, at: .memory)
        try memory.write { try $0.insert(Volume(id: 1)) }
        try memory.backup(to: target)
        #expect(try count(target) == 1)
    }

    // MARK: Checkpoints

    private var logSize: Int {
        (try? FileManager.default.attributesOfItem(atPath: url.path + "-wal")[.size] as? Int) ?? 0
    }

    @Test func `a checkpoint moves the log into the file`() throws {
        try store.write { try $0.update(Volume.all, set: (\.pages, 1)) }
        #expect(logSize > 0)
        let passive = try store.checkpoint(.passive)
        #expect(passive.frames > 0 && passive.moved == passive.frames)
        for mode in PersistentContainer.CheckpointMode.allCases {
            try store.write { try $0.update(Volume.all, set: (\.pages, 2)) }
            let result = try store.checkpoint(mode)
            #expect(result.moved == result.frames)
        }
        #expect(logSize == 0)
        #expect(try PersistentContainer(for: Volume.self, at: .memory).checkpoint().frames == 0)
    }

    private func checkpointError(
        _ store: PersistentContainer, deadline: ContinuousClock.Instant? = nil
    ) -> StoreError? {
        storeError { try store.checkpoint(.truncate, deadline: deadline) }
    }

    @Test func `a checkpoint waits for readers, and new ones for it`() async throws {
        let (store, began, goOn) = (test.container, AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let reader = Task {
            try await store.read { context in
                _ = try context.count(of: Volume.all)
                began.continuation.finish()
                goOn.wait()
            }
        }
        for await _ in began.stream {}
        try await store.write { try $0.update(Volume.all, set: (\.pages, 1)) }
        let error = checkpointError(store, deadline: .now + .milliseconds(40))
        #expect(error?.code == .timedOut)
        #expect(try await store.read { try $0.count(of: Volume.all) } == 200)
        goOn.signal()
        try await reader.value
        #expect(try store.checkpoint(.truncate).frames >= 0)
        #expect(logSize == 0)
        let inside = try await store.read { _ in checkpointError(store)?.code }
        #expect(inside == .wouldDeadlock)
    }

    @Test func `checkpoints wait for those that the store makes by itself`() async throws {
        let store = test.container
        let isDone = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // More than a thousand pages for each of some of them, so that the store moves its log again and again.
                for number in 1...40 {
                    try await store.write { context in
                        try context.insert(
                            contentsOf: (1...400).map {
                                Volume(id: number * 1000 + $0, title: String(repeating: "long ", count: 80))
                            })
                    }
                }
                isDone.withLock { $0 = true }
            }
            for mode in [PersistentContainer.CheckpointMode.passive, .passive, .full] {
                group.addTask {
                    while !isDone.withLock({ $0 }) {
                        _ = try await Task.detached { try store.checkpoint(mode) }.value
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { try $0.count(of: Volume.all) } == 16_200)
    }

    @Test func `a held snapshot delays only a checkpoint`() async throws {
        let model = try NSManagedObjectModel(tables: Volume.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: Volume.entityName))
        }
        try await store.write { try $0.update(Volume.all, set: (\.pages, 1)) }
        // On threads of their own, so that a busy pool of the other tests does not decide.
        let (store, isDone, writes) = (test.container, Locked(false), Locked(0))
        let error = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let error = checkpointError(store, deadline: .now + .seconds(2))
                isDone.withLock { $0 = true }
                continuation.resume(returning: error)
            }
            Thread.detachNewThread {
                while !isDone.withLock({ $0 }) {
                    _ = try? store.write { try $0.update(Volume.all.where { $0.id == 1 }, set: (\.pages, 2)) }
                    writes.withLock { $0 += 1 }
                    usleep(5000)
                }
            }
        }
        #expect(error?.code == .timedOut)
        // One that lasted for all the time would have let through one write at most.
        #expect(writes.withLock { $0 } > 3)
        context.performAndWait { context.reset() }
        #expect(checkpointError(store) == nil)
    }

    @Test func `a log that keeps restarting does not delay other calls`() async throws {
        let model = try NSManagedObjectModel(tables: Volume.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try store.close()
        // Two thousand pages, of which each write below changes two hundred.
        let options: [String: Any] = [
            NSSQLitePragmasOption: ["journal_size_limit": "8240000"], NSPersistentStoreTimeoutOption: 10.0,
        ]
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let store = PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        })
        let end = ContinuousClock.now + .seconds(3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    while ContinuousClock.now < end {
                        if number < 6 {
                            // Some keep the log from beginning anew for as long as its attempts last.
                            try await store.read { context in
                                _ = try context.count(of: Volume.all)
                                Thread.sleep(forTimeInterval: number == 0 ? 0.3 : 0.002)
                            }
                        } else {
                            let title = String(repeating: "\(Int.random(in: 0...9))", count: 3_400)
                            try await store.write { try $0.update(Volume.all, set: (\.title, title)) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try store.close()
    }

    @Test func `the log stays short under constant reading`() async throws {
        let model = try NSManagedObjectModel(tables: Volume.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSSQLitePragmasOption: ["journal_size_limit": "400000"]])
        try store.close()
        let store = PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        })
        let (isDone, longest) = (Locked(false), Locked(0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Readers that follow each other so closely that there is always one.
            for _ in 0..<3 {
                group.addTask {
                    while !isDone.withLock({ $0 }) {
                        try await store.read { context in
                            _ = try context.count(of: Volume.all)
                            Thread.sleep(forTimeInterval: 0.004)
                        }
                    }
                }
            }
            let path = url.path + "-wal"
            group.addTask {
                for pages in 0..<1200 {
                    try await store.write { try $0.update(Volume.all, set: (\.pages, pages)) }
                    let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
                    longest.withLock { $0 = max($0, size) }
                }
                isDone.withLock { $0 = true }
            }
            try await group.waitForAll()
        }
        // Without a gate it is 1200 times what one transaction writes: 15 MB. A busy machine may let some attempts fail.
        #expect(longest.withLock { $0 } < 8_000_000)
        #expect(try await store.read { try $0.count(of: Volume.all.where { $0.pages == 1199 }) } == 200)
    }
}
#endif
