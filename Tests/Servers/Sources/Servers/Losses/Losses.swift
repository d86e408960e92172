import Foundation
import Sworm

/// Interrupts connections, backends and the server while three processes write, and returns whether the outcome of each call
/// was as the call has said.
@Sendable func losses(_ arguments: Arguments) throws -> Bool {
    let wanted = try arguments.count(or: 10_000)
    let processes = 3
    // A commit must survive the crash of the server; the machine does not crash, so that nothing is flushed to the disk.
    let run = try Run(
        seed: arguments.seed, settings: ["synchronous_commit": "on", "full_page_writes": "on"], isRestarted: true)
    defer { run.end() }
    let store = try PersistentContainer(for: Entry.self, Tally.self, at: .postgres(run.address))
    try store.perform { context in
        for process in 0..<processes {
            for thread in 0..<LossWorker.threads {
                try context.insert(Tally(owner: LossWorker.owner(process: "\(process)", thread: thread)))
            }
        }
    }
    try store.close()
    let proxy = try LossyProxy(
        to: run.server.folder.appending(path: ".s.PGSQL.\(run.server.port)"),
        in: "/tmp/sworm-lossy-\(UUID().uuidString.prefix(8))", seed: arguments.seed)
    defer { proxy.stop() }
    let start = ContinuousClock.now
    let end = Sign("end", in: run.folder)
    let ready = (0..<processes).map { Sign("ready\($0)", in: run.folder) }
    let workers = try run.workers(processes, "losses") { number in
        [
            run.address(host: proxy.folder), "\(number)", ready[number].url.path, end.url.path,
            "\(arguments.seed &+ UInt64(number) &* 1000)",
        ]
    }
    try Sign.wait(for: ready, of: workers)
    var interruptions = Interruptions(run, proxy)
    try interruptions.make(wanted, whileRunning: workers)
    try end.set()
    var result = LossResult()
    for part in try workers.results(LossResult.self) { result.add(part) }
    run.check(result.faults)
    let unknown = try check(result, run)
    run.check(
        unknown * 1000 <= interruptions.count,
        "\(unknown) of \(interruptions.count) interruptions have unknown outcomes")
    let errors = Dictionary(result.calls.compactMap(\.error).map { ($0, 1) }, uniquingKeysWith: +)
    let cuts = proxy.counts.map { "\($0.key.rawValue) \($0.value)" }.sorted().joined(separator: ", ")
    return run.report(
        "losses",
        "\(interruptions.count) interruptions (\(interruptions.crashes) crashes of the server, \(interruptions.terminations) backends terminated, cuts: \(cuts)), \(result.calls.count) calls, errors \(errors.map { "\($0.key) \($0.value)" }.sorted()), \(result.reads) reads and \(result.failedReads) that failed",
        since: start)
}

/// Compares the outcomes of the calls with the tables, and returns the number of those that are unknown.
private func check(_ result: LossResult, _ run: Run) throws -> Int {
    let connection = try run.connect()
    let rows = Dictionary(
        uniqueKeysWithValues: try connection.run(
            "SELECT \"call\", count(*), count(DISTINCT \"part\") FROM \"Entry\" GROUP BY 1"
        ).map { ($0[0] ?? "", ($0[1] ?? "", $0[2] ?? "")) })
    var effects: [String: Int] = [:]
    var unknown = 0
    for call in result.calls {
        let found = rows[call.name]
        let isThere = found.map { $0 == ("\(call.parts)", "\(call.parts)") }
        run.check(
            isThere != false, "\(call.name) has \(found.map { "\($0)" } ?? "") rows and parts instead of \(call.parts)")
        if isThere != nil { effects[call.owner, default: 0] += 1 }
        switch call.error {
        case nil: run.check(isThere != nil, "\(call.name) has returned, and nothing was saved")
        case StoreError.Code.outcomeUnknown.description?: unknown += 1
        case let error?: run.check(isThere == nil, "\(call.name) has thrown \(error), and was saved")
        }
    }
    run.check(rows.count == effects.values.reduce(0, +), "there are rows of calls that nobody has made")
    for row in try connection.run("SELECT \"owner\", \"calls\" FROM \"Tally\"") {
        let (owner, calls) = (row[0] ?? "", row[1] ?? "")
        run.check(calls == "\(effects[owner] ?? 0)", "\(owner) has counted \(calls) calls of \(effects[owner] ?? 0)")
    }
    run.check(result.calls.contains { $0.error == nil }, "no call has succeeded")
    run.check(result.calls.contains { $0.error != nil }, "no call was interrupted")
    return unknown
}
