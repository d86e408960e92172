import Foundation
import GRDB

/// GRDB's pool at its best: statements that are cached, and rows decoded by the index of their columns. The table has the
/// columns, the index and the unique column that the store's table has.
struct GRDBSide: PhaseSide {
    private let pool: DatabasePool

    private struct Record: FetchableRecord {
        let track: Track

        init(row: Row) {
            track = Track(
                number: row[0], genre: row[1], plays: row[2], isLoved: row[3], rating: row[4],
                created: Date(timeIntervalSinceReferenceDate: row[5]), title: row[6], artist: row[7], album: row[8],
                identifier: row[9], note: row[10])
        }
    }

    private static let columns =
        "number, genre, plays, isLoved, rating, created, title, artist, album, identifier, note"

    init(_ url: URL) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = PhaseSettings.readers
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -\(PhaseSettings.cacheKiB)")
        }
        pool = try DatabasePool(path: url.path, configuration: configuration)
    }

    static func fill(_ url: URL, rows: Int) throws {
        let pool = try DatabasePool(path: url.path)
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
            let insert = try database.makeStatement(
                sql: "INSERT INTO track (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for track in Track.samples(rows) {
                try insert.execute(arguments: [
                    track.number, track.genre, track.plays, track.isLoved, track.rating,
                    track.created.timeIntervalSinceReferenceDate, track.title, track.artist, track.album,
                    track.identifier, track.note,
                ])
            }
        }
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try pool.close()
    }

    func read(_ number: Int64) async throws -> Track? {
        try await pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT \(Self.columns) FROM track WHERE number = ?")
            return try Record.fetchOne(statement, arguments: [number])?.track
        }
    }

    func write(_ plays: Int, to number: Int64) async throws -> Int {
        try await pool.write { database in
            try database.cachedStatement(sql: "UPDATE track SET plays = ? WHERE number = ?")
                .execute(arguments: [plays, number])
            return database.changesCount
        }
    }

    func close() throws { try pool.close() }
}
