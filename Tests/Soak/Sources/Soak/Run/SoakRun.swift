import Foundation
import Sworm
import Synchronization

/// Many clients on one store, beside a foreign writer, while a sampler looks.
struct SoakRun {
    private let arguments: Arguments
    private let place: PerformState
    private let path: String
    private let readers: Int
    private let rows: Int
    private let plant: String?
    private let seed: UInt64

    init(_ arguments: Arguments) throws {
        try arguments.allow("minutes", "clients", "readers", "rows", "warm-up", "seed", "plant")
        self.arguments = arguments
        plant = try arguments.plant("threads", "snapshot", "uncancelled", "memory", "descriptors", "lost")
        readers = try arguments.number("readers", or: 5)
        rows = try arguments.number("rows", or: 30_000)
        seed = try arguments.seed()
        place = try PerformState()
        path = place.url("store.sqlite").path
    }

    /// Runs everything, and returns whether all bars are met.
    func run() async throws -> Bool {
        let minutes = try arguments.decimal("minutes", or: 10)
        let clients = try arguments.number("clients", or: 200)
        let warmUp = try arguments.decimal("warm-up", or: 20)
        say("seed \(seed), \(minutes.text) min, \(clients) clients, \(readers) readers, \(rows) rows")
        let sampler = Sampler(log: path + "-wal")
        defer { sampler.stop() }
        await wakePool()
        let idle = ProcessFigures.threads()
        let complaints = Complaints()
        let store = try PersistentContainer(
            for: Track.self, at: .file(place.url("store.sqlite")), logError: { complaints.add($0) }, timeout: 60,
            readers: readers)
        try store.perform { try $0.insert(contentsOf: Track.samples(rows)) }
        let before = try await store.read { try $0.sum(of: Track.all, \.plays) }
        let foreign = try ChildProcess([
            "foreign", "--store", path, "--rows", "\(rows)", "--seed", "\(seed % 1000)", "--holds",
            plant == "snapshot" ? "yes" : "no",
        ])
        try foreign.expect("ready")
        let warm = Tally()
        await work(on: store, clients, .seconds(warmUp), warm, seed: seed)
        let rest = try await Rest.reached()
        sampler.forget()
        let began = ContinuousClock.now
        let issues = Issues()
        issues.plant(plant)
        let tally = Tally()
        await work(on: store, clients, .seconds(minutes * 60), tally, seed: seed &+ 1)
        let seconds = (ContinuousClock.now - began).milliseconds / 1000
        let peaks = sampler.peaks
        let end = try await Rest.reached()
        try foreign.send()
        let words = try foreign.line()?.split(separator: " ").map(String.init) ?? []
        try foreign.end()
        guard words.count == 2, let foreignPlays = Int(words[0]), let longest = Double(words[1]) else {
            throw Failure("the foreign writer said \(words)")
        }
        let after = try await store.read { try $0.sum(of: Track.all, \.plays) }
        let added = warm.summary.plays + tally.summary.plays + foreignPlays + (plant == "lost" ? 1 : 0)
        try store.close()
        let report = RunReport(
            summary: tally.summary, peaks: peaks, idleThreads: idle, readers: readers, rest: rest, end: end,
            added: added, found: after - before, foreignPlays: foreignPlays, foreignWait: longest, seconds: seconds,
            warmUpErrors: warm.summary.errors, soundness: try soundness(), complaints: complaints.all)
        return withExtendedLifetime(issues) { report.print() }
    }

    /// Lets the clients work for so long.
    private func work(
        on store: PersistentContainer, _ clients: Int, _ time: Duration, _ tally: Tally, seed: UInt64
    ) async {
        let end = ContinuousClock.now + time
        let client = Client(store: store, rows: rows, tally: tally, isStubborn: plant == "uncancelled")
        await withTaskGroup { group in
            for number in 0..<clients {
                group.addTask { await client.run(until: end, seed: seed &+ UInt64(number) &* 0x9E37_79B9) }
            }
        }
    }

    /// Has the concurrency pool make all its threads, and Dispatch the one for its timers.
    private func wakePool() async {
        await withTaskGroup { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount * 2 {
                group.addTask {
                    let end = ContinuousClock.now + .milliseconds(50)
                    while .now < end {}
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
        }
    }

    private func soundness() throws -> String {
        try PlainConnection(path).run("PRAGMA integrity_check") ?? "no answer"
    }
}

/// The errors that went to `logError`, cancellations excepted, by their text.
final class Complaints: Sendable {
    private let content = Mutex([String: Int]())

    func add(_ error: any Error) {
        guard !(error is CancellationError) else { return }
        content.withLock { $0["\(error)", default: 0] += 1 }
    }

    var all: [String: Int] { content.withLock { $0 } }
}

/// Memory and file descriptors while no work is done.
struct Rest {
    let memory: Double
    let descriptors: Int
    let threads: Int

    /// Waits until the threads that have no more work have ended.
    static func reached() async throws -> Rest {
        try await Task.sleep(for: .seconds(8))
        return Rest(
            memory: ProcessFigures.memory(), descriptors: ProcessFigures.descriptors(),
            threads: ProcessFigures.threads())
    }
}

/// Issues of this program, to see that they are found.
final class Issues {
    private var memory: [UnsafeMutableRawPointer] = []
    private var descriptors: [Int32] = []

    func plant(_ name: String?) {
        switch name {
        case "threads":
            for _ in 0..<20 { Thread { sleep(60) }.start() }
        case "memory":
            let pointer = UnsafeMutableRawPointer.allocate(byteCount: 64 << 20, alignment: 4096)
            memset(pointer, 1, 64 << 20)
            memory.append(pointer)
        case "descriptors":
            descriptors = (0..<8).map { _ in open("/dev/null", O_RDONLY) }
        default: break
        }
    }

    deinit {
        for pointer in memory { pointer.deallocate() }
        for descriptor in descriptors { close(descriptor) }
    }
}
