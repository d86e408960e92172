import Foundation
import Sworm
import Synchronization

/// Several threads on one store. What comes out says as much about the machine as about the library: it is only reported.
func parallelBenches(_ place: Workplace, _ options: Options) -> [Bench] {
    [
        Bench(
            Bar("two reading threads", .speedup, must: 1.7, aim: 1.9, isReported: true), weight: 3,
            sides: throughputSides(place)),
        Bench(
            Bar("reading while another writes, p99", .slowdown, must: 3, aim: 1.5, isReported: true), weight: 5,
            sides: latencySides(place, options)),
    ]
}

/// How much more two threads read in the same time than one.
private func throughputSides(_ place: Workplace) -> [Side] {
    func gain(_ read: @Sendable @escaping () throws -> Int) throws -> Double {
        func milliseconds(_ threads: Int) throws -> Double {
            let start = ContinuousClock.now
            let counts = try concurrently(threads) { _ in try (0..<4).reduce(0) { sum, _ in try sum + read() } }
            try expect(place.rows * 4 * threads, counts.reduce(0, +))
            return start.millisecondsAgo
        }
        return try 2 * milliseconds(1) / milliseconds(2)
    }
    let url = place.url(Workplace.full)
    return [
        Side(.byHand) {
            try gain {
                let raw = try RawStore(url)
                return try raw.tracks(raw.statement(RawStore.selectAll)).count
            }
        },
        Side(.own) {
            let store = try place.store(Workplace.full)
            return try gain { try store.perform { try $0.decode(Track.all) }.count }
        },
        Side(.grdbBest) {
            let pool = try place.grdb(Workplace.grdbFull)
            return try gain { try pool.indexedTracks().count }
        },
    ]
}

/// By how much the slowest hundredth of short readings gets slower while another context saves as many rows again.
private func latencySides(_ place: Workplace, _ options: Options) -> [Side] {
    let more = place.tracks.map { track in
        var track = track
        track.number = -track.number
        return track
    }
    let rows = place.rows
    func slowdown(
        _ read: @Sendable @escaping (Int64) throws -> Int, writing write: @Sendable @escaping () throws -> Void
    ) throws -> Double {
        /// The 99th percentile of the times of readings, which are repeated as long as `wantsMore` returns true.
        @Sendable func percentile(_ wantsMore: (Int) -> Bool) throws -> Double {
            var random = SteadyRandom(state: 11)
            var times: [Double] = []
            while wantsMore(times.count) {
                let number = Int64(random.next() % UInt64(rows) + 1) * 3
                let start = ContinuousClock.now
                let found = try read(number)
                times.append(start.millisecondsAgo)
                try expect(1, found)
            }
            times.sort()
            return times[times.count * 99 / 100]
        }
        let idle = try percentile { $0 < (options.isQuick ? 2_000 : 10_000) }
        let isWriting = Box(true)
        let busy = try concurrently(2) { thread in
            if thread == 0 { return try percentile { count in count == 0 || isWriting.value.withLock { $0 } } }
            defer { isWriting.value.withLock { $0 = false } }
            try write()
            return 0.0
        }
        return busy[0] / idle
    }
    return [
        Side(.byHand, prepare: { try place.copy(Workplace.full, to: "latency.sqlite") }) {
            let url = place.url("latency.sqlite")
            let reader = try Confined(RawStore(url))
            return try slowdown { number in
                let statement = try reader.value.statement(RawStore.selectAll + " WHERE ZNUMBER = ?")
                return try reader.value.tracks(statement, for: CollectionOfOne(number)).count
            } writing: {
                try RawStore(url).insert(more, after: rows)
            }
        },
        Side(.own, prepare: { try place.copy(Workplace.full, to: "latency.sqlite") }) {
            let store = try place.store("latency.sqlite")
            return try slowdown { number in
                try store.perform { try $0.decode(Track.all.where { $0.number == number }) }.count
            } writing: {
                try store.perform { context in
                    for track in more { try context.insert(track) }
                }
            }
        },
        Side(.grdbBest, prepare: { try place.copy(Workplace.grdbFull, to: "latency.grdb") }) {
            let store = try place.grdb("latency.grdb")
            return try slowdown { number in
                try store.indexedTracksOneByOne(ofNumbers: [number]).count
            } writing: {
                try store.insert(more)
            }
        },
    ]
}

/// A connection that one thread after the other uses, and never two at once.
private struct Confined: @unchecked Sendable {
    let value: RawStore
    init(_ value: RawStore) { self.value = value }
}
