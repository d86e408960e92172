import Foundation
import Sworm

/// A folder with the stores that the benches read and write.
final class Workplace {
    let folder: URL
    let rows: Int
    /// What is in the full store.
    private(set) lazy var tracks = Array(Track.samples(rows))
    private var stores: [String: PersistentContainer] = [:]
    private var raws: [String: RawStore] = [:]
    private var grdbs: [String: GRDBStore] = [:]

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
        grdbs = [:]
    }

    func url(_ name: String) -> URL { folder.appending(path: name) }

    /// The number of genres in the full store. Every genre has a thousand tracks, or all of them where there are fewer.
    var genres: Int { max(1, rows / 1000) }
}

// MARK: Stores

extension Workplace {
    static let full = "full.sqlite"
    static let empty = "empty.sqlite"
    static let shelf = "shelf.sqlite"
    /// Every other track.
    static let half = "half.sqlite"
    static let grdbHalf = "half.grdb"
    static let grdbFull = "full.grdb"
    static let grdbEmpty = "empty.grdb"
    static let grdbShelf = "shelf.grdb"

    /// Makes the stores: full ones, and empty ones to be copied.
    func fill(forGRDB: Bool = true) throws {
        let shelf = Shelf(books: rows)
        _ = try store(Self.empty)
        try copy(Self.empty, to: Self.full)
        try raw(Self.full).insert(tracks)
        let everyOther = stride(from: 0, to: rows, by: 2).map { tracks[$0] }
        try copy(Self.empty, to: Self.half)
        try raw(Self.half).insert(everyOther)
        _ = try self.shelf()
        close()
        try raw(Self.shelf).fill(shelf)
        if forGRDB {
            try grdb(Self.grdbEmpty).makeTracks()
            try copy(Self.grdbEmpty, to: Self.grdbFull)
            try grdb(Self.grdbFull).insert(tracks)
            try copy(Self.grdbEmpty, to: Self.grdbHalf)
            try grdb(Self.grdbHalf).insertRecords(everyOther)
            try grdb(Self.grdbShelf).fill(shelf)
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

    /// The store of authors and books, opened by the library.
    func shelf() throws -> PersistentContainer {
        if let store = stores[Self.shelf] { return store }
        let store = try PersistentContainer(for: Author.self, at: .file(url(Self.shelf)))
        stores[Self.shelf] = store
        return store
    }

    /// The store of that name, opened by hand.
    func raw(_ name: String) throws -> RawStore {
        if let raw = raws[name] { return raw }
        let raw = try RawStore(url(name))
        raws[name] = raw
        return raw
    }

    /// The file of that name, opened by GRDB.
    func grdb(_ name: String) throws -> GRDBStore {
        if let grdb = grdbs[name] { return grdb }
        let grdb = try GRDBStore(url(name))
        grdbs[name] = grdb
        return grdb
    }

    /// A copy of a file, whole, on the disk, and neither of the two open.
    ///
    /// What the copy left in memory would be written while the next side runs, and slow it down.
    func copy(_ source: String, to name: String) throws {
        for name in [source, name] {
            stores[name] = nil
            raws[name] = nil
            grdbs[name] = nil
        }
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: url(name + end))
            guard FileManager.default.fileExists(atPath: url(source + end).path) else { continue }
            try FileManager.default.copyItem(at: url(source + end), to: url(name + end))
            let copy = try FileHandle(forUpdating: url(name + end))
            try copy.synchronize()
            try copy.close()
        }
    }
}
