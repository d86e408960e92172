// How fast Sworm is, measured against a hand-written loop over SQLite's C interface.
//
//     swift run -c release --package-path Tests/Benchmarks
//
// A table is printed. Every line is one bench: the same work done by hand and through Sworm's public API, in one process, in
// turns. The figure is the median of the ratios that single repetitions gave, so that a machine that slows down in between
// slows both sides. Before anything is timed, both sides must have yielded the same values. Peak memory is measured in child
// processes, one for each side. `must` is the bar; the program ends with 1 when one is missed.
//
//     --quick              fewer rows and repetitions: under a minute
//     --only NAME          only the benches whose names contain this; may be given several times
//     --repetitions N      how often each side runs (15, or 5 with --quick)
//     --rows N             the size of the table (100000, or 20000 with --quick)
//     --json               one JSON object a line instead of the table
//     --list               the names of the benches
//     --keep-heap          do not give free memory back to the system before each timed run
//
// Without --keep-heap every run starts with a heap of its own, as in a fresh process, and pays its own page faults. That is
// the steadier setting.
import Foundation

@main
struct Benchmarks {
    static func main() {
        do {
            exit(try run(Options(CommandLine.arguments.dropFirst())) ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(2)
        }
    }

    /// Whether no bar was missed.
    static func run(_ options: Options) throws -> Bool {
        let place = try Workplace(rows: options.rows, at: options.probe?.folder)
        defer { if options.probe == nil { place.remove() } }
        let benches =
            readingBenches(place) + graphBenches(place) + writingBenches(place) + smallBenches(place, options)
            + conditionBenches(place, options)
        if let probe = options.probe {
            guard let bench = benches.first(where: { $0.name == probe.bench }), bench.sides.indices.contains(probe.side)
            else { throw Failure("There is no side \(probe.side) of \(probe.bench).") }
            print(try Memory.growth(of: bench.sides[probe.side]))
            return true
        }
        if options.lists {
            for bench in benches { print(bench.name) }
            return true
        }
        let chosen = benches.filter { bench in
            options.only.isEmpty || options.only.contains { bench.name.contains($0) }
        }
        guard !chosen.isEmpty else {
            throw Failure("No bench has such a name. There are: \(benches.map(\.name).joined(separator: ", ")).")
        }
        try place.fill()
        var report = Report(options)
        for bench in chosen { report.add(bench, try bench.measure(options, place)) }
        report.finish()
        return report.isMet
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
