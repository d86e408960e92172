import Foundation
import Sworm

/// Writing many rows into an empty store.
func writingBenches(_ place: Workplace) -> [Bench] {
    func written(_ name: String) throws -> Int {
        let raw = try place.raw(name)
        return Track.fingerprint(try raw.tracks(try raw.statement(RawStore.selectAll + " ORDER BY ZNUMBER")))
    }
    let inserting = [
        Side(
            "by hand",
            prepare: {
                try place.makeEmpty("raw.sqlite")
                _ = try place.raw("raw.sqlite")
                _ = place.tracks
            }, fingerprint: { try written("raw.sqlite") }
        ) { try place.raw("raw.sqlite").insert(place.tracks) },
        Side(
            "insert, save",
            prepare: {
                try place.makeEmpty("graph.sqlite")
                _ = try place.store("graph.sqlite")
                _ = place.tracks
            }, fingerprint: { try written("graph.sqlite") }
        ) {
            try place.store("graph.sqlite").perform { context in
                for track in place.tracks { try context.insert(track) }
            }
        },
    ]
    return [Bench(name: "insert through the graph", measure: .ratio, must: 2.5, aim: 1.8, sides: inserting)]
}
