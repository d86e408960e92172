import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

/// A row with a unique key and two strings, and nothing else.
struct UndoneRow: ManagedObjectConvertible, Equatable, Sendable, CustomStringConvertible {
    var key = 0
    var a = ""
    var b = ""
    static let attributes: Set<Attribute<UndoneRow>> = [.init(\.key, "key", .unique), .init(\.a, "a"), .init(\.b, "b")]
    var description: String { "\(key):\(a)/\(b)" }
}

@Suite("A perform inside of another one that throws after it wrote in bulk", .overEachStore)
struct UndoneWriteTests {
    typealias Row = UndoneRow
    private struct Failure: Error {}

    static let policies: [NSMergePolicyType] = [
        .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    private func makeStore() throws -> TestStore {
        try TestStore.tested(for: Row.self) { context in
            try context.insert(contentsOf: [Row(key: 1, a: "a1", b: "b1"), Row(key: 2, a: "a2", b: "b2")])
        }
    }

    private func rows(_ store: PersistentContainer) throws -> [Row] {
        try store.perform { try $0.decode(Row.all.sort(\.key)) }
    }

    @Test func `leaves handles with the values that were there before`() throws {
        let test = try makeStore()
        let store = test.container
        try store.perform { context in
            #expect(throws: Failure.self) {
                try store.perform { inner in
                    _ = try inner.update(Row.all, set: (\.b, "UNDONE"))
                    try inner.fetchOne(Row.all.where { $0.key == 1 })?.encode(\.a, "UNDONE")
                    throw Failure()
                }
            }
            let handle = try #require(try context.fetchOne(Row.all.where { $0.key == 1 }))
            #expect(try handle.decode() == Row(key: 1, a: "a1", b: "b1"))
            // What equals an undone value is a change all the same.
            try handle.encode(Row(key: 1, a: "new", b: "UNDONE"))
            #expect(try context.decode(Row.all.sort(\.key)).first == Row(key: 1, a: "new", b: "UNDONE"))
        }
        #expect(try rows(store) == [Row(key: 1, a: "new", b: "UNDONE"), Row(key: 2, a: "a2", b: "b2")])
        try test.verifyIfFile()
    }

    @Test(arguments: ["encode", "delete", "fetch", "relate"])
    func `leaves nothing of rows whose keys other rows get later`(touch: String) throws {
        let test = try makeStore()
        let store = test.container
        let wanted = [Row(key: 108, a: "right", b: "right"), Row(key: 109, a: "right", b: "right")]
        try store.perform { context in
            #expect(throws: Failure.self) {
                try store.perform { inner in
                    try inner.insert(
                        contentsOf: [Row(key: 8, a: "UNDONE8", b: "x"), Row(key: 9, a: "UNDONE9", b: "x")])
                    for handle in try inner.fetch(Row.all.where { $0.key >= 8 }) {
                        switch touch {
                        case "encode": try handle.encode(\.b, "y")
                        case "delete": try inner.delete(handle)
                        case "relate": try store.perform { _ = try $0.object(with: handle.id).encode(\.a, "z") }
                        default: _ = try handle.decode()
                        }
                    }
                    throw Failure()
                }
            }
            try context.insert(contentsOf: wanted)
            #expect(try context.fetch(Row.all.sort(\.key)).dropFirst(2).map { try $0.decode() } == wanted)
            #expect(try context.decode(Row.all.where { $0.key >= 100 }.sort(\.key)) == wanted)
            // From now on objects are looked at.
            try context.insert(Row(key: 50, a: "pending", b: "pending"))
            #expect(try context.decode(Row.all.where { $0.key >= 100 }.sort(\.key)) == wanted)
            #expect(try context.update(Row.all.where { $0.key == 8 }, set: (\.b, "WRITTEN INTO ANOTHER ROW")) == 0)
            for handle in try context.fetch(Row.all.where { $0.key >= 100 }) {
                try handle.encode(\.b, try handle.decode(\.b) + "!")
            }
        }
        #expect(try rows(store).dropFirst(3).map(\.description) == ["108:right/right!", "109:right/right!"])
        try test.verifyIfFile()
    }

    @Test func `conditions find the stored rows`() throws {
        let test = try makeStore()
        let store = test.container
        try store.perform { context in
            _ = try? store.perform { inner in
                _ = try inner.update(Row.all.where { $0.key == 1 }, set: (\.b, "delete me"))
                try inner.fetchOne(Row.all.where { $0.key == 1 })?.encode(\.a, "z")
                throw Failure()
            }
            try context.insert(Row(key: 50, a: "pending", b: "pending"))
            try context.delete(Row.all.where { $0.b == "delete me" })
        }
        #expect(try rows(store).map(\.key) == [1, 2, 50])
        try test.verifyIfFile()
    }

    @Test(arguments: policies)
    func `no conflict without a concurrent change, under any policy`(
        _ policy: NSMergePolicyType
    ) throws {
        let store = try PersistentContainer(for: Row.self, at: .tested, mergePolicy: policy)
        try store.perform { try $0.insert(contentsOf: [Row(key: 1, a: "a1", b: "b1")]) }
        try store.perform { context in
            _ = try? store.perform { inner in
                _ = try inner.update(Row.all, set: (\.b, "UNDONE"))
                try inner.fetchOne(Row.all)?.encode(\.a, "UNDONE")
                throw Failure()
            }
            try context.fetchOne(Row.all)?.encode(\.a, "new")
        }
        #expect(try rows(store) == [Row(key: 1, a: "new", b: "b1")])
    }

    @Test(.over(.memory)) func `in a context of one's own, leaves nothing for the next perform`() throws {
        let stack = NSPersistentContainer(name: "x", managedObjectModel: try NSManagedObjectModel(tables: Row.self))
        stack.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
        stack.loadPersistentStores { _, error in #expect(error == nil) }
        let context = stack.newBackgroundContext()
        let store = PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: false)
        try store.perform { try $0.insert(contentsOf: [Row(key: 1, a: "a1", b: "b1")]) }
        #expect(throws: Failure.self) {
            try store.perform { context in
                _ = try context.update(Row.all, set: (\.b, "UNDONE"))
                try context.fetchOne(Row.all)?.encode(\.a, "UNDONE")
                throw Failure()
            }
        }
        #expect(
            try store.perform { try $0.fetch(Row.all).map { try $0.decode() } } == [Row(key: 1, a: "a1", b: "b1")])
    }

    #if !canImport(CoreData)
    // Only a file has one lock for all writers.
    @Test(.over(.file)) func `keeps the snapshot of the outer one, though the writing began inside`() throws {
        let test = try makeStore()
        let store = test.container
        let other = try PersistentContainer(for: Row.self, at: test.location, timeout: 0.1)
        try store.perform { context in
            #expect(try context.count(of: Row.all) == 2)
            for _ in 0..<3 {
                _ = try? store.perform { inner in
                    try store.perform { innermost in
                        try innermost.insert(contentsOf: [Row(key: 8), Row(key: 9)])
                    }
                    #expect(try inner.count(of: Row.all) == 4)
                    throw Failure()
                }
                #expect(try context.count(of: Row.all) == 2)
                // It holds the write lock until it ends.
                #expect(storeError { try other.perform { try $0.insert(Row(key: 20)) } }?.code == .wouldDeadlock)
            }
            try context.insert(contentsOf: [Row(key: 3)])
        }
        #expect(try rows(store).map(\.key) == [1, 2, 3])
        try test.verifyIfFile()
    }
    #endif
}
