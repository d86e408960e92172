import Foundation
import Sworm
import SwormTools
import Testing

// Core Data has no bulk write that takes part in a transaction, so these are about this library's own engine.
#if !canImport(CoreData)
@Suite("Bulk writes that depend on earlier reads")
struct SnapshotWriteTests {
    struct Counter: ManagedObjectConvertible, Sendable {
        var id = 0
        var value = 0
        static let attributes: Set<Attribute<Counter>> = [.init(\.id, "id", .unique), .init(\.value, "value")]
    }
    struct Entry: ManagedObjectConvertible, Sendable {
        var text = ""
        static let attributes: Set<Attribute<Entry>> = [.init(\.text, "text")]
    }

    private static let policies: [NSMergePolicyType] = [
        .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    private let folder: StoreFolder
    private let other: PersistentContainer

    init() throws {
        folder = try StoreFolder()
        other = try PersistentContainer(for: Counter.self, Entry.self, at: .file(folder.file()))
        try other.perform { try $0.insert(Counter(id: 1, value: 0)) }
    }

    private func container(_ policy: NSMergePolicyType = .errorMergePolicyType) throws -> PersistentContainer {
        try PersistentContainer(for: Counter.self, Entry.self, at: .file(folder.file()), mergePolicy: policy)
    }

    private func addByOther() throws {
        try other.perform { context in
            let counter = try #require(try context.fetchOne(Counter.all))
            try counter.encode(\.value, try counter.decode(\.value) + 1)
            try context.insert(Entry(text: "other"))
        }
    }

    private var value: Int {
        get throws { try other.perform { try #require(try $0.decodeOne(Counter.all)).value } }
    }

    /// A way to read the counter, and to write a value that follows from it in bulk.
    enum Way: String, CaseIterable, Sendable {
        case decodeAndUpsert, decodeAndUpdate, fetchAndUpdate, countAndInsert, projectAndDelete, forEachAndUpdate

        func read(_ context: ManagedObjectContext) throws -> Int {
            switch self {
            case .decodeAndUpsert, .decodeAndUpdate: return try #require(try context.decodeOne(Counter.all)).value
            case .fetchAndUpdate: return try #require(try context.fetchOne(Counter.all)).decode(\.value)
            case .countAndInsert: return try context.count(of: Entry.all)
            case .projectAndDelete: return try #require(try context.fetch(Counter.all.select(\.value)).first)
            case .forEachAndUpdate:
                var value = 0
                try context.forEach(Counter.all) { value = $0.value }
                return value
            }
        }

        func write(_ value: Int, _ context: ManagedObjectContext) throws {
            switch self {
            case .decodeAndUpsert: try context.upsert([Counter(id: 1, value: value + 1)])
            case .countAndInsert: try context.insert(contentsOf: [Entry(text: "\(value)")])
            case .projectAndDelete: try context.batchDelete(Counter.all.where { $0.value == value })
            case .decodeAndUpdate, .fetchAndUpdate, .forEachAndUpdate:
                try context.update(Counter.all, set: (\.value, value + 1))
            }
        }
    }

    @Test(arguments: Way.allCases, policies)
    func `conflict with a commit after the read, under every policy`(_ way: Way, _ policy: NSMergePolicyType) throws {
        let mine = try container(policy)
        let error = storeError {
            try mine.perform { context in
                let value = try way.read(context)
                try addByOther()
                try way.write(value, context)
            }
        }
        #expect(error?.code == .conflict)
        #expect(try value == 1)
        // Nothing is in the way of the next one.
        try mine.perform { try way.write(try way.read($0), $0) }
    }

    @Test(arguments: Way.allCases, policies)
    func `conflict in the same way where unsaved changes have them done with objects`(
        _ way: Way, _ policy: NSMergePolicyType
    ) throws {
        let mine = try container(policy)
        try mine.perform { context in
            let value = try way.read(context)
            try context.insert(Counter(id: 50, value: value))
            try context.insert(Entry(text: "mine"))
            try addByOther()
            #expect(storeError { try way.write(value, context) }?.code == .conflict)
            #expect(storeError { try context.upsert([Counter(id: 51)], onConflict: .throw) }?.code == .conflict)
            #expect(try context.decode(Counter.all.sort(\.id)).map(\.value) == [0, value])
        }
        #expect(try other.perform { try $0.fetch(Counter.all.sort(\.id), \.id) } == [1, 50])
    }

    @Test func `do not conflict without a read before`() throws {
        let mine = try container()
        try mine.perform { context in
            try addByOther()
            try context.update(Counter.all, set: (\.value, 10))
            #expect(try context.decodeOne(Counter.all)?.value == 10)
            try context.insert(contentsOf: [Entry(text: "mine")])
        }
        #expect(try value == 10)
    }

    @Test func `leave the snapshot as it was when they conflict`() throws {
        let mine = try container()
        try mine.perform { context in
            #expect(try context.count(of: Entry.all) == 0)
            try addByOther()
            for _ in 0..<2 {
                #expect(storeError { try context.insert(contentsOf: [Entry(text: "mine")]) }?.code == .conflict)
                #expect(try context.count(of: Entry.all) == 0)
                #expect(try context.decodeOne(Counter.all)?.value == 0)
            }
        }
        #expect(try other.perform { try $0.count(of: Entry.all) } == 1)
    }

    @Test func `without values do not write`() throws {
        let mine = try container()
        try mine.perform { context in
            let before = try context.count(of: Entry.all)
            try addByOther()
            try context.insert(contentsOf: [Counter]())
            try context.insert(contentsOf: (0..<0).lazy.map { Counter(id: $0) })
            try context.insert(contentsOf: AnySequence([Counter]()))
            try context.upsert([Counter]())
            try context.upsert(AnySequence([Counter]()))
            #expect(try context.count(of: Entry.all) == before)
            // Nor do they take the write lock.
            try addByOther()
        }
        let error = storeError {
            try mine.perform { context in
                let counter = try #require(try context.fetchOne(Counter.all))
                let value = try counter.decode(\.value)
                try addByOther()
                try context.insert(contentsOf: [Entry]())
                try counter.encode(\.value, value + 1)
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.rows.map(\.entityName) == ["Counter"] && error?.rows.first?.key == 1)
    }

    @Test func `take values from a sequence that can be iterated once`() throws {
        let mine = try container()
        var next = 0
        let numbers = AnySequence(
            AnyIterator { () -> Counter? in
                next += 1
                return next < 4 ? Counter(id: 10 * next, value: next) : nil
            })
        #expect(try mine.perform { try $0.insert(contentsOf: numbers) } == 3)
        next = 0
        let result = try mine.perform { context in
            // With unsaved changes the values go through objects.
            try context.insert(Counter(id: 99))
            return try context.upsert(numbers)
        }
        #expect(result.updated == 3 && result.inserted == 0)
        #expect(try other.perform { try $0.fetch(Counter.all.sort(\.id), \.id) } == [1, 10, 20, 30, 99])
    }

    @Test func `continue in the snapshot, and see it until the end`() throws {
        let mine = try container()
        try mine.perform { context in
            let before = try context.count(of: Entry.all)
            try context.insert(contentsOf: [Entry(text: "a")])
            // No other transaction is committed from here on.
            let rival = try PersistentContainer(
                for: Counter.self, Entry.self, at: .file(folder.file()), timeout: 0.05)
            #expect(storeError { try rival.perform { try $0.insert(Entry(text: "rival")) } }?.code == .wouldDeadlock)
            #expect(try context.count(of: Entry.all) == before + 1)
            #expect(storeError { try context.insert(contentsOf: [Counter(id: 1)]) }?.code == .uniquenessViolation)
            #expect(try context.count(of: Entry.all) == before + 1)
            try context.insert(contentsOf: [Entry(text: "b")])
        }
        #expect(try other.perform { try $0.fetch(Entry.all.sort(\.text), \.text) } == ["a", "b"])
    }

    @Test func `wait for a writer that gives up, and then continue`() throws {
        let mine = try container()
        try mine.perform { context in
            let value = try #require(try context.decodeOne(Counter.all)).value
            let holder = try container()
            let holds = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                try? holder.perform { context in
                    try context.insert(contentsOf: [Entry(text: "given up")])
                    holds.signal()
                    Thread.sleep(forTimeInterval: 0.2)
                    throw StoreError.Missing()
                }
            }
            holds.wait()
            try context.update(Counter.all, set: (\.value, value + 5))
        }
        #expect(try value == 5)
    }
}
#endif
