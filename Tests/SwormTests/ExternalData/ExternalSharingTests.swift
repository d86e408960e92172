import Foundation
import Sworm
import Testing

/// Large data in files, seen by containers that write at the same time.
@Suite("External data between containers")
struct ExternalSharingTests {
    struct Picture: ManagedObjectConvertible, Equatable {
        var id = 0
        var title = ""
        var data: Data?
        static let attributes: Set<Attribute<Picture>> = [
            .init(\.id, "id", .unique), .init(\.title, "title"), .init(\.data, "data", .external),
        ]
    }

    private struct Failure: Error {}

    private func data(_ number: Int) -> Data { Data(repeating: UInt8(number), count: 120_000) }

    private func withFile(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("store.sqlite"))
    }

    private func files(_ url: URL) -> Set<String> {
        let folder = url.deletingLastPathComponent().path + "/.store_SUPPORT/_EXTERNAL_DATA"
        return Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    }

    private func open(
        _ url: URL, _ policy: NSMergePolicyType = .errorMergePolicyType
    ) throws -> PersistentContainer {
        try PersistentContainer(for: Picture.self, at: .file(url), mergePolicy: policy)
    }

    @Test func `a perform reads the files that it has found, even if they are replaced, cleared or deleted`() throws {
        try withFile { url in
            let (store, other) = (try open(url), try open(url))
            let pictures = (1...3).map { Picture(id: $0, title: "old", data: data($0)) }
            try store.perform { try $0.insert(contentsOf: pictures) }
            try store.perform { context in
                let found = try context.fetch(Picture.all.sort(\.id))
                #expect(found.count == 3)
                for _ in 0..<3 {
                    let writer = try open(url)
                    try writer.perform { try $0.fetchOne(Picture.all.where(\.id == 1))?.encode(\.data, data(9)) }
                    try other.write { try $0.update(Picture.all.where(\.id == 2), set: (\.data, nil)) }
                }
                try other.perform { try $0.batchDelete(Picture.all.where(\.id == 3)) }
                #expect(try found.map { try $0.decode(\.data) } == pictures.map(\.data))
                #expect(try context.decode(Picture.all.sort(\.id)) == pictures)
            }
            #expect(try store.read { try $0.decode(Picture.all.sort(\.id)).map(\.data) } == [data(9), nil])
        }
    }

    @Test func `no file stays when the last reader has ended`() throws {
        try withFile { url in
            do {
                let (store, other) = (try open(url), try open(url))
                try store.perform { try $0.insert(Picture(id: 1, data: data(1))) }
                try store.read { context in
                    #expect(try context.count(of: Picture.all) == 1)
                    for number in 2..<22 {
                        try other.perform { try $0.fetchOne(Picture.all)?.encode(\.data, data(number)) }
                    }
                    #expect(try context.decode(Picture.all).map(\.data) == [data(1)])
                }
                #expect(try store.read { try $0.decode(Picture.all).map(\.data) } == [data(21)])
            }
            _ = try open(url)
            #expect(files(url).count == 1)
        }
    }

    // Apple's Core Data makes no backups.
    #if !canImport(CoreData)
    @Test func `a backup whose folder of external data is another store's is rejected, and removes nothing`() throws {
        try withFile { url in
            let store = try open(url)
            try store.perform { try $0.insert(Picture(id: 1, data: data(1))) }
            let target = url.deletingPathExtension().appendingPathExtension("bak")
            #expect(storeError { try store.backup(to: target) }?.code == .storeFailed)
            let second = try open(url.deletingLastPathComponent().appendingPathComponent("second.sqlite"))
            try second.perform { try $0.insert(Picture(id: 2, data: data(2))) }
            #expect(storeError { try second.backup(to: target) }?.code == .storeFailed)
            #expect(!FileManager.default.fileExists(atPath: target.path))
            // Without a separate file, a backup has no file to share, and keeps the existing one.
            let third = try open(url.deletingLastPathComponent().appendingPathComponent("third.sqlite"))
            try third.perform { try $0.insert(Picture(id: 3)) }
            try third.backup(to: target)
            #expect(try store.read { try $0.decode(Picture.all) }.map(\.data) == [data(1)])
            #expect(files(url).count == 1)
        }
    }
    #endif

    enum Change: CaseIterable { case replaced, cleared, deleted }

    @Test(
        arguments: [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
            .overwriteMergePolicyType, .rollbackMergePolicyType, .errorMergePolicyType,
        ], Change.allCases)
    func `a save settles the conflict by its policy`(_ policy: NSMergePolicyType, _ change: Change) throws {
        try withFile { url in
            let (store, other) = (try open(url, policy), try open(url))
            try store.perform { try $0.insert(Picture(id: 1, title: "old", data: data(1))) }
            let error = storeError {
                try store.perform { context in
                    let picture = try #require(try context.fetchOne(Picture.all))
                    #expect(try picture.decode(\.title) == "old")
                    switch change {
                    case .replaced: try other.perform { try $0.fetchOne(Picture.all)?.encode(\.data, data(2)) }
                    case .cleared: try other.perform { try $0.fetchOne(Picture.all)?.encode(\.data, nil) }
                    case .deleted: try other.perform { try $0.delete(Picture.all) }
                    }
                    try picture.encode(\.title, "mine")
                }
            }
            #expect((error?.code == .conflict) == (policy == .errorMergePolicyType), "\(String(describing: error))")
            let theirs = change == .replaced ? data(2) : nil
            let wanted: Picture? =
                switch (policy, change) {
                case (.errorMergePolicyType, .deleted), (.rollbackMergePolicyType, .deleted),
                    (.mergeByPropertyStoreTrumpMergePolicyType, .deleted):
                    nil
                case (_, .deleted), (.overwriteMergePolicyType, _): Picture(id: 1, title: "mine", data: data(1))
                case (.errorMergePolicyType, _), (.rollbackMergePolicyType, _):
                    Picture(id: 1, title: "old", data: theirs)
                default: Picture(id: 1, title: "mine", data: theirs)
                }
            #expect(try other.read { try $0.decodeOne(Picture.all) } == wanted)
        }
    }

    @Test func `an upsert that ignores, or updates other attributes, leaves no file`() throws {
        try withFile { url in
            let store = try open(url)
            let old = (1...3).map { Picture(id: $0, title: "old", data: data($0)) }
            try store.perform { try $0.insert(contentsOf: old) }
            let names = files(url)
            let values = (1...5).map { Picture(id: $0, title: "new", data: data(10 + $0)) }
            try store.perform { context in
                #expect(try context.upsert(values[..<3], onConflict: .ignore) == Upsert.Result(ignored: 3))
                #expect(try context.upsert(values[..<3], onConflict: .update(\.title)) == Upsert.Result(updated: 3))
                #expect(files(url) == names)
                let result = try context.upsert(values, onConflict: .ignore)
                #expect(result == Upsert.Result(inserted: 2, ignored: 3))
            }
            #expect(files(url).count == 5)
            let found = try store.read { try $0.decode(Picture.all.sort(\.id)) }
            #expect(found.map(\.title) == Array(repeating: "new", count: 5))
            #expect(found.map(\.data) == old.map(\.data) + values[3...].map(\.data))
            // Nothing stays of a call that fails.
            let error = storeError {
                try store.perform { context in
                    let more = [Picture(id: 6, data: data(6)), Picture(id: 6, data: data(7))]
                    try context.upsert(more, onConflict: .throw)
                }
            }
            #expect(error?.code == .uniquenessViolation && files(url).count == 5)
        }
    }

    @Test func `an inner call that throws leaves files as they were`() throws {
        try withFile { url in
            let store = try open(url)
            try store.perform { try $0.insert(contentsOf: (1...2).map { Picture(id: $0, data: data($0)) }) }
            let names = files(url)
            try store.perform { context in
                let first = try #require(try context.fetchOne(Picture.all.where(\.id == 1)))
                #expect(throws: Failure.self) {
                    try store.perform { inner in
                        try inner.update(Picture.all, set: (\.data, data(7)))
                        try first.encode(\.data, data(8))
                        try inner.insert(contentsOf: [Picture(id: 3, data: data(3))])
                        try inner.batchDelete(Picture.all.where(\.id == 2))
                        throw Failure()
                    }
                }
                #expect(files(url) == names)
                #expect(try first.decode(\.data) == data(1))
                #expect(try context.decode(Picture.all.sort(\.id)).map(\.data) == [data(1), data(2)])
                try context.update(Picture.all.where(\.id == 2), set: (\.data, data(5)))
            }
            #expect(try store.read { try $0.decode(Picture.all.sort(\.id)).map(\.data) } == [data(1), data(5)])
            #expect(names.contains { files(url).contains($0) } && files(url).count == 2)
        }
    }
}
