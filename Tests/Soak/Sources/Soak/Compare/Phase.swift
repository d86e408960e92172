import Foundation
import Synchronization

/// What one side does in a phase.
protocol PhaseSide: Sendable {
    /// Reads the row of a number as a struct, in a snapshot of its own.
    func read(_ number: Int64) async throws -> Track?
    /// Sets the plays of the row of a number, in a transaction of its own, and returns how many rows it changed.
    func write(_ plays: Int, to number: Int64) async throws -> Int
    func close() throws
}

/// The settings that both sides have in common.
struct PhaseSettings {
    static let readers = 5
    static let cacheKiB = 16 * 1024
    static let warmUp = Duration.seconds(2)

    let seconds: Double
    let clients: Int
    let rows: Int
    /// How many of a hundred calls write.
    let writes: Int
    let isSlow: Bool

    init(_ arguments: Arguments) throws {
        seconds = try arguments.decimal("seconds", or: 15)
        clients = max(1, try arguments.number("clients", or: 20))
        rows = max(1, try arguments.number("rows", or: 100_000))
        let usual = try arguments.number("writes", or: 20)
        switch arguments.text("work") ?? "mixed" {
        case "mixed": writes = usual
        case "read": writes = 0
        case "write": writes = 100
        case let name: throw Failure("there is no work \(name)")
        }
        isSlow = try arguments.plant("slow") != nil
    }
}

/// The figures of one phase, as a line.
struct PhaseFigures {
    var readP50 = Double.nan
    var readP99 = Double.nan
    var writeP50 = Double.nan
    var writeP99 = Double.nan
    /// Calls in a second.
    var throughput = Double.nan
    /// Seconds of the processor for a thousand calls.
    var processor = Double.nan

    var line: String {
        [readP50, readP99, writeP50, writeP99, throughput, processor].map { "\($0)" }.joined(separator: " ")
    }

    init() {}

    init?(line: String) {
        let values = line.split(separator: " ").compactMap { Double($0) }
        guard values.count == 6 else { return nil }
        (readP50, readP99, writeP50) = (values[0], values[1], values[2])
        (writeP99, throughput, processor) = (values[3], values[4], values[5])
    }
}

/// Lets clients work on a side, each with one call after the other.
struct Phase {
    private struct Times: Sendable {
        var reads: [Double] = []
        var writes: [Double] = []
    }

    let side: any PhaseSide
    let settings: PhaseSettings

    func run() async throws -> PhaseFigures {
        _ = try await work(for: PhaseSettings.warmUp, seed: 1)
        let processor = Self.processorSeconds
        let start = ContinuousClock.now
        let times = try await work(for: .seconds(settings.seconds), seed: 1000)
        let seconds = (ContinuousClock.now - start).milliseconds / 1000
        let calls = Double(times.reads.count + times.writes.count)
        let (reads, writes) = (times.reads.sorted(), times.writes.sorted())
        var figures = PhaseFigures()
        (figures.readP50, figures.readP99) = (reads.quantile(0.5), reads.quantile(0.99))
        (figures.writeP50, figures.writeP99) = (writes.quantile(0.5), writes.quantile(0.99))
        figures.throughput = calls / seconds
        figures.processor = (Self.processorSeconds - processor) / calls * 1000
        return figures
    }

    private func work(for time: Duration, seed: UInt64) async throws -> Times {
        let end = ContinuousClock.now + time
        return try await withThrowingTaskGroup { group in
            for number in 0..<settings.clients {
                group.addTask { try await client(until: end, seed: seed + UInt64(number)) }
            }
            var all = Times()
            for try await times in group {
                all.reads += times.reads
                all.writes += times.writes
            }
            return all
        }
    }

    private func client(until end: ContinuousClock.Instant, seed: UInt64) async throws -> Times {
        var times = Times()
        times.reads.reserveCapacity(100_000)
        times.writes.reserveCapacity(100_000)
        var random = SteadyRandom(state: seed)
        var start = ContinuousClock.now
        while start < end {
            let number = Int64(random.pick(settings.rows) + 1) * 3
            let isWriting = random.chance(settings.writes)
            if isWriting {
                guard try await side.write(random.pick(1_000_000), to: number) == 1 else {
                    throw Failure("row \(number) was not changed")
                }
            } else {
                guard try await side.read(number)?.number == number else { throw Failure("row \(number) is not there") }
            }
            if settings.isSlow { usleep(200) }
            let now = ContinuousClock.now
            let time = (now - start).milliseconds
            if isWriting { times.writes.append(time) } else { times.reads.append(time) }
            start = now
        }
        return times
    }

    private static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
    }
}
