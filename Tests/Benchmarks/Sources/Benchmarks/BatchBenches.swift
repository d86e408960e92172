import Foundation
import Sworm

/// Writing many rows without making objects of them.
func batchBenches(_ place: Workplace) -> [Bench] {
    [
        Bench(Bar("insert(contentsOf:)", .ratio, must: 1.1, aim: 0.85), weight: 2, sides: insertingSides(place)),
        Bench(Bar("upsert, half existing", .ratio, must: 1.3, aim: 1.1), weight: 3, sides: upsertingSides(place)),
        Bench(Bar("batch update", .ratio, must: 1.1, aim: 1.02), sides: settingSides(place)),
        Bench(Bar("batch delete", .ratio, must: 1.1, aim: 1.02), sides: deletingSides(place)),
    ]
}

private func insertingSides(_ place: Workplace) -> [Side] {
    [
        place.writing(.byHand, into: Workplace.empty) { try place.raw($0).insert(place.tracks) },
        place.writing(.own, into: Workplace.empty) { name in
            try place.store(name).perform { context in
                try expect(place.rows, try context.insert(contentsOf: place.tracks))
            }
        },
        place.writing(.grdbBest, into: Workplace.grdbEmpty) { try place.grdb($0).insert(place.tracks) },
        place.writing(.grdbCodable, into: Workplace.grdbEmpty) { try place.grdb($0).insertRecords(place.tracks) },
    ]
}

/// Every other track is in the store, and all of them come with more plays.
private func upsertingSides(_ place: Workplace) -> [Side] {
    func changed() -> some Sequence<Track> {
        place.tracks.lazy.map { track in
            var track = track
            track.plays += 1
            return track
        }
    }
    return [
        place.writing(.byHand, into: Workplace.half) { try place.raw($0).upsert(changed(), after: place.rows) },
        place.writing(.own, into: Workplace.half) { name in
            try place.store(name).perform { context in
                let counts = try context.upsert(changed())
                try expect(place.rows / 2, counts.inserted)
                try expect(place.rows - place.rows / 2, counts.updated)
            }
        },
        place.writing(.grdbBest, into: Workplace.grdbHalf) { try place.grdb($0).upsert(changed()) },
        place.writing(.grdbCodable, into: Workplace.grdbHalf) { try place.grdb($0).upsertRecords(changed()) },
    ]
}

/// One attribute of all rows, by a condition that they all meet.
private func settingSides(_ place: Workplace) -> [Side] {
    [
        place.writing(.byHand, into: Workplace.full) {
            let sql = "UPDATE ZTRACK SET ZPLAYS = 3, Z_OPT = Z_OPT + 1 WHERE ZGENRE >= ?"
            try expect(place.rows, try place.raw($0).change(sql, 0))
        },
        place.writing(.own, into: Workplace.full) { name in
            try place.store(name).perform { context in
                try expect(place.rows, try context.update(Track.all.where { $0.genre >= 0 }, set: (\.plays, 3)))
            }
        },
        place.writing(.grdbBest, into: Workplace.grdbFull) {
            try expect(place.rows, try place.grdb($0).setPlaysByStatement(3, ofGenresFrom: 0))
        },
        place.writing(.grdbCodable, into: Workplace.grdbFull) {
            try expect(place.rows, try place.grdb($0).setPlays(3, ofGenresFrom: 0))
        },
    ]
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
