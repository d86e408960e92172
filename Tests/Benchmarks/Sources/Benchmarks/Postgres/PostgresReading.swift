#if PostgreSQL
import Foundation
import Sworm

extension PostgresBenches {
    /// All rows as structs.
    static func readingBenches(_ place: PostgresPlace, _ peers: PostgresPeers?) -> [Bench] {
        let schema = PostgresPlace.tracks
        let all = ByHand.selectAll(schema)
        // A server that reads a table with several processes returns the rows in any order.
        func fingerprint(_ tracks: [Track]) -> Int { Track.fingerprint(tracks.sorted { $0.number < $1.number }) }
        func fingerprint(_ tracks: ByHandTracks) -> Int { fingerprint(tracks.values) }
        let own = Side(.own, fingerprint: fingerprint) {
            try place.store(schema).perform { try $0.decode(Track.all) }
        }
        var sides = [Side(.byHand, fingerprint: fingerprint) { try place.byHand.tracks(all) }, own]
        if let peers {
            sides += [
                Side(.asyncpg) { try peers.milliseconds("asyncpg", schema, rows: place.rows) },
                Side(.psycopg) { try peers.milliseconds("psycopg", schema, rows: place.rows) },
            ]
        }
        return [
            Bench(
                "decode",
                bars: [
                    Bar("decode, against the whole result in C", .ratio, must: 1.25, aim: 1.15),
                    // Stand-ins for PostgresNIO, whose bar this is.
                    Bar("decode, against asyncpg", .ratio, than: .asyncpg, must: 0.35, aim: 0.3, isReported: true),
                    Bar("decode, against psycopg 3", .ratio, than: .psycopg, must: 0.35, aim: 0.3, isReported: true),
                ], sides: sides),
            Bench(
                Bar("decode, against a cursor in C", .ratio, must: 1.25, aim: 1.15),
                sides: [
                    Side(.byHand, fingerprint: fingerprint) { try place.byHand.tracksInPortions(all) }, own,
                ]),
            Bench(
                Bar("decode, results of 5,000 rows that arrive as a whole", .ratio, must: 1.25, aim: 1.15),
                sides: partSides(place)),
        ]
    }

    /// The same rows as results that the store receives as a whole.
    private static func partSides(_ place: PostgresPlace) -> [Side] {
        let size = 5000
        let starts = stride(from: 0, to: place.rows, by: size).map { Int64($0) * 3 }
        let statements = starts.map { start in
            ByHand.selectAll(PostgresPlace.tracks)
                + " WHERE t0.\"number\" > \(start) AND t0.\"number\" <= \(start + Int64(size) * 3) LIMIT \(size)"
        }
        return [
            Side(.byHand, fingerprint: { (tracks: ByHandTracks) in Track.fingerprint(tracks.values) }) {
                try place.byHand.tracks(statements)
            },
            Side(.own, fingerprint: Track.fingerprint) {
                try place.store(PostgresPlace.tracks).perform { context in
                    var tracks: [Track] = []
                    tracks.reserveCapacity(place.rows)
                    for start in starts {
                        let end = start + Int64(size) * 3
                        tracks += try context.decode(
                            Track.all.where { $0.number > start && $0.number <= end }.limit(size))
                    }
                    return tracks
                }
            },
        ]
    }

    // MARK: Writing

    /// Many structs at once.
    static func writingBenches(_ place: PostgresPlace, _ peers: PostgresPeers?) -> [Bench] {
        let schema = PostgresPlace.written
        let table = "\"\(schema)\".\"Track\""
        let stored = Stored(place)
        func written() throws -> Int {
            Track.fingerprint(try place.byHand.tracks(ByHand.selectAll(schema) + " ORDER BY \"number\"").values)
        }
        let samples = place.samples
        var sides = [
            Side(
                .byHand, prepare: { try place.empty(schema) }, fingerprint: { try written() },
                run: { try place.byHand.copy(stored.tracks(), into: table) }),
            Side(
                .own, prepare: { try place.empty(schema) }, fingerprint: { (_: Int) in try written() },
                run: { try place.store(schema).perform { try $0.insert(contentsOf: samples) } }),
        ]
        if let peers {
            sides.append(
                Side(
                    .asyncpg,
                    prepare: {
                        try place.empty(schema)
                        // asyncpg writes the rows that it has read.
                        _ = try peers.milliseconds("asyncpg", PostgresPlace.tracks, rows: place.rows)
                    }, value: { try peers.milliseconds("copy", schema, rows: place.rows) }))
        }
        return [
            Bench(
                "insert(contentsOf:)",
                bars: [
                    Bar("insert(contentsOf:), against COPY in C", .ratio, must: 1.2, aim: 1.05),
                    Bar("insert(contentsOf:), against asyncpg's COPY", .ratio, than: .asyncpg, must: 1, aim: 0.9),
                ], sides: sides)
        ]
    }

    /// The tracks in memory of C, read once.
    private final class Stored {
        private let place: PostgresPlace
        private var read: ByHandTracks?

        init(_ place: PostgresPlace) { self.place = place }

        func tracks() throws -> ByHandTracks {
            if let read { return read }
            let tracks = try place.byHand.tracks(ByHand.selectAll(PostgresPlace.tracks))
            read = tracks
            return tracks
        }
    }
}
#endif
