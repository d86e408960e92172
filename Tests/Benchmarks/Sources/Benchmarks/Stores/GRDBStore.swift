import Foundation
import GRDB

/// The same rows in a file of GRDB's, read and written through its public interface alone.
///
/// The table has the columns, the index and the unique column that the store's table has, and the file the same settings.
final class GRDBStore: Sendable {
    let pool: DatabasePool

    init(_ url: URL) throws {
        var configuration = Configuration()
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384")
        }
        pool = try DatabasePool(path: url.path, configuration: configuration)
    }

    deinit { try? pool.close() }

    /// Makes the table of tracks.
    func makeTracks() throws {
        try pool.write { database in
            try database.create(table: "track") { table in
                table.primaryKey("id", .integer)
                table.column("number", .integer).notNull().unique()
                table.column("genre", .integer).notNull().indexed()
                table.column("plays", .integer).notNull()
                table.column("isLoved", .boolean).notNull()
                table.column("rating", .double).notNull()
                table.column("created", .double).notNull()
                table.column("title", .text).notNull()
                table.column("artist", .text).notNull()
                table.column("album", .text).notNull()
                table.column("identifier", .blob).notNull()
                table.column("note", .text)
            }
        }
    }

    /// Makes the tables of authors and books.
    func fill(_ shelf: Shelf) throws {
        try pool.write { database in
            try database.create(table: "author") { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull()
            }
            try database.create(table: "book") { table in
                table.primaryKey("id", .integer)
                table.column("title", .text).notNull()
                table.column("pages", .integer).notNull()
                table.column("authorId", .integer).notNull().indexed().references("author")
            }
            let author = try database.cachedStatement(sql: "INSERT INTO author VALUES (?, ?)")
            for index in 0..<shelf.authors { try author.execute(arguments: [index + 1, shelf.name(index)]) }
            let book = try database.cachedStatement(sql: "INSERT INTO book VALUES (?, ?, ?, ?)")
            for index in 0..<shelf.books {
                let (title, pages, author) = (shelf.title(index), shelf.pages(index), shelf.author(of: index) + 1)
                try book.execute(arguments: [index + 1, title, pages, author])
            }
        }
    }
}

// MARK: Reading

extension GRDBStore {
    private static let selectAll = "SELECT * FROM track"

    func indexedTracks() throws -> [IndexedTrack] {
        try pool.read { try IndexedTrack.fetchAll($0.cachedStatement(sql: Self.selectAll)) }
    }

    func namedTracks() throws -> [NamedTrack] {
        try pool.read { try NamedTrack.fetchAll($0.cachedStatement(sql: Self.selectAll)) }
    }

    func codableTracks() throws -> [CodableTrack] { try pool.read { try CodableTrack.fetchAll($0) } }

    func forEachIndexed(_ body: (Track) -> Void) throws {
        try pool.read { database in
            let cursor = try IndexedTrack.fetchCursor(database.cachedStatement(sql: Self.selectAll))
            while let next = try cursor.next() { body(next.track) }
        }
    }

    func forEachCodable(_ body: (Track) -> Void) throws {
        try pool.read { database in
            let cursor = try CodableTrack.fetchCursor(database)
            while let next = try cursor.next() { body(next.track) }
        }
    }

    /// The tracks of every genre that is given.
    func indexedTracks(ofGenres genres: [Int]) throws -> [IndexedTrack] {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: Self.selectAll + " WHERE genre = ?")
            return try genres.flatMap { try IndexedTrack.fetchAll(statement, arguments: [$0]) }
        }
    }

    func codableTracks(ofGenres genres: [Int]) throws -> [CodableTrack] {
        try pool.read { database in
            try genres.flatMap { try CodableTrack.filter(Column("genre") == $0).fetchAll(database) }
        }
    }

    func indexedTracks(ofNumbers numbers: [Int64]) throws -> [IndexedTrack] {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: Self.selectAll + " WHERE number = ?")
            return try numbers.compactMap { try IndexedTrack.fetchOne(statement, arguments: [$0]) }
        }
    }

    func codableTracks(ofNumbers numbers: [Int64]) throws -> [CodableTrack] {
        try pool.read { database in
            try numbers.compactMap { try CodableTrack.filter(Column("number") == $0).fetchOne(database) }
        }
    }

    /// One reading each, by primary key: GRDB's quickest key.
    func codableTracksOneByOne(ofIDs ids: [Int64]) throws -> [CodableTrack] {
        try ids.compactMap { id in try pool.read { try CodableTrack.fetchOne($0, key: id) } }
    }

    func indexedTracksOneByOne(ofNumbers numbers: [Int64]) throws -> [IndexedTrack] {
        try numbers.compactMap { number in
            try pool.read { database in
                let statement = try database.cachedStatement(sql: Self.selectAll + " WHERE number = ?")
                return try IndexedTrack.fetchOne(statement, arguments: [number])
            }
        }
    }

    func firstTrack() throws -> [IndexedTrack] {
        try pool.read { try IndexedTrack.fetchAll($0, sql: Self.selectAll + " LIMIT 1") }
    }

    /// An SQL expression over the tracks of every genre that is given.
    func numbers(_ expression: String, ofGenres genres: [Int]) throws -> [Int] {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT \(expression) FROM track WHERE genre = ?")
            return try genres.map { try Int.fetchOne(statement, arguments: [$0]) ?? 0 }
        }
    }

    /// The same through requests.
    func numbers(_ aggregate: Aggregate, ofGenres genres: [Int]) throws -> [Int] {
        let plays = Column("plays")
        return try pool.read { database in
            try genres.map { genre in
                let request = CodableTrack.filter(Column("genre") == genre)
                switch aggregate {
                case .count: return try request.fetchCount(database)
                case .min: return try request.select(min(plays), as: Int.self).fetchOne(database) ?? 0
                case .max: return try request.select(max(plays), as: Int.self).fetchOne(database) ?? 0
                case .sum: return try request.select(sum(plays), as: Int.self).fetchOne(database) ?? 0
                }
            }
        }
    }
}

// MARK: Walking

extension GRDBStore {
    /// Authors with their books, by the two queries that one would write.
    func walkByHand() throws -> ShelfWalk {
        try pool.read { database in
            var authors: [RawAuthor] = []
            var places: [Int64: Int] = [:]
            let authorRows = try Row.fetchCursor(database.cachedStatement(sql: "SELECT id, name FROM author"))
            while let row = try authorRows.next() {
                places[row[0]] = authors.count
                authors.append(RawAuthor(name: row[1]))
            }
            let bookRows = try Row.fetchCursor(
                database.cachedStatement(sql: "SELECT authorId, title, pages FROM book"))
            while let row = try bookRows.next() {
                guard let place = places[row[0]] else { continue }
                authors[place].books.append(RawBook(title: row[1], pages: row[2]))
            }
            return ShelfWalk(authors)
        }
    }

    /// The same by an association that is prefetched.
    func walkByAssociation() throws -> ShelfWalk {
        try pool.read { database in
            let infos = try AuthorRecord.including(all: AuthorRecord.books)
                .asRequest(of: AuthorInfo.self).fetchAll(database)
            var walk = ShelfWalk()
            for info in infos {
                walk.add(author: info.author.name)
                for book in info.books { walk.add(book: book.title, book.pages) }
            }
            return walk
        }
    }
}
