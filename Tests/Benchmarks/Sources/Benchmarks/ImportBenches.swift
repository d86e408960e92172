import Foundation
import Sworm

/// Many more rows than should be in memory at once: how much the process grows, from an open and empty store on.
func importBenches(_ place: Workplace) -> [Bench] {
    let rows = place.rows * 10
    let portion = min(10_000, rows / 10)
    let sides = [
        place.writing(.byHand, into: Workplace.empty) { try place.raw($0).insert(Track.samples(rows)) },
        place.writing(.own, into: Workplace.empty) { name in
            let store = try place.store(name)
            var tracks = Track.samples(rows).makeIterator()
            for _ in 0..<(rows / portion) {
                try store.perform { context in
                    for _ in 0..<portion {
                        if let track = tracks.next() { try context.insert(track) }
                    }
                }
            }
        },
        place.writing(.grdbBest, into: Workplace.grdbEmpty) { try place.grdb($0).insert(Track.samples(rows)) },
    ]
    return [Bench(Bar("import of \(rows) rows, memory", .megabytes, must: 64, aim: 16), weight: 3, sides: sides)]
}
