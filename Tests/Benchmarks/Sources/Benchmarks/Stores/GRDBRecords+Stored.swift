import Foundation
import GRDB

/// A row of the store's own table, read by the names of its columns.
struct NamedStoredTrack: FetchableRecord {
    var track: Track

    init(row: Row) {
        track = Track(
            number: row["ZNUMBER"], genre: row["ZGENRE"], plays: row["ZPLAYS"], isLoved: row["ZISLOVED"],
            rating: row["ZRATING"], created: Date(timeIntervalSinceReferenceDate: row["ZCREATED"]),
            title: row["ZTITLE"], artist: row["ZARTIST"], album: row["ZALBUM"], identifier: row["ZIDENTIFIER"],
            note: row["ZNOTE"])
    }
}

/// A row of the store's own table, as a record that is `Codable`.
struct CodableStoredTrack: Decodable, FetchableRecord, TableRecord {
    static let databaseTableName = "ZTRACK"
    static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case number = "ZNUMBER"
        case genre = "ZGENRE"
        case plays = "ZPLAYS"
        case isLoved = "ZISLOVED"
        case rating = "ZRATING"
        case created = "ZCREATED"
        case title = "ZTITLE"
        case artist = "ZARTIST"
        case album = "ZALBUM"
        case identifier = "ZIDENTIFIER"
        case note = "ZNOTE"
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }

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

    var track: Track {
        Track(
            number: number, genre: genre, plays: plays, isLoved: isLoved, rating: rating, created: created,
            title: title, artist: artist, album: album, identifier: identifier, note: note)
    }
}

extension GRDBStore {
    func namedStoredTracks() throws -> [NamedStoredTrack] {
        try pool.read { try NamedStoredTrack.fetchAll($0.cachedStatement(sql: RawStore.selectAll)) }
    }

    func codableStoredTracks() throws -> [CodableStoredTrack] { try pool.read { try CodableStoredTrack.fetchAll($0) } }
}
