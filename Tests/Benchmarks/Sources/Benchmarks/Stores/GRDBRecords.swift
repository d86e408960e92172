import Foundation
import GRDB

/// A track as GRDB reads it quickest: by the index of its columns.
struct IndexedTrack: FetchableRecord {
    var track: Track

    init(row: Row) {
        track = Track(
            number: row[1], genre: row[2], plays: row[3], isLoved: row[4], rating: row[5],
            created: Date(timeIntervalSinceReferenceDate: row[6]), title: row[7], artist: row[8], album: row[9],
            identifier: row[10], note: row[11])
    }
}

/// A track read by the names of its columns.
struct NamedTrack: FetchableRecord {
    var track: Track

    init(row: Row) {
        track = Track(
            number: row["number"], genre: row["genre"], plays: row["plays"], isLoved: row["isLoved"],
            rating: row["rating"], created: Date(timeIntervalSinceReferenceDate: row["created"]), title: row["title"],
            artist: row["artist"], album: row["album"], identifier: row["identifier"], note: row["note"])
    }
}

/// A track as GRDB's readme begins: a record that is `Codable`.
struct CodableTrack: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "track"

    var id: Int64
    var number: Int64
    var genre: Int
    var plays: Int
    var isLoved: Bool
    var rating: Double
    var created: Date
    var title: String
    var artist: String
    var album: String
    var identifier: UUID
    var note: String?

    // Numbers, as in the store's file: the texts that dates are otherwise would be slower.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    init(_ track: Track, id: Int64) {
        self.id = id
        number = track.number
        genre = track.genre
        plays = track.plays
        isLoved = track.isLoved
        rating = track.rating
        created = track.created
        title = track.title
        artist = track.artist
        album = track.album
        identifier = track.identifier
        note = track.note
    }

    var track: Track {
        Track(
            number: number, genre: genre, plays: plays, isLoved: isLoved, rating: rating, created: created,
            title: title, artist: artist, album: album, identifier: identifier, note: note)
    }
}

extension Track {
    static func fingerprint(_ tracks: [IndexedTrack]) -> Int { fingerprint(tracks.map(\.track)) }
    static func fingerprint(_ tracks: [NamedTrack]) -> Int { fingerprint(tracks.map(\.track)) }
    static func fingerprint(_ tracks: [CodableTrack]) -> Int { fingerprint(tracks.map(\.track)) }
}

// MARK: Authors and books

struct AuthorRecord: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "author"
    static let books = hasMany(BookRecord.self)

    var id: Int64
    var name: String
}

struct BookRecord: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "book"

    var id: Int64
    var title: String
    var pages: Int
    var authorId: Int64
}

/// An author with all books, as GRDB's guide to associations reads them.
struct AuthorInfo: Decodable, FetchableRecord {
    var author: AuthorRecord
    var books: [BookRecord]
}
