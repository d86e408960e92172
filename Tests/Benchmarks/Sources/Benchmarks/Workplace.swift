import Foundation
import Sworm

/// A folder with the stores that the benches read and write.
final class Workplace {
    let folder: URL
    let rows: Int
    /// What is in the full store.
    private(set) lazy var tracks = Track.samples(rows)
    private var stores: [String: PersistentContainer] = [:]
    private var raws: [String: RawStore] = [:]

    init(rows: Int, at path: String?) throws {
        self.rows = rows
        let name = "sworm-benchmarks-\(ProcessInfo.processInfo.processIdentifier)"
        folder = path.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() {
        close()
        try? FileManager.default.removeItem(at: folder)
    }

    func close() {
        stores = [:]
        raws = [:]
    }

    func url(_ name: String) -> URL { folder.appending(path: name) }

    /// Makes the stores: a full one, and an empty one to be copied.
    func fill() throws {
        _ = try store("empty.sqlite")
        try store("full.sqlite").perform { context in
            for track in tracks { try context.insert(track) }
        }
        close()
    }

    /// The store of that name, opened by the library.
    func store(_ name: String) throws -> PersistentContainer {
        if let store = stores[name] { return store }
        let store = try PersistentContainer(for: Track.self, at: .file(url(name)))
        stores[name] = store
        return store
    }

    /// The store of that name, opened by hand.
    func raw(_ name: String) throws -> RawStore {
        if let raw = raws[name] { return raw }
        let raw = try RawStore(url(name))
        raws[name] = raw
        return raw
    }

    /// An empty store of that name, not open.
    func makeEmpty(_ name: String) throws {
        stores[name] = nil
        raws[name] = nil
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(at: url(name + end)) }
        try FileManager.default.copyItem(at: url("empty.sqlite"), to: url(name))
    }
}
