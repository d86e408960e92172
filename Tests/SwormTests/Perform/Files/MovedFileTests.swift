// Core Data has nothing of this on Apple's platforms.
#if !canImport(CoreData)
import Foundation
import Sworm
import SwormTools
import Testing

/// A file that is moved, removed or replaced while a container has it open: what is written then would be lost.
@Suite("Files that are moved under an open container")
struct MovedFileTests {
    typealias Volume = Shelf.Volume

    private let test: TestStore
    private let url: URL
    private var store: PersistentContainer { test.container }

    init() throws {
        test = try TestStore(for: Volume.self, in: .file) { context in try context.insert(Volume(id: 1, title: "one")) }
        url = try #require(test.url)
    }

    /// Every way to lose a file, with whether the old rows are to be found afterwards, and at which path.
    enum Loss: String, CaseIterable {
        case removed, moved, folderMoved, replaced

        func apply(to url: URL) throws -> URL? {
            let files = FileManager.default
            let folder = url.deletingLastPathComponent()
            let other = folder.deletingLastPathComponent().appendingPathComponent("sworm-test-\(UUID())")
            switch self {
            case .removed:
                try files.removeItem(at: url)
                return nil
            case .moved:
                try files.createDirectory(at: other, withIntermediateDirectories: true)
                for suffix in ["", "-wal", "-shm"] {
                    let name = url.lastPathComponent + suffix
                    try? files.moveItem(
                        at: folder.appendingPathComponent(name), to: other.appendingPathComponent(name))
                }
                return other.appendingPathComponent(url.lastPathComponent)
            case .folderMoved:
                try files.moveItem(at: folder, to: other)
                return other.appendingPathComponent(url.lastPathComponent)
            case .replaced:
                let fresh = folder.appendingPathComponent("fresh.sqlite")
                try files.copyItem(at: url, to: fresh)
                for suffix in ["-wal", "-shm"] { try? files.removeItem(atPath: url.path + suffix) }
                #expect(rename(fresh.path, url.path) == 0)
                return nil
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func `writes and reads throw, and nothing counts as written`(loss: Loss) throws {
        #expect(try store.read { try $0.count(of: Volume.all) } == 1)
        let moved = try loss.apply(to: url)
        defer { if let moved { try? FileManager.default.removeItem(at: moved.deletingLastPathComponent()) } }
        let writes: [(String, (PersistentContainer) throws -> Void)] = [
            ("insert", { store in try store.perform { try $0.insert(Volume(id: 2)) } }),
            ("write", { store in try store.write { try $0.insert(Volume(id: 3)) } }),
            ("bulk", { store in try store.perform { try $0.insert(contentsOf: [Volume(id: 4)]) } }),
            ("update", { store in try store.write { try $0.update(Volume.all, set: (\.pages, 9)) } }),
        ]
        for (name, write) in writes {
            let error = storeError { try write(store) }
            #expect(
                error?.message.contains("was moved, removed or replaced") ?? false,
                "\(name): \(String(describing: error))")
        }
        // It is not looked at before every read.
        Thread.sleep(forTimeInterval: 0.02)
        let error = storeError { try store.read { try $0.count(of: Volume.all) } }
        #expect(error?.message.contains(url.path) ?? false)
        if let moved {
            let found = try PersistentContainer(for: Volume.self, at: .file(moved))
            #expect(try found.read { try $0.decode(Volume.all).map(\.title) } == ["one"])
        }
    }

    @Test func `a transaction that is under way is undone`() throws {
        let error = storeError {
            try store.write { context in
                try context.insert(Volume(id: 2))
                try FileManager.default.removeItem(at: url)
            }
        }
        #expect(error?.message.contains("was moved, removed or replaced") ?? false)
    }
}
#endif
