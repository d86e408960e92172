import Foundation
import Sworm

/// Writing many rows without making objects of them.
func batchBenches(_ place: Workplace) -> [Bench] {
    [Bench(Bar("batch delete", .ratio, must: 1.1, aim: 1.02), weight: 3, sides: deletingSides(place))]
}

/// All rows, by a condition that they all meet: without one SQLite would just drop the pages.
private func deletingSides(_ place: Workplace) -> [Side] {
    [
        place.writing(.byHand, into: Workplace.full) {
            _ = try place.raw($0).change("DELETE FROM ZTRACK WHERE ZGENRE >= ?", 0)
        },
        place.writing(.own, into: Workplace.full) { name in
            try place.store(name).perform { context in
                try expect(place.rows, try context.batchDelete(Track.all.where { $0.genre >= 0 }))
            }
        },
        place.writing(.grdbBest, into: Workplace.grdbFull) {
            _ = try place.grdb($0).deleteTracksByStatement(ofGenresFrom: 0)
        },
        place.writing(.grdbCodable, into: Workplace.grdbFull) {
            _ = try place.grdb($0).deleteTracks(ofGenresFrom: 0)
        },
    ]
}

/// Throws when a call says another number of rows than it should.
func expect(_ expected: Int, _ found: Int) throws {
    guard expected == found else { throw Failure("\(found) rows are said to be written, and not \(expected).") }
}
