import CBenchSQLite
import Foundation
import Sworm

/// Work of a few microseconds, repeated.
func smallBenches(_ place: Workplace, _ options: Options) -> [Bench] {
    let count = options.isQuick ? 2_000 : 10_000
    var random = SteadyRandom(state: 7)
    let numbers = (0..<count).map { _ in Int64(random.next() % UInt64(place.rows) + 1) * 3 }
    func cached() throws -> RawStatement {
        try place.raw("full.sqlite").statement(RawStore.selectAll + " WHERE ZNUMBER = ?")
    }
    func begin(_ raw: RawStore) throws {
        try raw.run("BEGIN; SELECT Z_VERSION FROM Z_METADATA LIMIT 1")
    }
    func openStore() -> () throws -> Void { { _ = try place.store("full.sqlite") } }

    let pointFetch = [
        Side("by hand", prepare: { _ = try cached() }, fingerprint: Track.fingerprint) {
            let raw = try place.raw("full.sqlite")
            let statement = try cached().pointer
            try begin(raw)
            var tracks: [Track] = []
            for number in numbers {
                sqlite3_bind_int64(statement, 1, number)
                if sqlite3_step(statement) == SQLITE_ROW { tracks.append(RawStore.track(statement)) }
                sqlite3_reset(statement)
            }
            try raw.run("COMMIT")
            return tracks
        },
        Side("decodeOne", prepare: openStore(), fingerprint: Track.fingerprint) {
            try place.store("full.sqlite").perform { context in
                var tracks: [Track] = []
                for number in numbers {
                    if let track = try context.decodeOne(Track.all.where { $0.number == number }) {
                        tracks.append(track)
                    }
                }
                return tracks
            }
        },
    ]
    let emptyPerform = [
        Side("by hand", prepare: { _ = try cached() }, fingerprint: { $0 }) {
            let raw = try place.raw("full.sqlite")
            for _ in 0..<count {
                try begin(raw)
                try raw.run("COMMIT")
            }
            return count
        },
        Side("perform", prepare: openStore(), fingerprint: { $0 }) {
            let store = try place.store("full.sqlite")
            var performed = 0
            for _ in 0..<count { performed += try store.perform { _ in 1 } }
            return performed
        },
    ]
    let opening = [
        Side("by hand", prepare: { place.close() }, cleanUp: { place.close() }, fingerprint: Track.fingerprint) {
            let raw = try place.raw("full.sqlite")
            return try raw.tracks(try raw.statement(RawStore.selectAll + " LIMIT 1"))
        },
        Side("open", prepare: { place.close() }, cleanUp: { place.close() }, fingerprint: Track.fingerprint) {
            try place.store("full.sqlite").perform { try $0.decode(Track.all.limit(1)) }
        },
    ]
    return [
        Bench(name: "point fetch in one perform", measure: .ratio, must: 1.6, aim: 1.25, sides: pointFetch),
        Bench(
            name: "empty perform", measure: .microseconds(operations: count), must: 10, aim: 4, sides: emptyPerform),
        Bench(name: "open and first fetch", measure: .extraMilliseconds, must: 5, aim: 2, sides: opening),
    ]
}
