import Foundation
import Sworm
import Testing

@Suite("Contexts that a container shares")
struct SharedContextTests {
    typealias Volume = Shelf.Volume

    @Test func `a perform that fails keeps changes of other contexts, and saves nothing of its own`() throws {
        let context = try sharedContext(of: Volume.self)
        let store = PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: false)
        try store.perform { try $0.insert(Volume(id: 1, title: "saved")) }
        let kept = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Volume")).first)
        // A change of somebody else's, not saved yet.
        kept.setValue("pending", forKey: "title")
        #expect(throws: StoreError.Missing.self) {
            try store.perform { inner in
                try inner.insert(Volume(id: 2))
                try inner.fetchOne(Volume.all.where(\.id == 1))?.encode(\.pages, 99)
                throw StoreError.Missing()
            }
        }
        #expect(kept.value(forKey: "title") as? String == "pending")
        #expect(kept.value(forKey: "pages") as? Int == 0)
        #expect(context.insertedObjects.isEmpty)
        #expect(context.updatedObjects == [kept])
        let refused = storeError { try store.perform { try $0.insert(Volume(id: 1)) } }
        #expect(refused?.code == .uniquenessViolation)
        #expect(kept.value(forKey: "title") as? String == "pending" && context.insertedObjects.isEmpty)
        // The next one that succeeds saves nothing of the failed ones.
        try store.perform { try $0.insert(Volume(id: 3)) }
        #expect(!context.hasChanges)
        let titles = try store.perform {
            try $0.decode(Volume.all.sort(\.id)).map { "\($0.id) \($0.title) \($0.pages)" }
        }
        #expect(titles == ["1 pending 0", "3  0"])
        #expect(kept.managedObjectContext === context)
    }

    @Test func `objects of a context of the main queue stay valid`() throws {
        let context = try sharedContext(of: Volume.self, .mainQueueConcurrencyType)
        // By default contexts are cleaned up, but not this kind.
        let store = PersistentContainer(managedObjectContext: { context })
        let isMain = Thread.isMainThread
        try store.perform { try $0.insert(Volume(id: 1, title: "shown")) }
        let kept = try context.performAndWait {
            try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Volume")).first)
        }
        try store.perform { try $0.fetchOne(Volume.all)?.encode(\.title, "changed") }
        #expect(throws: StoreError.Missing.self) {
            try store.perform { inner in
                try inner.delete(Volume.all)
                throw StoreError.Missing()
            }
        }
        context.performAndWait {
            #expect(kept.managedObjectContext === context)
            #expect(kept.value(forKey: "title") as? String == "changed")
            #expect(!kept.isDeleted)
        }
        #expect(isMain == Thread.isMainThread)
    }

    @Test func `a private context is reset after each perform, unless an option prevents it`() throws {
        for cleansUp in [true, false] {
            let context = try sharedContext(of: Volume.self)
            let store = PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: cleansUp)
            try store.perform { try $0.insert(Volume(id: 1)) }
            let kept = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Volume"))
            try store.perform { _ = try $0.fetch(Volume.all) }
            #expect((kept.first?.managedObjectContext == nil) == cleansUp)
        }
    }

    @Test func `a deletion that is undone restores members that were read in the meantime`() throws {
        let context = try sharedContext(of: Volume.self)
        let store = PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: false)
        try store.perform { context in
            let volume = try context.insert(Volume(id: 1))
            for text in ["a", "b"] { try volume.remarks.add(context.insert(Shelf.Remark(text: text))) }
            try volume.writers.add(context.insert(Shelf.Writer(id: 1)))
        }
        #expect(throws: StoreError.Missing.self) {
            try store.perform { context in
                try context.delete(Shelf.Remark.all.where(\.text == "a"))
                try context.delete(Shelf.Writer.all)
                let volume = try #require(try context.fetchOne(Volume.all))
                #expect(volume.remarks.count == 1 && volume.writers.isEmpty)
                throw StoreError.Missing()
            }
        }
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            #expect(try volume.remarks.decode().map(\.text) == ["a", "b"] && volume.writers.count == 1)
        }
    }

    @Test func `a context that is shared works on after a schedule on it was cancelled`() async throws {
        let context = try sharedContext(of: Volume.self)
        let store = PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: false)
        try store.perform { context in for id in 0..<10 { try context.insert(Volume(id: id)) } }
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        var turns = starts.makeAsyncIterator()
        let gate = DispatchSemaphore(value: 0)
        let held: @Sendable () async throws -> Int = {
            try await store.schedule { context in
                started.yield()
                _ = gate.wait(timeout: .now() + 1800)
                return try context.count(of: Volume.all)
            }
        }
        let task = Task { try await held() }
        await turns.next()
        task.cancel()
        gate.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.schedule { try $0.count(of: Volume.all) } == 10)
        // One that waits for its turn is cancelled: the one that has it is not stopped.
        let running = Task { try await held() }
        await turns.next()
        let waiting = Task { try await store.schedule { try $0.count(of: Volume.all) } }
        waiting.cancel()
        gate.signal()
        #expect(try await running.value == 10)
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(try store.perform { try $0.count(of: Volume.all) } == 10)
    }
}
