import Foundation
import Sworm

/// The files of writers and novels that the benches of trees read and write.
private final class NovelFiles {
    private let place: Workplace
    private var stores: [String: PersistentContainer] = [:]
    private var grdbs: [String: GRDBStore] = [:]
    private(set) lazy var pages = WriterPage.samples(writers: max(1, place.rows / 10), novels: 10)
    private(set) lazy var longPages = WriterPage.samples(writers: max(1, place.rows / 100), novels: 100)

    /// The trees, each without its last novel.
    private(set) lazy var shorterPages = pages.map { page in
        var page = page
        page.novels.removeLast()
        return page
    }

    init(_ place: Workplace) { self.place = place }

    private func url(_ name: String) -> URL { place.folder.appendingPathComponent("Novels-\(name).sqlite") }

    /// Returns a store that was filled once.
    func store(_ name: String, _ pages: [WriterPage]) throws -> PersistentContainer {
        if let store = stores[name] { return store }
        let store = try PersistentContainer(for: Writer.self, at: .file(url(name)))
        if !pages.isEmpty { try store.perform { try $0.save(contentsOf: pages) } }
        stores[name] = store
        return store
    }

    func raw(_ name: String) throws -> RawStore { try RawStore(url(name)) }

    func grdb(_ name: String, _ pages: [WriterPage]) throws -> GRDBStore {
        if let store = grdbs[name] { return store }
        let store = try GRDBStore(url(name))
        try store.makeNovels()
        if !pages.isEmpty { _ = try store.save(pages) }
        grdbs[name] = store
        return store
    }

    /// Makes a store anew.
    func renew(_ name: String, _ pages: [WriterPage]) throws {
        stores[name] = nil
        remove(name)
        _ = try store(name, pages)
    }

    func renewGRDB(_ name: String, _ pages: [WriterPage]) throws {
        grdbs[name] = nil
        remove(name)
        _ = try grdb(name, pages)
    }

    private func remove(_ name: String) {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url(name).path + end) }
    }
}

/// Trees, read and saved.
func treeBenches(_ place: Workplace) -> [Bench] {
    let files = NovelFiles(place)
    return readingTreeBenches(files) + firstOfEachBenches(files) + savingTreeBenches(files)
}

// MARK: Reading

private func readingTreeBenches(_ files: NovelFiles) -> [Bench] {
    func store() throws -> PersistentContainer { try files.store("own", files.pages) }
    func prepare() throws { _ = try store() }
    func prepareGRDB() throws { _ = try files.grdb("grdb", files.pages) }
    func flat(_ values: ([Writer], [Novel])) -> Int { [values.0.count, values.1.count].hashValue }
    func counts(_ pages: [WriterPage]) -> Int { [pages.count, pages.reduce(0) { $0 + $1.novels.count }].hashValue }
    func infos(_ infos: [WriterInfo]) -> Int {
        var sum = TreeSum()
        for info in infos { sum.add(info.writer.name, years: info.novels.lazy.map(\.year)) }
        return sum.fingerprint
    }
    func novels(_ pages: [NovelPage]) -> Int {
        var sum = TreeSum()
        for page in pages { sum.add(page.writer?.name ?? "", years: CollectionOfOne(page.novel.year)) }
        return sum.fingerprint
    }
    return [
        Bench(
            "trees, decode", bars: [Bar("trees, decode", .ratio, than: .less, must: 1.7, aim: 1.5)],
            sides: [
                Side(.less, prepare: prepare, fingerprint: flat) {
                    try store().perform { (try $0.decode(Writer.all), try $0.decode(Novel.all)) }
                },
                Side(.own, prepare: prepare, fingerprint: counts) {
                    try store().perform { try $0.decode(WriterPage.all) }
                },
            ]),
        Bench(
            "trees, decode, and handles",
            bars: [
                Bar("trees, decode, and handles", .ratio, than: .less, must: 0.34, aim: 0.25),
                Bar("trees, decode, and GRDB", .timesFaster, than: .grdbCodable, must: 1, aim: 10),
            ],
            sides: [
                Side(.less, prepare: prepare, fingerprint: \[WriterPage].fingerprint) {
                    try store().perform { context in
                        try context.fetch(Writer.all.prefetch(\.novels)).map { writer in
                            var page = WriterPage()
                            page.writer = try writer.decode()
                            page.novels = try writer.novels.map { try $0.decode() }
                            return page
                        }
                    }
                },
                Side(.own, prepare: prepare, fingerprint: \[WriterPage].fingerprint) {
                    try store().perform { try $0.decode(WriterPage.all) }
                },
                Side(.grdbCodable, prepare: prepareGRDB, fingerprint: infos) {
                    try files.grdb("grdb", files.pages).writerInfos()
                },
            ]),
        Bench(
            "trees to one, decode",
            bars: [Bar("trees to one, decode", .timesFaster, than: .grdbCodable, must: 1, aim: 10)],
            sides: [
                Side(.own, prepare: prepare, fingerprint: novels) {
                    try store().perform { try $0.decode(NovelPage.all) }
                },
                Side(
                    .grdbCodable, prepare: prepareGRDB,
                    fingerprint: { (infos: [NovelInfo]) in
                        var sum = TreeSum()
                        for info in infos { sum.add(info.writer.name, years: CollectionOfOne(info.novel.year)) }
                        return sum.fingerprint
                    }
                ) { try files.grdb("grdb", files.pages).novelInfos() },
            ]),
    ]
}

private func firstOfEachBenches(_ files: NovelFiles) -> [Bench] {
    func sides(_ name: String, _ pages: @escaping () -> [WriterPage], isIndexed: Bool) -> [Side] {
        func store() throws -> PersistentContainer { try files.store(name, pages()) }
        func prepare() throws {
            _ = try store()
            guard isIndexed else { return }
            // A table cannot declare an index that begins with a relation.
            try files.raw(name).run("CREATE INDEX IF NOT EXISTS NOVEL_YEAR ON ZNOVEL (ZWRITER, ZYEAR)")
        }
        func years(_ rows: [(Writer, [Novel])]) -> Int {
            var sum = TreeSum()
            for (writer, novels) in rows { sum.add(writer.name, years: novels.prefix(3).map(\.year)) }
            return sum.fingerprint
        }
        return [
            Side(.less, prepare: prepare, fingerprint: years) {
                try store().perform { try $0.decode(Writer.all.with { $0.novels.sort(\.year) }) }
            },
            Side(.own, prepare: prepare, fingerprint: years) {
                try store().perform { try $0.decode(Writer.all.with { $0.novels.sort(\.year).limit(3) }) }
            },
        ]
    }
    return [
        Bench(
            "trees, first 3 of 10", bars: [Bar("trees, first 3 of 10", .ratio, than: .less, must: 0.6, aim: 0.5)],
            sides: sides("own", { files.pages }, isIndexed: false)),
        Bench(
            "trees, first 3 of 100", bars: [Bar("trees, first 3 of 100", .ratio, than: .less, must: 0.6, aim: 0.4)],
            sides: sides("long without an index", { files.longPages }, isIndexed: false)),
        Bench(
            "trees, first 3 of 100, index",
            bars: [Bar("trees, first 3 of 100, index", .ratio, than: .less, must: 0.15, aim: 0.1)],
            sides: sides("long", { files.longPages }, isIndexed: true)),
    ]
}

// MARK: Saving

private func savingTreeBenches(_ files: NovelFiles) -> [Bench] {
    func count(_ count: Int) -> Int { count }
    func isEmpty(_ isEmpty: Bool) -> Int { isEmpty ? 1 : 0 }
    func store() throws -> PersistentContainer { try files.store("own", files.pages) }
    var version = 0
    /// The trees, of which every hundredth has changed.
    func changed() -> [WriterPage] {
        version += 1
        return files.pages.enumerated().map { index, page in
            guard index % 100 == 0 else { return page }
            var page = page
            page.writer.rating += Double(version)
            page.novels[3].title += " \(version)"
            return page
        }
    }
    var next: [WriterPage] = []
    return [
        Bench(
            "trees, first save",
            bars: [
                Bar("trees, first save", .ratio, than: .less, must: 2.5, aim: 1.8),
                Bar("trees, first save, and GRDB", .timesFaster, than: .grdbCodable, must: 1, aim: 3),
            ],
            sides: [
                Side(.less, prepare: { try files.renew("flat", []) }, fingerprint: count) {
                    try files.store("flat", []).perform { context in
                        try context.insert(contentsOf: files.pages.lazy.map(\.writer))
                            + context.insert(contentsOf: files.pages.lazy.flatMap(\.novels))
                    }
                },
                Side(.own, prepare: { try files.renew("first", []) }, fingerprint: count) {
                    try files.store("first", []).perform { try $0.save(contentsOf: files.pages).inserted }
                },
                Side(.grdbCodable, prepare: { try files.renewGRDB("grdb-first", []) }, fingerprint: count) {
                    try files.grdb("grdb-first", []).save(files.pages)
                },
            ]),
        Bench(
            "trees, second save",
            bars: [
                Bar("trees, second save", .ratio, than: .less, must: 3, aim: 1.5),
                Bar("trees, second save, and GRDB", .timesFaster, than: .grdbCodable, must: 1, aim: 10),
            ],
            sides: [
                Side(.less, prepare: { _ = try store() }, fingerprint: isEmpty) {
                    let known = try store().perform { try $0.decode(WriterPage.all) }
                    let pages = Dictionary(known.map { ($0.writer.name, $0) }, uniquingKeysWith: { first, _ in first })
                    return files.pages.allSatisfy { pages[$0.writer.name] == $0 }
                },
                Side(.own, prepare: { _ = try store() }, fingerprint: isEmpty) {
                    try store().perform { try $0.save(contentsOf: files.pages).isEmpty }
                },
                Side(.grdbCodable, prepare: { _ = try files.grdb("grdb", files.pages) }, fingerprint: isEmpty) {
                    try files.grdb("grdb", files.pages).save(files.pages) == 0
                },
            ]),
        Bench(
            "trees, save of 1 % changed",
            bars: [Bar("trees, save of 1 % changed", .ratio, than: .less, must: 1.2, aim: 1.1)],
            sides: [
                Side(.less, prepare: { _ = try store() }, fingerprint: { (_: Bool) in 0 }) {
                    try store().perform { try $0.save(contentsOf: files.pages).isEmpty }
                },
                Side(
                    .own,
                    prepare: {
                        _ = try files.store("changed", files.pages)
                        next = changed()
                    }, fingerprint: { (_: Int) in 0 }
                ) {
                    let result = try files.store("changed", files.pages).perform { try $0.save(contentsOf: next) }
                    guard result.updated == 2 * ((next.count + 99) / 100) else { throw Failure("\(result)") }
                    return result.updated
                },
            ]),
        Bench(
            "trees, one child of each gone", weight: 2,
            bars: [Bar("trees, one child of each gone", .ratio, than: .less, must: 4, aim: 2)],
            sides: [
                Side(.less, prepare: { try files.renew("deleted", files.pages) }, fingerprint: count) {
                    try files.store("deleted", files.pages).perform {
                        try $0.batchDelete(Novel.all.where { $0.price == 9.99 })
                    }
                },
                Side(
                    .own,
                    prepare: {
                        try files.renew("gone", files.pages)
                        _ = files.shorterPages
                    }, fingerprint: count
                ) {
                    try files.store("gone", files.pages).perform { try $0.save(contentsOf: files.shorterPages).deleted }
                },
            ]),
    ]
}
