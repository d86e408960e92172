import Foundation
import Sworm

/// One process that commits, and writes down when each commit has returned.
func runWriter(_ url: URL, number: Int, commits: Int, synchronous: String, output: URL, seed: UInt64) throws {
    var random = Seeded(seed &+ UInt64(number))
    var store = try open(url, synchronous: synchronous, history: false)
    var times: [UInt64] = []
    for value in 1...commits {
        switch random.next() % 200 {
        case 0: _ = try? store.checkpoint(.truncate)
        case 1: _ = try? store.checkpoint(.passive)
        case 2:
            try store.close()
            store = try open(url, synchronous: synchronous, history: false)
        case 3..<60: usleep(UInt32(random.next() % 3_000))
        default: break
        }
        while true {
            do {
                try store.perform { context in
                    _ = try context.update(Counter.all.where { $0.writer == number }, set: (\Counter.value, value))
                }
                break
            } catch StoreError.Code.conflict {
                continue
            }
        }
        times.append(now())
    }
    try Data(times.map(String.init).joined(separator: "\n").utf8).write(to: output)
}

/// Follows three processes that write, and returns whether each commit was seen in time.
func watch(_ arguments: [String], in folder: URL) async throws -> Bool {
    let commits = arguments.first.flatMap { Int($0) } ?? 1_000
    let synchronous = arguments.firstIndex(of: "--synchronous").map { arguments[$0 + 1] } ?? "NORMAL"
    let seed = arguments.firstIndex(of: "--seed").flatMap { UInt64(arguments[$0 + 1]) } ?? UInt64.random(in: 0...9_999)
    let url = folder.appendingPathComponent("Store.sqlite")
    let writers = 3
    let store = try open(url, synchronous: synchronous, history: false)
    try store.perform { context in
        for writer in 0...writers { _ = try context.insert(Counter(writer: writer)) }
    }
    let seen = Mutex<[(time: UInt64, values: [Int])]>([])
    let task = Task {
        for try await counters in store.values(of: Counter.all.sort(\.writer)) {
            let time = now()
            seen.withLock { $0.append((time, counters.map(\.value))) }
        }
    }
    while seen.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
    let outputs = (0..<writers).map { folder.appendingPathComponent("times\($0)") }
    let processes = try (0..<writers).map { number in
        try start(["writer", url.path, "\(number)", "\(commits)", synchronous, outputs[number].path, "\(seed)"])
    }
    // This process writes, too.
    var own = 0
    while processes.contains(where: \.isRunning) {
        own += 1
        try store.perform { context in
            _ = try context.update(Counter.all.where { $0.writer == 3 }, set: (\Counter.value, own))
        }
        try await Task.sleep(for: .milliseconds(5))
    }
    guard processes.allSatisfy({ $0.terminationStatus == 0 }) else { throw Failure(description: "a writer failed") }
    try await Task.sleep(for: .milliseconds(1_200))
    task.cancel()
    _ = try? await task.value
    let deliveries = seen.withLock { $0 }
    var delays: [UInt64] = []
    var missed = 0
    for writer in 0..<writers {
        let times = try String(contentsOf: outputs[writer], encoding: .utf8).split(separator: "\n").compactMap {
            UInt64($0)
        }
        var next = 0
        for (index, time) in times.enumerated() {
            while next < deliveries.count, deliveries[next].values[writer] < index + 1 { next += 1 }
            if next == deliveries.count {
                missed += 1
            } else {
                delays.append(deliveries[next].time > time ? deliveries[next].time - time : 0)
            }
        }
    }
    delays.sort()
    let late = delays.count { $0 > 1_000_000_000 }
    print("seed \(seed), synchronous \(synchronous), \(writers) x \(commits) commits, \(own) of this process")
    print("\(deliveries.count) deliveries, \(missed) commits missed, \(late) later than a second")
    print(
        "milliseconds behind the commit: p50 \(percentile(delays, 0.5)), p99 \(percentile(delays, 0.99)), longest \(percentile(delays, 1))"
    )
    return missed == 0 && late == 0 && delays.count == writers * commits
}

/// Keeps live requests while nothing is written, and returns whether that costs next to nothing.
func idle(_ arguments: [String], in folder: URL) async throws -> Bool {
    let requests = arguments.first.flatMap { Int($0) } ?? 1_000
    let store = try open(folder.appendingPathComponent("Store.sqlite"), synchronous: "NORMAL", history: false)
    let started = Mutex(0)
    let tasks = (0..<requests).map { number in
        Task {
            for try await _ in store.count(of: Entry.all.where { $0.number == number }) { started.withLock { $0 += 1 } }
        }
    }
    while started.withLock({ $0 }) < requests { try await Task.sleep(for: .milliseconds(10)) }
    try await Task.sleep(for: .seconds(2))
    func used() -> (seconds: Double, switches: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        return (seconds, usage.ru_nvcsw)
    }
    let before = used()
    try await Task.sleep(for: .seconds(10))
    let after = used()
    let part = (after.seconds - before.seconds) / 10
    print(
        "\(requests) live requests, 10 s: \(part * 100) % of a core, \((after.switches - before.switches)) wakes of a thread"
    )
    for task in tasks { task.cancel() }
    return part < 0.001
}

/// A generator of random numbers with a seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
