import CBenchSQLite
import Foundation
import Sworm

/// Work of a few microseconds, repeated.
func smallBenches(_ place: Workplace, _ options: Options) -> [Bench] {
    let count = options.isQuick ? 2_000 : 10_000
    var random = SteadyRandom(state: 7)
    let numbers = (0..<count).map { _ in Int64(random.next() % UInt64(place.rows) + 1) * 3 }
    return [
        Bench(
            Bar("point fetch in one perform", .ratio, must: 1.6, aim: 1.25), sides: pointFetchSides(place, numbers)),
        Bench(
            Bar(
                "perform each, faster than GRDB by key", .timesFaster, than: .grdbCodable, must: 5, aim: 15),
            sides: lonelyFetchSides(place, numbers)),
        Bench(
            Bar("empty perform", .microseconds(operations: count), must: 10, aim: 4),
            sides: emptySides(place, count)),
        Bench(Bar("open and first fetch", .extraMilliseconds, must: 5, aim: 2), sides: openingSides(place)),
    ]
}

private func byNumber(_ place: Workplace) throws -> RawStatement {
    try place.raw(Workplace.full).statement(RawStore.selectAll + " WHERE ZNUMBER = ?")
}

private func pointFetchSides(_ place: Workplace, _ numbers: [Int64]) -> [Side] {
    func openGRDB() throws { _ = try place.grdb(Workplace.grdbFull) }
    return [
        Side(.byHand, prepare: { _ = try byNumber(place) }, fingerprint: Track.fingerprint) {
            let raw = try place.raw(Workplace.full)
            try raw.beginReading()
            let tracks = try raw.tracks(byNumber(place), for: numbers)
            try raw.run("COMMIT")
            return tracks
        },
        Side(.own, prepare: { _ = try place.store(Workplace.full) }, fingerprint: Track.fingerprint) {
            try place.store(Workplace.full).perform { context in
                var tracks: [Track] = []
                for number in numbers {
                    if let track = try context.decodeOne(Track.all.where { $0.number == number }) {
                        tracks.append(track)
                    }
                }
                return tracks
            }
        },
        Side(.grdbBest, prepare: openGRDB, fingerprint: { (tracks: [IndexedTrack]) in Track.fingerprint(tracks) }) {
            try place.grdb(Workplace.grdbFull).indexedTracks(ofNumbers: numbers)
        },
        Side(.grdbCodable, prepare: openGRDB, fingerprint: { (tracks: [CodableTrack]) in Track.fingerprint(tracks) }) {
            try place.grdb(Workplace.grdbFull).codableTracks(ofNumbers: numbers)
        },
    ]
}

/// Every fetch with a transaction of its own.
private func lonelyFetchSides(_ place: Workplace, _ numbers: [Int64]) -> [Side] {
    let ids = numbers.map { $0 / 3 }
    func openGRDB() throws { _ = try place.grdb(Workplace.grdbFull) }
    return [
        Side(.byHand, prepare: { _ = try byNumber(place) }, fingerprint: Track.fingerprint) {
            let raw = try place.raw(Workplace.full)
            var tracks: [Track] = []
            for number in numbers { tracks += try raw.tracks(byNumber(place), for: CollectionOfOne(number)) }
            return tracks
        },
        Side(.own, prepare: { _ = try place.store(Workplace.full) }, fingerprint: Track.fingerprint) {
            let store = try place.store(Workplace.full)
            var tracks: [Track] = []
            for number in numbers {
                let found = try store.perform { try $0.decodeOne(Track.all.where { $0.number == number }) }
                if let found { tracks.append(found) }
            }
            return tracks
        },
        Side(.grdbBest, prepare: openGRDB, fingerprint: { (tracks: [IndexedTrack]) in Track.fingerprint(tracks) }) {
            try place.grdb(Workplace.grdbFull).indexedTracksOneByOne(ofNumbers: numbers)
        },
        Side(.grdbCodable, prepare: openGRDB, fingerprint: { (tracks: [CodableTrack]) in Track.fingerprint(tracks) }) {
            try place.grdb(Workplace.grdbFull).codableTracksOneByOne(ofIDs: ids)
        },
    ]
}

private func emptySides(_ place: Workplace, _ count: Int) -> [Side] {
    [
        Side(.byHand, prepare: { _ = try byNumber(place) }, fingerprint: { $0 }) {
            let raw = try place.raw(Workplace.full)
            for _ in 0..<count {
                try raw.beginReading()
                try raw.run("COMMIT")
            }
            return count
        },
        Side(.own, prepare: { _ = try place.store(Workplace.full) }, fingerprint: { $0 }) {
            let store = try place.store(Workplace.full)
            var performed = 0
            for _ in 0..<count { performed += try store.perform { _ in 1 } }
            return performed
        },
    ]
}

private func openingSides(_ place: Workplace) -> [Side] {
    func close() { place.close() }
    return [
        Side(.byHand, prepare: close, cleanUp: close, fingerprint: Track.fingerprint) {
            let raw = try place.raw(Workplace.full)
            return try raw.tracks(try raw.statement(RawStore.selectAll + " LIMIT 1"))
        },
        Side(.own, prepare: close, cleanUp: close, fingerprint: Track.fingerprint) {
            try place.store(Workplace.full).perform { try $0.decode(Track.all.limit(1)) }
        },
        Side(
            .grdbBest, prepare: close, cleanUp: close,
            fingerprint: { (tracks: [IndexedTrack]) in Track.fingerprint(tracks) }
        ) { try place.grdb(Workplace.grdbFull).firstTrack() },
    ]
}
