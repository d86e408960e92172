import Foundation
import Sworm

/// Rows as managed objects, against structs by hand.
func graphBenches(_ place: Workplace) -> [Bench] {
    func all() throws -> RawStatement { try place.raw("full.sqlite").statement(RawStore.selectAll) }
    // On both sides everything that was fetched is released within the time: objects cannot leave their `perform`.
    let fetching = [
        Side("by hand", prepare: { _ = try all() }, fingerprint: \Walk.fingerprint) {
            let tracks = try place.raw("full.sqlite").tracks(try all())
            var walk = Walk()
            for track in tracks { walk.add(track.title, track.rating) }
            return walk
        },
        Side("fetch", prepare: { _ = try place.store("full.sqlite") }, fingerprint: \Walk.fingerprint) {
            try place.store("full.sqlite").perform { context in
                let tracks = try context.fetch(Track.all)
                var walk = Walk()
                for track in tracks { walk.add(try track.decode(\.title), try track.decode(\.rating)) }
                return walk
            }
        },
    ]
    return [
        Bench(name: "objects, two attributes", measure: .ratio, must: 1.6, aim: 1.2, sides: fetching),
        Bench(name: "objects, memory", measure: .memoryRatio, must: 1.0, aim: 0.75, sides: fetching),
    ]
}
