#if PostgreSQL
import CByHand
import Foundation
import Sworm

/// A connection over which the loops in C work. One thread at a time may use it.
///
/// @unchecked: whoever hands it to another thread does not use it until that thread has ended.
final class ByHand: @unchecked Sendable {
    private let hand: OpaquePointer

    convenience init(_ server: PostgresServer) throws { try self.init(host: server.folder.path, port: server.port) }

    init(host: String, port: Int) throws {
        guard let hand = by_hand_open(host, "\(port)", "postgres", "postgres") else { throw Failure("Out of memory.") }
        self.hand = hand
        if by_hand_error(hand).pointee != 0 { throw failure }
    }

    deinit { by_hand_close(hand) }

    private var failure: Failure { Failure("By hand: \(String(cString: by_hand_error(hand)))") }

    private func require(_ isDone: Bool) throws { if !isDone { throw failure } }

    func run(_ sql: String) throws { try require(by_hand_run(hand, sql)) }

    func number(_ sql: String) throws -> Int {
        var number: Int64 = 0
        try require(by_hand_number(hand, sql, &number))
        return Int(number)
    }

    // MARK: Tracks

    /// The statement that the store sends for all tracks of a schema.
    static func selectAll(_ schema: String) -> String {
        "SELECT \(columns) FROM \"\(schema)\".\"Track\" t0"
    }

    static let columns =
        "\"_key\", \"number\", \"genre\", \"plays\", \"isLoved\", \"rating\", \"created\", \"title\", \"artist\", \"album\", \"identifier\", \"note\""

    func tracks(_ sql: String) throws -> ByHandTracks {
        let tracks = ByHandTracks()
        try require(by_hand_decode(hand, sql, &tracks.tracks))
        return tracks
    }

    /// The rows of several statements.
    func tracks(_ statements: [String]) throws -> ByHandTracks {
        let tracks = ByHandTracks()
        for sql in statements { try require(by_hand_decode(hand, sql, &tracks.tracks)) }
        return tracks
    }

    func tracksInPortions(_ sql: String, portion: Int = 1000) throws -> ByHandTracks {
        let tracks = ByHandTracks()
        try require(by_hand_decode_in_portions(hand, sql, Int32(portion), &tracks.tracks))
        return tracks
    }

    func forEach(_ sql: String, portion: Int = 1000) throws -> Walk {
        var walk = by_hand_walk()
        try require(by_hand_for_each(hand, sql, Int32(portion), &walk))
        return Walk(count: Int(walk.count), sum: walk.sum, bytes: Int(walk.bytes))
    }

    func copy(_ tracks: ByHandTracks, into table: String) throws {
        try require(by_hand_copy(hand, table, &tracks.tracks))
    }

    // MARK: Authors and their books

    func shelf(_ schema: String) throws -> ByHandShelf {
        let shelf = ByHandShelf()
        try require(
            by_hand_read_shelf(
                hand, "SELECT \"_key\", \"name\" FROM \"\(schema)\".\"Author\" ORDER BY \"_key\"",
                "SELECT \"author\", \"title\", \"pages\" FROM \"\(schema)\".\"Book\" WHERE \"author\" = ANY($1)",
                &shelf.shelf))
        return shelf
    }

    // MARK: Accounts

    func prepareChanges(of table: String) throws { try require(by_hand_prepare_changes(hand, table)) }

    /// Adds amounts to balances, again after conflicts.
    func change(_ change: AccountChange) throws {
        while true {
            let outcome = by_hand_change(hand, change.numbers, change.amounts, Int32(change.numbers.count))
            if outcome == BY_HAND_DONE { return }
            guard outcome == BY_HAND_CONFLICT else { throw failure }
        }
    }
}

/// Tracks in memory of C.
final class ByHandTracks {
    fileprivate var tracks = by_hand_tracks()

    deinit { by_hand_free_tracks(&tracks) }

    var count: Int { tracks.count }

    var values: [Track] {
        UnsafeBufferPointer(start: tracks.rows, count: tracks.count).map { row in
            var track = Track()
            (track.number, track.genre, track.plays) = (row.number, Int(row.genre), Int(row.plays))
            (track.isLoved, track.rating) = (row.is_loved, row.rating)
            track.created = Date(timeIntervalSinceReferenceDate: row.created)
            track.title = row.title.string ?? ""
            track.artist = row.artist.string ?? ""
            track.album = row.album.string ?? ""
            track.identifier = UUID(uuid: row.identifier)
            track.note = row.note.string
            return track
        }
    }
}

/// Authors and their books in memory of C.
final class ByHandShelf {
    fileprivate var shelf = by_hand_shelf()

    deinit { by_hand_free_shelf(&shelf) }

    var walk: ShelfWalk {
        let walk = by_hand_walk_shelf(&shelf)
        return ShelfWalk(
            authors: Int(walk.authors), books: Int(walk.books), bytes: Int(walk.bytes), pages: Int(walk.pages),
            pairs: Int(walk.pairs))
    }
}

extension by_hand_text {
    fileprivate var string: String? {
        bytes.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: Int(count)), as: UTF8.self) }
    }
}
#endif
