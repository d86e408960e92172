// Core Data has nothing of this on Apple's platforms.
#if !canImport(CoreData)
import Foundation
import Sworm
import SwormTools
import Testing

/// Stores without a write-ahead log, in which readers and writers exclude each other.
@Suite("Stores with a rollback journal")
struct JournalTests {
    typealias Volume = Shelf.Volume
    private struct Failure: Error {}

    private static let modes = ["DELETE", "TRUNCATE"]

    /// A container over a file with a journal of a kind.
    private func open(_ url: URL, _ mode: String, timeout: Double = 20) throws -> PersistentContainer {
        let model = try NSManagedObjectModel(tables: Volume.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSSQLitePragmasOption: ["journal_mode": mode], NSPersistentStoreTimeoutOption: NSNumber(value: timeout),
            ])
        return PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        })
    }

    private func withFile(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("store.sqlite"))
    }

    @Test(arguments: modes)
    func `every call works, and no log appears`(mode: String) throws {
        try withFile { url in
            let store = try open(url, mode)
            try store.perform { try $0.insert(Volume(id: 1, title: "one")) }
            try store.write { context in
                #expect(try context.count(of: Volume.all) == 1)
                try context.insert(contentsOf: [Volume(id: 2, title: "two")])
                try context.update(Volume.all, set: (\.pages, 9))
            }
            #expect(throws: Failure.self) {
                try store.write { context in
                    try context.update(Volume.all, set: (\.pages, 1))
                    throw Failure()
                }
            }
            #expect(try store.read { try $0.decode(Volume.all).map(\.pages) } == [9, 9])
            #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
            let header = try FileHandle(forReadingFrom: url).read(upToCount: 20) ?? Data()
            #expect(header.count == 20 && header[18] == 1)
        }
    }

    @Test(arguments: modes)
    func `a bulk write after a commit elsewhere is a conflict`(mode: String) throws {
        try withFile { url in
            let (store, other) = (try open(url, mode), try open(url, mode, timeout: 0.2))
            try store.perform { try $0.insert(Volume(id: 1, title: "one")) }
            // The snapshot that is read keeps everybody from committing.
            try store.perform { context in
                #expect(try context.count(of: Volume.all) == 1)
                let error = storeError { try other.write { try $0.insert(Volume(id: 2)) } }
                #expect(error?.code == .timedOut || error?.code == .wouldDeadlock, "\(String(describing: error))")
                try context.update(Volume.all, set: (\.pages, 5))
            }
            #expect(try other.read { try $0.decode(Volume.all).map(\.pages) } == [5])
        }
    }

    @Test(arguments: modes)
    func `threads of two containers lose no update`(mode: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("store.sqlite")
        let stores = [try open(url, mode, timeout: 120), try open(url, mode, timeout: 120)]
        try await stores[0].schedule { try $0.insert(Volume(id: 1)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for _ in 0..<10 {
                        try await stores[task % 2].write { context in
                            let volume = try #require(try context.fetchOne(Volume.all))
                            try volume.encode(\.pages, volume.decode(\.pages) + 1)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stores[1].read { try $0.decode(Volume.all).map(\.pages) } == [40])
    }

    @Test(arguments: modes)
    func `another container that opens the file ends no lock of the first`(mode: String) throws {
        try withFile { url in
            let store = try open(url, mode)
            try store.perform { try $0.insert(Volume(id: 1)) }
            let number = try #require(
                FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? NSNumber)
            func locks() throws -> [Substring] {
                // The system gives the list a page at a time.
                let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/locks"))
                var content = Data()
                while let part = try file.read(upToCount: 4096), !part.isEmpty { content += part }
                return String(decoding: content, as: UTF8.self).split(separator: "\n").filter {
                    $0.contains(":\(number) ") && $0.contains(" \(getpid()) ")
                }
            }
            try store.read { context in
                #expect(try context.count(of: Volume.all) == 1)
                #expect(try !locks().isEmpty)
                #expect(try open(url, mode).read { try $0.count(of: Volume.all) } == 1)
                #expect(try !locks().isEmpty)
                let reading = try PersistentContainer(for: Volume.self, at: .readOnly(url))
                #expect(try reading.read { try $0.count(of: Volume.all) } == 1)
                #expect(try !locks().isEmpty)
            }
        }
    }

    @Test func `a store that other connections use with a log keeps it, with an error`() throws {
        let test = try TestStore(for: Volume.self, in: .file) { try $0.insert(Volume(id: 1)) }
        let url = try #require(test.url)
        try test.container.read { context in
            let count = try context.count(of: Volume.all)
            #expect(count == 1)
            #expect(throws: (any Error).self) { _ = try open(url, "DELETE", timeout: 0.1) }
        }
        #expect(try test.container.read { try $0.count(of: Volume.all) } == 1)
    }
}
#endif
