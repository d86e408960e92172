import Foundation
import Sworm
import SwormTools
import Testing

// Where Core Data makes the copies, files are written anew.
#if !canImport(CoreData)
private enum Album1 {
    struct Photo: ManagedObjectConvertible {
        var name = ""
        var content = Data()
        static let attributes: Set<Attribute<Self>> = [
            .init(\.name, "name"), .init(\.content, "content", .external),
        ]
        struct Relations: Sendable { let next = ToOneRelation<Photo>("next") }
        static let relations = Relations()
    }
}

/// A column has another name.
private enum Album2 {
    struct Photo: ManagedObjectConvertible {
        var caption = ""
        var content = Data()
        static let attributes: Set<Attribute<Self>> = [
            .init(\.caption, "caption", .renamed(from: "name")), .init(\.content, "content", .external),
        ]
        struct Relations: Sendable { let next = ToOneRelation<Photo>("next") }
        static let relations = Relations()
    }
}

/// The table is made anew.
private enum Album3 {
    struct Photo: ManagedObjectConvertible {
        var caption = ""
        var bytes = Data()
        static let attributes: Set<Attribute<Self>> = [
            .init(\.caption, "caption", .renamed(from: "name")),
            .init(\.bytes, "bytes", .external, .renamed(from: "content")),
        ]
        struct Relations: Sendable { let next = ToManyRelation<Photo>("next") }
        static let relations = Relations()
    }
}

/// As the second version, but what led to one object leads to several.
private enum Album2Linked {
    struct Photo: ManagedObjectConvertible {
        var caption = ""
        var content = Data()
        static let attributes: Set<Attribute<Self>> = [
            .init(\.caption, "caption"), .init(\.content, "content", .external),
        ]
        struct Relations: Sendable { let next = ToManyRelation<Photo>("next") }
        static let relations = Relations()
    }
}

@Suite("Large values of a store that is migrated", .serialized)
struct LargeValueTests {
    private static let size = 10_000_000

    private func content(_ number: Int) -> Data { Data(repeating: UInt8(number), count: Self.size) }

    private func makeStore(at url: URL, _ count: Int) throws {
        let container = try PersistentContainer(for: Album1.Photo.self, at: .file(url))
        for number in 0..<count {
            try container.perform { context in
                _ = try context.insert(Album1.Photo(name: "\(number)", content: content(number)))
            }
        }
    }

    /// The inode numbers of the external files. A rewritten file has another one, as long as the former file exists.
    private func nodes(_ folder: StoreFolder) throws -> Set<UInt64> {
        let path = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA").path
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        let nodes = try names.compactMap {
            (try FileManager.default.attributesOfItem(atPath: path + "/" + $0)[.systemFileNumber] as? NSNumber)?
                .uint64Value
        }
        #expect(nodes.count == names.count)
        return Set(nodes)
    }

    private func plan(_ version: MigrationPlan.Version) -> MigrationPlan {
        MigrationPlan([.init("1", Album1.Photo.self), version])
    }

    @Test func `files stay where they are in inferred stages`() throws {
        let folder = try StoreFolder()
        try makeStore(at: folder.store, 8)
        let before = try nodes(folder)
        #expect(before.count == 8)
        try plan(.init("2", Album2.Photo.self)).migrate(storeAt: folder.store)
        #expect(try nodes(folder) == before)
        try MigrationPlan([.init("2", Album2.Photo.self), .init("3", Album2Linked.Photo.self)])
            .migrate(storeAt: folder.store)
        #expect(try nodes(folder) == before)
        let container = try PersistentContainer(for: Album2Linked.Photo.self, at: .file(folder.store))
        let photos = try container.perform { try $0.decode(Album2Linked.Photo.all.sort(\.caption)) }
        #expect(photos.map(\.content) == (0..<8).map(content))
        #expect(folder.others.isEmpty)
    }

    @Test func `files are moved unchanged in a custom stage with structs`() throws {
        let folder = try StoreFolder()
        try makeStore(at: folder.store, 8)
        let before = try nodes(folder)
        let plan = plan(
            .init(
                "2", Album3.Photo.self,
                stage: .custom(
                    .change(Album1.Photo.self, to: Album3.Photo.self) { old, new in
                        new.caption = "\(old.content.count) bytes of \(old.name)"
                    })))
        try plan.migrate(storeAt: folder.store)
        #expect(try nodes(folder) == before)
        let container = try PersistentContainer(for: Album3.Photo.self, at: .file(folder.store))
        let photos = try container.perform { try $0.decode(Album3.Photo.all.sort(\.caption)) }
        #expect(photos.map(\.bytes) == (0..<8).map(content))
        #expect(photos.last?.caption == "10000000 bytes of 7")
        #expect(folder.others.isEmpty)
    }

    @Test func `a value that a custom stage changes is written, and the file it came from stays as it was`() throws {
        struct Stop: Error {}
        let folder = try StoreFolder()
        try makeStore(at: folder.store, 3)
        let before = try nodes(folder)
        func plan(stops: Bool) -> MigrationPlan {
            self.plan(
                .init(
                    "2", Album2.Photo.self,
                    stage: .custom(
                        .change(Album1.Photo.self, to: Album2.Photo.self) { old, new in
                            switch old.name {
                            case "0": new.content[0] = 99
                            case "1": new.content = old.content.dropFirst()
                            default: if stops { throw Stop() }
                            }
                        })))
        }
        #expect(throws: Stop.self) { try plan(stops: true).migrate(storeAt: folder.store) }
        #expect(try nodes(folder) == before)
        do {
            let container = try PersistentContainer(for: Album1.Photo.self, at: .file(folder.store))
            let photos = try container.perform { try $0.decode(Album1.Photo.all.sort(\.name)) }
            #expect(photos.map(\.content) == (0..<3).map(content))
        }
        try plan(stops: false).migrate(storeAt: folder.store)
        #expect(try nodes(folder).intersection(before).count == 1)
        let container = try PersistentContainer(for: Album2.Photo.self, at: .file(folder.store))
        let photos = try container.perform { try $0.decode(Album2.Photo.all.sort(\.caption)) }
        #expect(photos.map(\.content) == [Data([99]) + content(0).dropFirst(), content(1).dropFirst(), content(2)])
        #expect(try nodes(folder).count == 3)
    }

    @Test func `two objects that one becomes have a file each, which is the same`() throws {
        let folder = try StoreFolder()
        try makeStore(at: folder.store, 2)
        let before = try nodes(folder)
        let plan = plan(
            .init(
                "2", Album2.Photo.self,
                stage: .custom(
                    .make(Album2.Photo.self, from: Album1.Photo.self) { old, stores in
                        let value = try old.decode()
                        return try (0..<2).map {
                            try stores.new.insert(Album2.Photo(caption: "\(value.name)\($0)", content: value.content))
                        }
                    })))
        try plan.migrate(storeAt: folder.store)
        #expect(try nodes(folder) == before)
        let container = try PersistentContainer(for: Album2.Photo.self, at: .file(folder.store))
        try container.perform { context in
            let photos = try context.fetch(Album2.Photo.all.sort(\.caption))
            #expect(try photos.map { try $0.decode().content } == [0, 0, 1, 1].map(content))
            if let first = photos.first { try context.delete(first) }
        }
        // Each has a name of its own for the file, so that one goes without the other.
        let left = try container.perform { try $0.decode(Album2.Photo.all.sort(\.caption)) }
        #expect(left.map(\.content) == [0, 1, 1].map(content))
    }

    #if os(Linux)
    /// The peak of this process's memory in kilobytes.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    @Test(
        .enabled(if: dlsym(nil, "__asan_init") == nil, "the address sanitizer keeps memory that was freed"),
        arguments: ["inferred", "custom"])
    func `files are not loaded`(stage: String) async throws {
        let folder = try StoreFolder()
        try makeStore(at: folder.store, 8)
        let store = folder.store
        // In a process of its own, where nothing else takes memory.
        await #expect(processExitsWith: .success) { [store = store as URL, stage = stage as String] in
            let custom = MigrationStage.custom(
                .change(Album1.Photo.self, to: Album2.Photo.self) { old, new in new.caption += old.name })
            let plan = MigrationPlan([
                .init("1", Album1.Photo.self),
                .init("2", Album2.Photo.self, stage: stage == "custom" ? custom : .inferred),
            ])
            let before = try Self.peak()
            try plan.migrate(storeAt: store)
            let growth = try Self.peak() - before
            print("\(stage): grew by \(growth) KB")
            guard growth < 40_000 else { exit(1) }
        }
    }
    #endif
}
#endif
