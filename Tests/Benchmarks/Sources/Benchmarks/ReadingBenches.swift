import Foundation
import Sworm

/// What a walk over all rows adds up, so that no row can be left out.
struct Walk {
    private(set) var count = 0
    /// Whole numbers, because a sum of them does not depend on the order of the rows.
    private var sum: Int64 = 0
    private var bytes = 0

    init() {}

    /// A walk that somebody else has added up.
    init(count: Int, sum: Int64, bytes: Int) {
        (self.count, self.sum, self.bytes) = (count, sum, bytes)
    }

    mutating func add(_ track: Track) {
        add(track.title, track.rating)
        bytes &+= track.album.utf8.count &+ track.artist.utf8.count &+ (track.note?.utf8.count ?? 0)
        sum &+= Int64(track.created.timeIntervalSinceReferenceDate)
    }

    mutating func add(_ title: String, _ rating: Double) {
        count += 1
        sum &+= Int64(rating * 1000)
        bytes &+= title.utf8.count
    }

    var fingerprint: Int {
        var hasher = Hasher()
        hasher.combine(count)
        hasher.combine(sum)
        hasher.combine(bytes)
        return hasher.finalize()
    }
}

/// Rows as structs.
func readingBenches(_ place: Workplace) -> [Bench] {
    let decoding = decodingSides(place)
    let streaming = streamingSides(place)
    return [
        Bench(
            "decode",
            bars: [
                Bar("decode", .ratio, must: 1.15, aim: 1.05),
                // GRDB on a table of its own, whose columns have short names: there the loop by hand is itself hardly faster.
                Bar(
                    "decode, faster than GRDB Codable, its table", .timesFaster, than: .grdbCodable, must: 3.5,
                    aim: 4.5,
                    isReported: true),
                Bar(
                    "decode, faster than GRDB by name, its table", .timesFaster, than: .grdbByName, must: 2, aim: 2.5,
                    isReported: true),
            ], sides: decoding),
        Bench(
            "decode, the same file",
            bars: [
                Bar(
                    "decode, faster than GRDB Codable", .timesFaster, than: .grdbCodable, must: 3.5, aim: 4.5
                ),
                Bar("decode, faster than GRDB by name", .timesFaster, than: .grdbByName, must: 2, aim: 2.5),
            ], sides: sameFileSides(place)),
        Bench(Bar("decode, memory", .memoryRatio, must: 1.05, aim: 1.0), sides: decoding),
        Bench(Bar("forEach", .ratio, must: 1.15, aim: 1.08), sides: streaming),
        Bench(Bar("forEach, memory", .extraMegabytes, must: 3, aim: 1.5), sides: streaming),
        Bench(Bar("indexed filter", .ratio, must: 1.15, aim: 1.05), sides: filteringSides(place)),
    ]
}

private func decodingSides(_ place: Workplace) -> [Side] {
    func all() throws -> RawStatement { try place.raw(Workplace.full).statement(RawStore.selectAll) }
    func openGRDB() throws { _ = try place.grdb(Workplace.grdbFull) }
    return [
        Side(.byHand, prepare: { _ = try all() }, fingerprint: Track.fingerprint) {
            try place.raw(Workplace.full).tracks(try all())
        },
        Side(.own, prepare: { _ = try place.store(Workplace.full) }, fingerprint: Track.fingerprint) {
            try place.store(Workplace.full).perform { try $0.decode(Track.all) }
        },
        Side(.grdbBest, prepare: openGRDB, fingerprint: { (tracks: [IndexedTrack]) in Track.fingerprint(tracks) }) {
            try place.grdb(Workplace.grdbFull).indexedTracks()
        },
        Side(.grdbByName, prepare: openGRDB, fingerprint: { (tracks: [NamedTrack]) in Track.fingerprint(tracks) }) {
            try place.grdb(Workplace.grdbFull).namedTracks()
        },
        Side(.grdbCodable, prepare: openGRDB, fingerprint: { (tracks: [CodableTrack]) in Track.fingerprint(tracks) }) {
            try place.grdb(Workplace.grdbFull).codableTracks()
        },
    ]
}

private func sameFileSides(_ place: Workplace) -> [Side] {
    func openGRDB() throws { _ = try place.grdb(Workplace.full) }
    return decodingSides(place).filter { $0.role == .byHand || $0.role == .own } + [
        Side(
            .grdbByName, prepare: openGRDB,
            fingerprint: { (tracks: [NamedStoredTrack]) in Track.fingerprint(tracks.map(\.track)) }
        ) { try place.grdb(Workplace.full).namedStoredTracks() },
        Side(
            .grdbCodable, prepare: openGRDB,
            fingerprint: { (tracks: [CodableStoredTrack]) in Track.fingerprint(tracks.map(\.track)) }
        ) { try place.grdb(Workplace.full).codableStoredTracks() },
    ]
}

private func streamingSides(_ place: Workplace) -> [Side] {
    func all() throws -> RawStatement { try place.raw(Workplace.full).statement(RawStore.selectAll) }
    func side(
        _ role: Side.Role, _ open: @escaping () throws -> Void,
        _ forEach: @escaping ((Track) -> Void) throws -> Void
    ) -> Side {
        Side(role, prepare: open, fingerprint: \Walk.fingerprint) {
            var walk = Walk()
            try forEach { walk.add($0) }
            return walk
        }
    }
    func openGRDB() throws { _ = try place.grdb(Workplace.grdbFull) }
    return [
        side(.byHand, { _ = try all() }) { body in
            try place.raw(Workplace.full).forEachRow(try all()) { body(RawStore.track($0)) }
        },
        side(.own, { _ = try place.store(Workplace.full) }) { body in
            try place.store(Workplace.full).perform { try $0.forEach(Track.all) { body($0) } }
        },
        side(.grdbBest, openGRDB) { try place.grdb(Workplace.grdbFull).forEachIndexed($0) },
        side(.grdbCodable, openGRDB) { try place.grdb(Workplace.grdbFull).forEachCodable($0) },
    ]
}

/// A thousand rows each time, found by the index of a column.
private func filteringSides(_ place: Workplace) -> [Side] {
    let genres = (0..<20).map { $0 * 7 % place.genres }
    func filter() throws -> RawStatement {
        try place.raw(Workplace.full).statement(RawStore.selectAll + " WHERE ZGENRE = ?")
    }
    func openGRDB() throws { _ = try place.grdb(Workplace.grdbFull) }
    return [
        Side(.byHand, prepare: { _ = try filter() }, fingerprint: Track.fingerprint) {
            try place.raw(Workplace.full).tracks(filter(), for: genres.map { Int64($0) })
        },
        Side(.own, prepare: { _ = try place.store(Workplace.full) }, fingerprint: Track.fingerprint) {
            try place.store(Workplace.full).perform { context in
                var tracks: [Track] = []
                for genre in genres { tracks += try context.decode(Track.all.where { $0.genre == genre }) }
                return tracks
            }
        },
        Side(.grdbBest, prepare: openGRDB, fingerprint: { (tracks: [IndexedTrack]) in Track.fingerprint(tracks) }) {
            try place.grdb(Workplace.grdbFull).indexedTracks(ofGenres: genres)
        },
        Side(.grdbCodable, prepare: openGRDB, fingerprint: { (tracks: [CodableTrack]) in Track.fingerprint(tracks) }) {
            try place.grdb(Workplace.grdbFull).codableTracks(ofGenres: genres)
        },
    ]
}
