import Foundation
import Sworm
import SwormTools
import Testing

// Core Data's contexts serve one call each.
#if !canImport(CoreData)
@Suite("Contexts that serve one call after the other")
struct SpareContextTests {
    typealias Volume = Shelf.Volume
    private struct Failure: Error {}

    private let test: TestStore
    private var store: PersistentContainer { test.container }

    init() throws {
        test = try TestStore(for: Volume.self, in: .file) { _ = try $0.insert(Volume(id: 1, title: "one")) }
    }

    @Test func `a context serves the next call when the call before has ended`() throws {
        let first = try store.perform { ObjectIdentifier($0.instance) }
        weak let kept = try store.perform { $0.instance }
        #expect(kept.map { ObjectIdentifier($0) } == first)
        #expect(try store.read { ObjectIdentifier($0.instance) } == first)
        #expect(try store.write { ObjectIdentifier($0.instance) } == first)
    }

    @Test func `a context that is referred to serves no other call`() throws {
        let kept = try store.perform { $0.instance }
        try store.perform { #expect($0.instance !== kept) }
        try store.perform { #expect($0.instance !== kept) }
    }

    @Test func `a call that throws leaves no context for another call`() throws {
        weak var kept: NSManagedObjectContext?
        #expect(throws: Failure.self) {
            try store.perform { context in
                kept = context.instance
                _ = try context.fetchOne(Volume.all)
                throw Failure()
            }
        }
        #expect(kept == nil)
    }

    @Test func `settings of a call do not reach the next one`() throws {
        try store.perform { context in
            context.instance.name = "import"
            context.instance.transactionAuthor = "ann"
            context.instance.userInfo["key"] = "value"
            context.instance.automaticallyMergesChangesFromParent = true
            context.instance.mergePolicy = NSMergePolicy.overwrite
            context.instance.retainsRegisteredObjects = false
        }
        try store.perform { context in
            #expect(context.instance.name == nil)
            #expect(context.instance.transactionAuthor == nil)
            #expect(context.instance.userInfo.count == 0)
            #expect(!context.instance.automaticallyMergesChangesFromParent)
            #expect((context.instance.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
            #expect(context.instance.retainsRegisteredObjects)
        }
    }

    @Test func `objects of a call that has ended do not come back with its context`() throws {
        // Unsafe: the closure runs on this thread, before the call returns.
        nonisolated(unsafe) var escaped: NSManagedObject?
        let first = try store.perform { context in
            escaped = try context.fetchOne(Volume.all)?.instance
            return ObjectIdentifier(context.instance)
        }
        let object = try #require(escaped)
        try store.perform { context in
            #expect(ObjectIdentifier(context.instance) == first)
            #expect(object.managedObjectContext == nil)
            let found = try context.fetchOne(Volume.all)
            #expect(found?.instance !== object)
        }
    }

    @Test func `a handle that escaped keeps the context of its call from serving another`() throws {
        // Unsafe: the closure runs on this thread, before the call returns.
        nonisolated(unsafe) var escaped: ManagedObject<Volume>?
        let first = try store.perform { context in
            escaped = try context.fetchOne(Volume.all)
            return ObjectIdentifier(context.instance)
        }
        let handle = try #require(escaped)
        try store.perform { context in
            #expect(ObjectIdentifier(context.instance) != first)
            #expect(throws: StoreError.self) { try handle.encode(\.title, "two") }
            let title = try context.fetchOne(Volume.all)?.decode(\.title)
            #expect(title == "one")
        }
    }

    @Test func `calls at the same time have contexts of their own`() async throws {
        let store = store
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await store.schedule { context in
                            let title = "t\(number)"
                            let volume = try context.insert(Volume(id: number + 100, title: title))
                            #expect(context.instance.insertedObjects.count == 1)
                            try context.delete(volume)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await store.read { try $0.count(of: Volume.all) } == 1)
    }
}
#endif
