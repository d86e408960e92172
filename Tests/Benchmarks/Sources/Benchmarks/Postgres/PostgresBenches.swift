#if PostgreSQL
import Foundation
import Sworm

/// The store over PostgreSQL, beside loops over libpq in C that do the same work, and beside clients for Python.
enum PostgresBenches {
    /// Whether no bar was missed.
    static func run(_ options: Options) throws -> Bool {
        if let probe = options.postgresProbe {
            print(try PostgresStreams.probe(probe.way, host: probe.host, limit: probe.limit))
            return true
        }
        let place = try PostgresPlace(options)
        defer { place.close() }
        let peers = try options.python.map { try PostgresPeers(python: $0, server: place.server) }
        let groups: [(names: [String], fill: () throws -> Void, benches: () throws -> [Bench])] = [
            (
                ["decode", "insert"], { try place.fillTracks() },
                { readingBenches(place, peers) + writingBenches(place, peers) }
            ),
            (
                ["forEach"], { try place.fillLarge(options.streamRows) },
                { PostgresStreams(place, rows: options.streamRows).benches }
            ),
            (["graph"], { try place.fillShelf(authors: 1000) }, { graphBenches(place) }),
            (["perform"], {}, { try throughputBenches(options) }),
        ]
        var isMet = true
        print("\(options.rows) rows, \(options.streamRows) as a stream; amounts are medians in ms or MB;")
        print("a figure is the median of what single repetitions gave, and bars in brackets are only reported\n")
        print(line("bench", "other", "amount", "own", "figure", "must", ""))
        func isWanted(_ name: String) -> Bool { options.only.contains { $0.contains(name) || name.contains($0) } }
        for group in groups where options.only.isEmpty || group.names.contains(where: isWanted) {
            try group.fill()
            for bench in try group.benches() where bench.bars.contains(where: { options.includes($0.name) }) {
                let samples = try bench.measureTime(options)
                for bar in bench.bars where options.includes(bar.name) {
                    guard samples.values[bar.other] != nil || samples.values.count == 1 else {
                        print(line(bar.name, bar.other.rawValue, "-", "-", "not measured", "", ""))
                        continue
                    }
                    isMet = try report(bar, samples) && isMet
                }
            }
        }
        print(isMet ? "\nEvery bar is met." : "\nA bar was missed.")
        return isMet
    }

    /// Prints a bar, and returns whether it is met or only reported.
    private static func report(_ bar: Bar, _ samples: Samples) throws -> Bool {
        let figure = try samples.figure(of: bar)
        let isOk = bar.isMet(figure, bar.must)
        func amount(_ role: Side.Role) -> String { samples.median(role).map { String(format: "%.1f", $0) } ?? "" }
        let must = String(format: "%@ %.2f", bar.measure.moreIsBetter ? ">=" : "<=", bar.must)
        print(
            line(
                bar.name, bar.other.rawValue, amount(bar.other), amount(.own), String(format: "%.3f", figure),
                bar.isReported ? "(\(must))" : must, isOk ? "ok" : bar.isReported ? "short" : "MISSED"))
        fflush(nil)
        return isOk || bar.isReported
    }

    private static func line(_ columns: String...) -> String {
        let widths = [52, 10, 10, 10, 14, 12, 8]
        return zip(columns, widths).enumerated().map { index, column in
            let padding = String(repeating: " ", count: max(0, column.1 - column.0.count))
            return index < 2 || index == 6 ? column.0 + padding : padding + column.0
        }.joined(separator: " ")
    }
}
#endif
