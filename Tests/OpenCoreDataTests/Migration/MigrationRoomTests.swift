import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates

/// Whether there is room for a migration, which is asked before anything is written.
@Suite("Room for a migration")
struct MigrationRoomTests {
    private typealias Models = StagedModels

    /// Options of a disk that has so many bytes free, and how often that was asked.
    private func options(_ free: @escaping @Sendable (_ asked: Int) -> Int64?) -> (StoreOptions, Locked<Int>) {
        let asked = Locked(0)
        var options = StoreOptions()
        options.freeRoom = { _ in
            free(
                asked.withLock {
                    $0 += 1
                    return $0
                })
        }
        return (options, asked)
    }

    private func refusal(_ store: MigratedStore, free: Int64, _ work: () throws -> Void) throws {
        let before = try store.folder.contents()
        let thrown = coreDataError(work)
        let error = try #require(thrown)
        #expect(error.errorCode == CocoaError.Code.fileWriteOutOfSpace.rawValue)
        let numbers = error.message.split { !$0.isNumber }.compactMap { Int64($0) }
        #expect(error.message.contains("\(free) are free"))
        #expect(numbers.contains { $0 >= StoreFiles(url: store.url).size && $0 > free })
        #expect(try store.folder.contents() == before)
    }

    @Test func `a migration without enough disk space is rejected with the needed and the free bytes`() throws {
        let store = try Models.store(1)
        let (options, _) = options { _ in 1234 }
        var calls = 0
        let (old, new) = (Models.model(1), Models.model(4))
        try refusal(store, free: 1234) { try store.run(to: new, options: options) { _ in calls += 1 } }
        try refusal(store, free: 1234) {
            _ = try MigrationRehearsal(
                of: store.url, from: .init("1", model: old), through: [.init("4", model: new)], options: options
            ) { _, _ in calls += 1 }.run()
        }
        try refusal(store, free: 1234) {
            _ = try StoreReplacement(of: store.url, options: options, isMissingAllowed: false)
        }
        #expect(calls == 0)
    }

    @Test func `an automatic and a staged migration ask first`() throws {
        for stages in [nil, NSStagedMigrationManager([Models.lightweight(1)])] {
            let store = try Models.store(1)
            var (options, _) = options { _ in 999 }
            options.infersMapping = true
            let given = stages.map { [NSPersistentStoreStagedMigrationManagerOptionKey: $0 as Any] } ?? [:]
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Models.model(4))
            try refusal(store, free: 999) {
                try coordinator.migrate(
                    storeAt: store.url, of: StoreKinds.kind(ofType: NSSQLiteStoreType), options: options,
                    coordinatorOptions: given)
            }
        }
    }

    @Test func `disk space that runs out between the stages is noticed before the next one`() throws {
        let (unlimited, asked) = options { _ in nil }
        func run(_ store: MigratedStore, _ options: StoreOptions) throws {
            let stages = NSStagedMigrationManager([Models.splitting(), Models.abbreviating()])
            try NSPersistentStoreCoordinator(managedObjectModel: Models.model(4)).migrate(
                storeAt: store.url, of: StoreKinds.kind(ofType: NSSQLiteStoreType), options: options,
                coordinatorOptions: [NSPersistentStoreStagedMigrationManagerOptionKey: stages])
        }
        try run(try Models.store(2), unlimited)
        let count = asked.withLock { $0 }
        #expect(count > 2)
        for last in 1...count {
            let store = try Models.store(2)
            let (options, _) = options { $0 < last ? .max : 77 }
            try refusal(store, free: 77) { try run(store, options) }
        }
    }

    @Test func `the second copy that further steps need is asked for before the first`() throws {
        let store = try Models.store(1)
        let size = StoreFiles(url: store.url).size
        let free = size + size / 2 + 1 << 16
        let (options, _) = options { _ in free }
        _ = try StoreReplacement(of: store.url, options: options, isMissingAllowed: false, steps: 1)
        try refusal(store, free: free) {
            _ = try StoreReplacement(of: store.url, options: options, isMissingAllowed: false, steps: 2)
        }
    }

    @Test func `content that comes out of its files into the store takes room there`() throws {
        func model(_ isExternal: Bool) -> NSManagedObjectModel {
            let data = Build.attribute("data", .binaryDataAttributeType) {
                $0.allowsExternalBinaryDataStorage = isExternal
            }
            return Build.model(Build.entity("Photo", [data]))
        }
        let store = try MigratedStore(model(true)) { context in
            for index in 0..<3 {
                try context.make("Photo", ["data": Data(repeating: UInt8(index), count: 400_000)])
            }
        }
        let free = 2 * StoreFiles(url: store.url).size + 1_000_000
        let (options, _) = options { _ in free }
        try refusal(store, free: free) { try store.run(to: model(false), options: options) }
        let (more, _) = self.options { _ in free + 400_000 }
        try store.run(to: model(false), options: more)
        #expect(try store.lines("SELECT sum(length(ZDATA)) FROM ZPHOTO") == ["1200000"])
    }

    @Test func `a file system that does not say how full it is stops nothing`() throws {
        let store = try Models.store(1)
        let (options, asked) = options { _ in nil }
        try store.run(to: Models.model(4), options: options)
        #expect(asked.withLock { $0 } == 1)
        #expect(try #require(StoreOptions().freeRoom(store.folder.path)) > 0)
        #expect(StoreOptions().freeRoom(store.folder.path + "/none") == nil)
    }
}
