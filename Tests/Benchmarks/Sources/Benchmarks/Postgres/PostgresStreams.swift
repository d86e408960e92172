#if PostgreSQL
import Foundation
import Sworm

/// A large table, row by row: the time, and the memory of a process that does nothing else.
struct PostgresStreams {
    private let place: PostgresPlace
    private let rows: Int

    init(_ place: PostgresPlace, rows: Int) { (self.place, self.rows) = (place, rows) }

    var benches: [Bench] {
        let all = ByHand.selectAll(PostgresPlace.large)
        // Every run takes seconds.
        let weight = max(3, rows / 400_000)
        return [
            Bench(
                Bar("forEach, against a cursor in C", .ratio, must: 1.5, aim: 1.2), weight: weight,
                sides: [
                    Side(.byHand, fingerprint: \Walk.fingerprint) { try place.byHand.forEach(all) },
                    Side(.own, fingerprint: \Walk.fingerprint) {
                        try Self.walk(place.store(PostgresPlace.large), limit: rows)
                    },
                ]),
            Bench(
                Bar("forEach, MB of memory beyond the loop", .extraMegabytes, must: 3, aim: 1.5), weight: .max,
                sides: [
                    Side(.byHand) { try growth("by-hand", limit: rows) }, Side(.own) { try growth("own", limit: rows) },
                ]),
            Bench(
                Bar("forEach, MB beyond a tenth of the rows", .extraMegabytes, than: .less, must: 1, aim: 0.5),
                weight: .max,
                sides: [
                    Side(.less) { try growth("own", limit: rows / 10) }, Side(.own) { try growth("own", limit: rows) },
                ]),
        ]
    }

    private static func walk(_ store: PersistentContainer, limit: Int) throws -> Walk {
        try store.perform { context in
            var walk = Walk()
            try context.forEach(Track.all.limit(limit)) { walk.add($0) }
            return walk
        }
    }

    // MARK: Memory

    /// The megabytes by which the peak of a process of its own grows.
    private func growth(_ way: String, limit: Int) throws -> Double {
        let child = Process()
        child.executableURL = try Memory.executable()
        child.arguments = ["--postgres-probe", way, place.server.folder.path, "\(limit)"]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        child.waitUntilExit()
        let words = text.split(whereSeparator: \.isWhitespace)
        guard child.terminationStatus == 0, words.count == 2, let megabytes = Double(words[0]), Int(words[1]) == limit
        else { throw Failure("forEach: the child process said: \(text)") }
        return megabytes
    }

    /// Reads a table once, and returns the megabytes by which the peak grows and the number of rows.
    static func probe(_ way: String, host: String, limit: Int) throws -> String {
        let schema = PostgresPlace.large
        let work: (Int) throws -> Walk
        if way == "own" {
            let store = try PersistentContainer(
                for: Track.self, at: PostgresPlace.location(host: host, port: 5432, schema: schema))
            work = { try walk(store, limit: $0) }
        } else {
            let byHand = try ByHand(host: host, port: 5432)
            work = { try byHand.forEach(ByHand.selectAll(schema) + " LIMIT \($0)") }
        }
        // The first call makes what later ones keep.
        _ = try work(10)
        let growth = try Memory.peakGrowth { try work(limit) }
        return String(format: "%.2f", growth.megabytes) + " \(growth.result.count)"
    }
}
#endif
