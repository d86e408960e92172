#if PostgreSQL
import Foundation
import Sworm

/// A server of its own, with the schemas that the benches read and write.
final class PostgresPlace {
    static let tracks = "tracks"
    static let written = "written"
    static let large = "large"
    static let shelf = "shelf"

    let server: PostgresServer
    let byHand: ByHand
    let rows: Int
    private var stores: [String: PersistentContainer] = [:]
    private var hasTracks = false
    private(set) lazy var samples = Array(Track.samples(rows))

    init(_ options: Options) throws {
        rows = options.rows
        server = try Self.start(["fsync": "off"])
        byHand = try ByHand(server)
    }

    /// Starts a server whose own work in the background does not disturb what is measured.
    static func start(_ settings: [String: String]) throws -> PostgresServer {
        let usual = [
            "shared_buffers": "1GB", "max_wal_size": "16GB", "checkpoint_timeout": "1h", "autovacuum": "off",
            // All readers of a table see its rows in one order, so that sums of doubles are equal.
            "synchronize_seqscans": "off",
        ]
        return try PostgresServer(settings: usual.merging(settings) { $1 }, isOnDisk: true)
    }

    func close() {
        stores = [:]
        server.stop()
    }

    static func location(host: String, port: Int, schema: String) -> StoreLocation {
        var configuration = PostgresConfiguration(
            host: host, port: port, database: "postgres", user: "postgres", schema: schema)
        // A stream of ten million rows is one statement for the server's clock.
        configuration.timeouts = .init(statement: nil, lock: nil, idle: nil)
        return .postgres(configuration)
    }

    /// The store of tracks in a schema, opened by the library.
    func store(_ schema: String) throws -> PersistentContainer {
        if let store = stores[schema] { return store }
        let store = try PersistentContainer(
            for: Track.self, at: Self.location(host: server.folder.path, port: server.port, schema: schema))
        stores[schema] = store
        return store
    }

    /// The store of authors and books, opened by the library.
    func shelf(isNew: Bool = false) throws -> PersistentContainer {
        if !isNew, let store = stores[Self.shelf] { return store }
        let store = try PersistentContainer(
            for: Author.self, at: Self.location(host: server.folder.path, port: server.port, schema: Self.shelf))
        stores[Self.shelf] = store
        return store
    }

    // MARK: Filling

    /// Fills the table of tracks, once.
    func fillTracks() throws {
        guard !hasTracks else { return }
        hasTracks = true
        let samples = samples
        _ = try store(Self.tracks).perform { try $0.insert(contentsOf: samples) }
        try settle(Self.tracks, "Track")
        _ = try store(Self.written)
    }

    /// Fills a table with so many tracks, by copies of those that there are. The rows have the order of their keys, as
    /// those have that a program inserts.
    func fillLarge(_ count: Int) throws {
        try fillTracks()
        _ = try store(Self.large)
        let copies = (count + rows - 1) / rows
        let names = ByHand.columns.replacing("\"_key\", \"number\", ", with: "")
        try byHand.run(
            """
            INSERT INTO "\(Self.large)"."Track" (\(ByHand.columns))
            SELECT "_key" + c * \(rows * 2), "number" + c * \(rows * 4), \(names)
            FROM "\(Self.tracks)"."Track", generate_series(0, \(copies - 1)) AS c ORDER BY 1 LIMIT \(count)
            """)
        try settle(Self.large, "Track")
    }

    /// Fills the tables of authors and books.
    func fillShelf(authors: Int) throws {
        let shelf = Shelf(books: authors * 10)
        try self.shelf().perform { context in
            let owners = try (0..<shelf.authors).map { try context.insert(Author(name: shelf.name($0))) }
            for book in 0..<shelf.books {
                let new = try context.insert(Book(title: shelf.title(book), pages: shelf.pages(book)))
                try owners[shelf.author(of: book)].books.add(new)
            }
        }
        for table in ["Author", "Book"] { try settle(Self.shelf, table) }
    }

    /// Lets the first reader of a table find it as every later one does.
    private func settle(_ schema: String, _ table: String) throws {
        try byHand.run("VACUUM (ANALYZE) \"\(schema)\".\"\(table)\"")
    }

    func empty(_ schema: String) throws { try byHand.run("TRUNCATE \"\(schema)\".\"Track\"") }
}
#endif
