import Foundation
import Sworm
import SwormTools

/// Books that share a few tags, before and after a stage with a closure that sets one attribute.
enum HubsV1 {
    struct Book: ManagedObjectConvertible {
        var title = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.title, "title")]
        struct Relations: Sendable { let tags = ToManyRelation<Tag>("tags", inverse: \.books) }
        static let relations = Relations()
    }

    struct Tag: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
        static let relations = Relations()
    }
}

enum HubsV2 {
    struct Book: ManagedObjectConvertible {
        var title = ""
        var length = 0
        static let attributes: Set<Attribute<Self>> = [.init(\.title, "title"), .init(\.length, "length")]
        struct Relations: Sendable { let tags = ToManyRelation<Tag>("tags", inverse: \.books) }
        static let relations = Relations()
    }

    struct Tag: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
        static let relations = Relations()
    }
}

/// What a custom stage takes where objects share hubs: the time of one object in stores of several sizes.
struct MigrationHubs {
    /// The sizes, in books.
    let rows: [Int]

    static let hubs = 40
    /// How many of the hubs each book leads to.
    static let links = 4

    private static let first = MigrationPlan.Version("1", HubsV1.Book.self)

    private static let plan = MigrationPlan([
        first,
        .init(
            "2", HubsV2.Book.self,
            stage: .custom(
                .change(HubsV1.Book.self, to: HubsV2.Book.self) { old, new in new.length = old.title.count })),
    ])

    func print() throws {
        Swift.print("     books   seconds   us/book    of the first   MB memory")
        var least: Double?
        for count in rows {
            let (seconds, megabytes) = try Self.measure(count)
            let each = seconds * 1_000_000 / Double(count)
            let ratio = each / (least ?? each)
            least = least ?? each
            Swift.print(String(format: "%10d %9.2f %9.2f %15.2f %11.1f", count, seconds, each, ratio, megabytes))
            fflush(nil)
        }
    }

    private static func measure(_ count: Int) throws -> (seconds: Double, megabytes: Double) {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "sworm-hubs-\(ProcessInfo.processInfo.processIdentifier)-\(count)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "store.sqlite")
        _ = try PersistentContainer(migrating: MigrationPlan([first]), at: .file(url))
        let links = try fill(url, count)
        let growth = try Memory.peakGrowth {
            let start = ContinuousClock.now
            _ = try plan.migrate(storeAt: url)
            return ContinuousClock.now - start
        }
        guard try countLinks(url).count == links else { throw Failure("Links were lost.") }
        let time = growth.result.components
        return (Double(time.seconds) + Double(time.attoseconds) / 1e18, growth.megabytes)
    }

    /// Fills a store by SQL, and returns the number of links.
    private static func fill(_ url: URL, _ count: Int) throws -> Int64 {
        let store = try RawStore(url)
        let (table, _) = try countLinks(url)
        var columns: [String] = []
        try store.forEachRow(store.statement("SELECT name FROM pragma_table_info('\(table)')")) {
            columns.append(RawStore.text($0, 0) ?? "")
        }
        guard let book = columns.first(where: { $0.contains("BOOKS") }),
            let tag = columns.first(where: { $0.contains("TAGS") })
        else { throw Failure("The table of the links has other columns: \(columns).") }
        func numbers(_ name: String, _ count: Int, from first: Int = 1) -> String {
            "\(name)(i) AS (SELECT \(first) UNION ALL SELECT i + 1 FROM \(name) WHERE i < \(first + count - 1))"
        }
        func entity(_ name: String) -> String { "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)')" }
        try store.run(
            """
            BEGIN IMMEDIATE;
            WITH RECURSIVE \(numbers("n", hubs)) INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME)
            SELECT i, \(entity("Tag")), 1, 'Tag number ' || i FROM n;
            WITH RECURSIVE \(numbers("n", count)) INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE)
            SELECT i, \(entity("Book")), 1, 'Title ' || i || ' of a book' FROM n;
            WITH RECURSIVE \(numbers("n", count)), \(numbers("m", links, from: 0)) INSERT INTO \(table) (\(book), \(tag))
            SELECT n.i, (n.i + m.i * 7) % \(hubs) + 1 FROM n, m;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(hubs) WHERE Z_NAME = 'Tag';
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_NAME = 'Book';
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE)
            """)
        return try countLinks(url).count
    }

    /// The table of the links, and how many it holds.
    private static func countLinks(_ url: URL) throws -> (table: String, count: Int64) {
        let store = try RawStore(url)
        var table = ""
        let names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*TAGS'"
        try store.forEachRow(store.statement(names)) { table = RawStore.text($0, 0) ?? "" }
        guard !table.isEmpty else { throw Failure("There is no table of links.") }
        var count: Int64 = 0
        try store.forEachRow(store.statement("SELECT count(*) FROM \(table)")) { count = RawStore.number($0, 0) }
        return (table, count)
    }
}
