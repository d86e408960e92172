import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("read, perform and write", .overEachStore)
struct AccessTests {
    typealias Volume = Shelf.Volume
    typealias Remark = Shelf.Remark
    private struct Failure: Error {}

    private let test: TestStore
    private var store: PersistentContainer { test.container }

    init() throws {
        test = try TestStore.tested(for: Volume.self) { context in
            let volume = try context.insert(Volume(id: 1, title: "one"))
            try volume.remarks.add(context.insert(Remark(text: "r")))
        }
    }

    /// Every way to change something.
    private static let changes: [(name: String, ManagedObjectChange)] = [
        ("insert", { context, _ in try context.insert(Volume(id: 9)) }),
        ("encode", { _, volume in try volume.encode(\.pages, 9) }),
        ("encode nil", { _, volume in try volume.encode(\.price, 9) }),
        ("encode all", { _, volume in try volume.encode(Volume(id: 9)) }),
        ("delete", { context, volume in try context.delete(volume) }),
        ("delete all", { context, _ in try context.delete(Volume.all) }),
        ("add", { _, volume in try volume.prequels.add(volume) }),
        ("remove", { _, volume in try volume.remarks.remove(#require(volume.remarks.first)) }),
        ("move", { _, volume in try volume.remarks.move(from: 0, to: 0) }),
        ("replace", { _, volume in try volume.remarks.replace(with: []) }),
        ("removeAll", { _, volume in try volume.remarks.removeAll() }),
        ("set", { context, volume in try volume.set(\.cover, value: nil, context: context) }),
        ("insert many", { context, _ in try context.insert(contentsOf: [Volume(id: 9)]) }),
        ("upsert", { context, _ in try context.upsert([Volume(id: 9)], on: \.id) }),
        ("update", { context, _ in try context.update(Volume.all, set: (\.pages, 9)) }),
        ("batchDelete", { context, _ in try context.batchDelete(Volume.all) }),
    ]
    typealias ManagedObjectChange = @Sendable (ManagedObjectContext, ManagedObject<Volume>) throws -> Void

    @Test func `a read rejects every change, and continues`() throws {
        for (name, change) in Self.changes {
            try store.read { context in
                let volume = try #require(try context.fetchOne(Volume.all))
                let error = storeError { try change(context, volume) }
                #expect(error?.code == .readOnly, "\(name)")
                #expect(error?.message.contains("read") ?? false)
                #expect(try volume.decode().title == "one")
            }
        }
        #expect(try store.read { try $0.decode(Volume.all) } == [Volume(id: 1, title: "one")])
        try test.verifyIfFile()
    }

    @Test func `an assignment inside of a read is thrown at its end`() throws {
        let error = storeError {
            try store.read { context in try context.fetchOne(Volume.all)?.cover = nil }
        }
        #expect(error?.code == .readOnly)
    }

    @Test func `a perform inside of a read joins it and may not change anything`() throws {
        try store.read { context in
            let count = try context.count(of: Volume.all)
            #expect(count == 1)
            #expect(storeError { try store.perform { try $0.insert(Volume(id: 2)) } }?.code == .readOnly)
            #expect(storeError { try store.write { _ in Issue.record("It ran.") } }?.code == .readOnly)
            #expect(try store.perform { try $0.count(of: Volume.all) } == 1)
        }
    }

    @Test func `a read inside a perform sees its unsaved changes and rejects new ones`() throws {
        try store.perform { context in
            let volume = try context.insert(Volume(id: 2, title: "two"))
            try store.read { inner in
                let count = try inner.count(of: Volume.all)
                #expect(count == 2)
                #expect(storeError { try inner.insert(Volume(id: 3)) }?.code == .readOnly)
                // The handle of the outer one is bound by it too.
                #expect(storeError { try volume.encode(\.pages, 3) }?.code == .readOnly)
                #expect(storeError { try store.perform { try $0.insert(Volume(id: 3)) } }?.code == .readOnly)
            }
            try volume.encode(\.pages, 4)
        }
        #expect(try store.read { try $0.fetch(Volume.all.sort(\.id), \.pages) } == [0, 4])
    }

    @Test func `a write inside of a perform is an error before anything was written`() throws {
        try store.perform { context in
            _ = try context.count(of: Volume.all)
            let error = storeError { try store.write { _ in Issue.record("It ran.") } }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("Make the outer call a write") ?? false)
        }
    }

    @Test func `everything joins a write, and an error undoes only its own part`() throws {
        try store.write { context in
            try context.insert(contentsOf: [Volume(id: 2)])
            try store.perform { try $0.insert(Volume(id: 3)) }
            try store.write { try $0.insert(Volume(id: 4)) }
            #expect(try store.read { try $0.count(of: Volume.all) } == 4)
            #expect(throws: Failure.self) {
                try store.write { inner in
                    try inner.insert(contentsOf: [Volume(id: 5)])
                    try inner.insert(Volume(id: 6))
                    try inner.batchDelete(Volume.all.where(\.id == 1))
                    throw Failure()
                }
            }
        }
        #expect(try store.read { try $0.fetch(Volume.all.sort(\.id), \.id) } == [1, 2, 3, 4])
        try test.verifyIfFile()
    }

    @Test func `a write that throws saves nothing`() throws {
        #expect(throws: Failure.self) {
            try store.write { context in
                try context.insert(contentsOf: [Volume(id: 2)])
                try context.fetchOne(Volume.all.where(\.id == 1))?.encode(\.pages, 7)
                throw Failure()
            }
        }
        #expect(try store.read { try $0.decode(Volume.all) } == [Volume(id: 1, title: "one")])
        try store.write { try $0.insert(Volume(id: 2)) }
        #expect(try store.read { try $0.count(of: Volume.all) } == 2)
    }

    @Test func `a write gives the id of the object that it ends in`() throws {
        let id = try store.write { try $0.insert(Volume(id: 2, title: "two")) }
        #expect(!id.isTemporary)
        #expect(try store.read { try $0.object(with: id).decode(\.title) } == "two")
        #expect(try store.read { try $0.object(with: id) } == id)
    }

    @Test func `in an async function the asynchronous forms are called`() async throws {
        let id = try await store.write { try $0.insert(Volume(id: 2, title: "two")) }
        let titles = try await store.read { try $0.fetch(Volume.all.sort(\.id), \.title) }
        #expect(titles == ["one", "two"])
        try await store.write { try $0.object(with: id).encode(\.pages, 5) }
        let same = try await store.read { try $0.object(with: id) }
        #expect(same == id)
        let pages: Int = try await store.read { context in
            // Inside of the closure, which is synchronous, these are the synchronous ones.
            let inner = try store.read { try $0.object(with: id).decode(\.pages) }
            return inner
        }
        #expect(pages == 5)
        let error = await storeError { _ = try await store.read { try $0.insert(Volume(id: 3)) } }
        #expect(error?.code == .readOnly)
        let work: @Sendable (ManagedObjectContext) throws -> Int = { try $0.count(of: Volume.all) }
        #expect(try await store.read(work) == 2)
    }

    @Test func `a task that was cancelled before does not write`() async throws {
        let store = store
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await store.write { try $0.insert(Volume(id: 2)) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.read { try $0.count(of: Volume.all) } == 1)
    }

    @Test(.over(.file)) func `a store that was opened read-only fails at the call of a write`() throws {
        let copy = try PersistentContainer(for: Volume.self, at: .readOnly(#require(test.url)))
        #expect(storeError { try copy.write { _ in Issue.record("It ran.") } }?.code == .readOnly)
        #expect(try copy.read { try $0.count(of: Volume.all) } == 1)
    }

    #if !canImport(CoreData)
    @Test(.over(.file, .server)) func `a write holds the write lock from its first line`() throws {
        let other = try PersistentContainer(for: Volume.self, at: test.location, timeout: 0.05)
        try store.write { context in
            let onOther = onOtherThread {
                storeError { try other.write { _ in Issue.record("It ran.") } }?.code
            }
            #expect(onOther == .some(.timedOut))
            // A thread cannot wait for itself.
            #expect(storeError { try other.write { _ in Issue.record("It ran.") } }?.code == .wouldDeadlock)
            #expect(storeError { try other.perform { try $0.insert(Volume(id: 7)) } }?.code == .wouldDeadlock)
            let (seen, own) = (try other.read { try $0.count(of: Volume.all) }, try context.count(of: Volume.all))
            #expect(seen == 1 && own == 1)
        }
        try other.write { try $0.insert(Volume(id: 7)) }
    }

    @Test func `a write inside of a perform that has written in bulk joins it`() throws {
        try store.perform { context in
            try context.insert(contentsOf: [Volume(id: 2)])
            try store.write { try $0.insert(Volume(id: 3)) }
        }
        #expect(try store.read { try $0.count(of: Volume.all) } == 3)
    }

    @Test(.over(.file, .server)) func `a read sees one state while writes are committed`() throws {
        let other = try PersistentContainer(for: Volume.self, at: test.location)
        try store.read { context in
            #expect(try context.count(of: Volume.all) == 1)
            try other.write { try $0.insert(Volume(id: 2)) }
            #expect(try context.count(of: Volume.all) == 1)
        }
        #expect(try store.read { try $0.count(of: Volume.all) } == 2)
    }

    @Test(.over(.file, .server)) func `writes of two threads follow each other and lose no update`() async throws {
        let other = try PersistentContainer(for: Volume.self, at: test.location)
        let containers = [store, other]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await containers[number % 2].write { context in
                        let volume = try #require(try context.fetchOne(Volume.all))
                        try volume.encode(\.pages, try volume.decode(\.pages) + 1)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { try $0.decodeOne(Volume.all)?.pages } == 40)
    }
    #endif
}

@Suite("read and write over contexts of one's own")
struct OwnContextAccessTests {
    typealias Volume = Shelf.Volume

    private func makeContext(_ url: URL) throws -> NSManagedObjectContext {
        let stack = NSPersistentContainer(
            name: "x", managedObjectModel: try NSManagedObjectModel(tables: Volume.self))
        stack.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        stack.loadPersistentStores { _, error in #expect(error == nil) }
        return stack.newBackgroundContext()
    }

    @Test func `a write neither saves nor undoes earlier unsaved changes`() throws {
        let folder = try StoreFolder()
        let context = try makeContext(folder.file())
        let store = PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: false)
        try store.perform { try $0.insert(Volume(id: 1)) }
        context.performAndWait {
            let volume = NSEntityDescription.insertNewObject(forEntityName: Volume.entityName, into: context)
            volume.setValue(2, forKey: "id")
            volume.setValue("unsaved", forKey: "title")
        }
        try store.write { inner in
            #expect(try inner.fetch(Volume.all, \.id) == [1])
            try inner.insert(Volume(id: 3))
        }
        #expect(throws: StoreError.Missing.self) {
            try store.write { inner in
                try inner.insert(Volume(id: 4))
                throw StoreError.Missing()
            }
        }
        #expect(context.performAndWait { context.insertedObjects.count } == 1)
        let reader = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        #expect(try reader.read { try $0.fetch(Volume.all.sort(\.id), \.id) } == [1, 3])
        try context.performAndWait { try context.save() }
        #expect(try reader.read { try $0.fetch(Volume.all.sort(\.id), \.id) } == [1, 2, 3])
    }

    @Test func `a write reads rows again that the context had read before`() throws {
        let folder = try StoreFolder()
        let context = try makeContext(folder.file())
        context.retainsRegisteredObjects = true
        let store = PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: false)
        let other = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        try store.perform { try $0.insert(Volume(id: 1, pages: 1)) }
        #expect(try store.read { try $0.fetchOne(Volume.all)?.decode(\.pages) } == 1)
        try other.perform { try $0.fetchOne(Volume.all)?.encode(\.pages, 10) }
        try store.write { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            try volume.encode(\.pages, try volume.decode(\.pages) + 1)
        }
        #expect(try other.read { try $0.decodeOne(Volume.all)?.pages } == 11)
    }
}
