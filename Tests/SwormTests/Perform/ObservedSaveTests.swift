import Foundation
import Sworm
import SwormTools
import Testing

// Core Data posts a notification when a save happens, whatever the result of the enclosing call is.
#if !canImport(CoreData)
@Suite("Observers of saves")
struct ObservedSaveTests {
    typealias Volume = Shelf.Volume
    private struct Failure: Error {}

    private let test: TestStore
    private var store: PersistentContainer { test.container }

    init() throws {
        test = try TestStore(for: Volume.self, in: .file) { _ = try $0.insert(Volume(id: 1, title: "one")) }
    }

    /// Calls a closure after each save of a context, until the result is removed from the notification center.
    private func observe(
        _ context: ManagedObjectContext, _ action: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context.instance, queue: nil, using: action)
    }

    @Test func `an observer writes in the call, and the write is committed`() throws {
        let store = store
        let writes = Locked(0)
        // Unsafe: the notification is posted on this thread, inside the call.
        nonisolated(unsafe) var observer: (any NSObjectProtocol)?
        try store.perform { context in
            observer = observe(context) { _ in
                let number = writes.withLock { writes in
                    writes += 1
                    return writes
                }
                guard number == 1 else { return }
                _ = try? store.perform { try $0.update(Volume.all, set: (\.pages, 7)) }
            }
            _ = try context.update(Volume.all, set: (\.title, "two"))
            _ = try context.insert(Volume(id: 2))
        }
        try NotificationCenter.default.removeObserver(#require(observer))
        #expect(writes.withLock { $0 } == 1)
        #expect(try store.read { try $0.decode(Volume.all.sort(\.id)).map(\.pages) } == [7, 7])
        // The write lock was given back.
        let other = try PersistentContainer(for: Volume.self, at: .file(#require(test.url)), timeout: 1)
        try other.write { _ = try $0.insert(Volume(id: 3)) }
    }

    @Test func `a save that an inner call undid is not announced`() throws {
        let store = store
        let reported = Locked<[Int]>([])
        // Unsafe: the notification is posted on this thread, inside the call.
        nonisolated(unsafe) var observer: (any NSObjectProtocol)?
        try store.perform { context in
            observer = observe(context) { notification in
                let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
                reported.withLock { $0.append(inserted.count) }
            }
            _ = try context.update(Volume.all, set: (\.pages, 7))
            #expect(throws: Failure.self) {
                try store.perform { inner in
                    _ = try inner.insert(Volume(id: 2))
                    _ = try inner.insert(Volume(id: 3))
                    try inner.instance.save()
                    throw Failure()
                }
            }
            _ = try context.insert(Volume(id: 4))
        }
        try NotificationCenter.default.removeObserver(#require(observer))
        #expect(reported.withLock { $0 } == [1])
        #expect(try store.read { try $0.decode(Volume.all.sort(\.id)).map(\.id) } == [1, 4])
    }
}
#endif
