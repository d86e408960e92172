// How fast Sworm is, measured against a hand-written loop over SQLite's C interface, and against GRDB.
//
//     swift run -c release --package-path Tests/Benchmarks Benchmarks
//
// A table is printed. Every line is one bar: work done through Sworm's public API, by hand, and through GRDB's public API in its
// quickest and in its ordinary way, all in one process, in turns. The figure is the median of what single repetitions gave, so
// that a machine that slows down in between slows all sides. Before anything is timed, all sides must have yielded the same
// values. Peak memory is measured in child processes, one for each side. `must` is the bar; the program ends with 1 when one is
// missed. Bars in brackets are only reported: they say as much about the machine.
//
//     --quick              fewer rows and repetitions: under a minute
//     --only NAME          only the bars whose names contain this; may be given several times
//     --repetitions N      how often each side runs (15, or 5 with --quick); what takes long runs less often
//     --rows N             the size of the table (100000, or 40000 with --quick)
//     --json               one JSON object a line instead of the table
//     --curve              instead, the time of one row in tables of 1000 to 1000000 rows (to 100000 with --quick)
//     --received           instead, the time of decoding and checking conditions of 1 kB to 1 MB that a client sends
//     --live               instead, what live results cost, beside GRDB's observations
//     --postgres           instead, the store over PostgreSQL, beside loops over libpq written in C; needs --traits PostgreSQL,
//                          libpq-dev and the programs of a server. --stream-rows N (1000000) is the table that is read as a
//                          stream, and --python PATH a Python with asyncpg and psycopg, which are then measured too
//     --tree-streams       instead, the peak memory of 10000 and of 1000000 trees that are saved and read as streams
//     --migration          instead, what migrations take: a table of 1000000 rows (--rows N), and 100 files of 10 MB
//     --migration-hubs [N ...]
//                          instead, the time of one object in a custom stage where objects share 40 hubs: in stores of so many
//                          (10000 and 1000000)
//     --migration-kills N  instead, kills so many migrations of a store of 800000 rows (--rows N) at moments chosen by --seed N, and
//                          lets twenty run out of room; SWORM_TOOL=path has the tool verify what is left
//     --list               the names of the bars
//     --keep-heap          do not give free memory back to the system before each timed run
//
// In JSON `ratio_raw` is our time or memory divided by that of the side by hand, and `ratio_grdb` is GRDB's divided by ours: by
// how much we are faster than its quickest way, or than the way that the bar names. What has no such ratio is null, and so are
// `must` and `ok` where a bar is only reported. `figure` is what is held against `must`.
//
// Without --keep-heap every run starts with a heap of its own, as in a fresh process, and pays its own page issues. That is
// the steadier setting.
//
// pairbench.py compares two builds of this program with each other.
import Dispatch
import Foundation
import Synchronization

@main
struct Benchmarks {
    // Not asynchronous: the main thread has the heap that a single-threaded program has, and other threads have slower ones.
    static func main() {
        do {
            exit(try run(Options(CommandLine.arguments.dropFirst())) ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(2)
        }
    }

    /// Runs an asynchronous closure, and returns its result.
    private static func waiting<Value: Sendable>(
        for work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let (result, end) = (Box<Result<Value, any Error>?>(nil), DispatchSemaphore(value: 0))
        Task {
            do {
                let value = try await work()
                result.value.withLock { $0 = .success(value) }
            } catch {
                result.value.withLock { $0 = .failure(error) }
            }
            end.signal()
        }
        end.wait()
        guard let value = result.value.withLock({ $0 }) else { throw Failure("The benches did not end.") }
        return try value.get()
    }

    /// Whether no bar was missed.
    static func run(_ options: Options) throws -> Bool {
        if let probe = options.migrationProbe {
            try Migrations.probe(probe.way, probe.folder)
            return true
        }
        if let run = options.migrationRun {
            try Migrations.run(run.way, run.folder)
            return true
        }
        if let probe = options.treeProbe {
            print(try waiting(for: { try await TreeStreams.probe(probe.way, probe.count, probe.folder) }))
            return true
        }
        if !options.treeStreams.isEmpty { return try TreeStreams(counts: options.treeStreams).print() }
        if options.measuresPostgres || options.postgresProbe != nil {
            #if PostgreSQL
            return try PostgresBenches.run(options)
            #else
            throw Failure("This program has no store over PostgreSQL. Build it with --traits PostgreSQL.")
            #endif
        }
        if options.measuresConditions { return try ReceivedConditions().print() }
        if options.measuresLive {
            return try waiting(for: {
                try await LiveBenches(rows: 10_000, repetitions: options.isQuick ? 101 : 501).print()
            })
        }
        if options.measuresMigrations {
            try Migrations(options: options).print()
            return true
        }
        if !options.migrationHubs.isEmpty {
            try MigrationHubs(rows: options.migrationHubs).print()
            return true
        }
        if let kills = options.migrationKills { return try MigrationCuts(options: options, kills: kills).run() }
        if options.printsCurve {
            try Curve(options: options).print()
            return true
        }
        let place = try Workplace(rows: options.rows, at: options.probe?.folder)
        defer { if options.probe == nil { place.remove() } }
        let benches = benches(place, options)
        if let probe = options.probe {
            guard let bench = benches.first(where: { $0.name == probe.bench }), bench.sides.indices.contains(probe.side)
            else { throw Failure("There is no side \(probe.side) of \(probe.bench).") }
            let growth = try Memory.growth(of: bench.sides[probe.side])
            print(growth.megabytes, growth.fingerprint)
            return true
        }
        let names = benches.flatMap(\.bars).map(\.name)
        if options.lists {
            for name in names { print(name) }
            return true
        }
        guard names.contains(where: options.includes) else {
            throw Failure("No bench has such a name. There are: \(names.joined(separator: ", ")).")
        }
        try place.fill()
        var report = Report(options)
        for bench in benches {
            let bars = bench.bars.filter { options.includes($0.name) }
            guard !bars.isEmpty else { continue }
            let samples = try bench.measure(options, place)
            for bar in bars { try report.add(bar, samples) }
        }
        report.finish()
        return report.isMet
    }

    private static func benches(_ place: Workplace, _ options: Options) -> [Bench] {
        let groups = [
            readingBenches(place), graphBenches(place), writingBenches(place), batchBenches(place),
            smallBenches(place, options), smallWriteBenches(place, options), aggregateBenches(place, options),
            parallelBenches(place, options), importBenches(place), conditionBenches(place, options),
            superentityBenches(place), treeBenches(place), managedBenches(),
        ]
        return groups.flatMap { $0 }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
