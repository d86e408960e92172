import Foundation
import Sworm

/// What a walk over all rows adds up, so that no row can be left out.
struct Walk {
    private(set) var count = 0
    private var sum = 0.0
    private var bytes = 0

    mutating func add(_ track: Track) {
        add(track.title, track.rating)
        bytes &+= track.album.utf8.count &+ track.artist.utf8.count &+ (track.note?.utf8.count ?? 0)
        sum += track.created.timeIntervalSinceReferenceDate
    }

    mutating func add(_ title: String, _ rating: Double) {
        count += 1
        sum += rating
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
    func all() throws -> RawStatement { try place.raw("full.sqlite").statement(RawStore.selectAll) }
    let decoding = [
        Side("by hand", prepare: { _ = try all() }, fingerprint: Track.fingerprint) {
            try place.raw("full.sqlite").tracks(try all())
        },
        Side("decode", prepare: { _ = try place.store("full.sqlite") }, fingerprint: Track.fingerprint) {
            try place.store("full.sqlite").perform { try $0.decode(Track.all) }
        },
    ]
    let streaming = [
        Side("by hand", prepare: { _ = try all() }, fingerprint: \Walk.fingerprint) {
            var walk = Walk()
            try place.raw("full.sqlite").forEach(try all()) { walk.add($0) }
            return walk
        },
        Side("forEach", prepare: { _ = try place.store("full.sqlite") }, fingerprint: \Walk.fingerprint) {
            var walk = Walk()
            try place.store("full.sqlite").perform { try $0.forEach(Track.all) { walk.add($0) } }
            return walk
        },
    ]
    return [
        Bench(name: "decode", measure: .ratio, must: 1.15, aim: 1.05, sides: decoding),
        Bench(name: "decode, memory", measure: .memoryRatio, must: 1.05, aim: 1.0, sides: decoding),
        Bench(name: "forEach", measure: .ratio, must: 1.15, aim: 1.08, sides: streaming),
        Bench(name: "forEach, memory", measure: .extraMegabytes, must: 3, aim: 1.5, sides: streaming),
    ]
}
