import Foundation
import Sworm

/// Lets four processes change linked objects at random, and returns whether the tables kept all rules at every moment.
@Sendable func rules(_ arguments: Arguments) throws -> Bool {
    let steps = try arguments.count(or: 100_000)
    let processes = 4
    let run = try Run(seed: arguments.seed)
    defer { run.end() }
    try PersistentContainer(for: Owner.self, at: .postgres(run.address)).close()
    let check = try TableCheck(run)
    let start = ContinuousClock.now
    let workers = try run.workers(processes, "rules") { number in
        let count = (steps + processes - 1 - number) / processes
        return [run.address, "\(count)", "\(arguments.seed &+ UInt64(number) &* 1000)"]
    }
    var looks = 0
    while workers.contains(where: \.isRunning) {
        looks += 1
        let faults = try check.faults()
        run.check(faults.map { "look \(looks): \($0)" })
        usleep(100_000)
    }
    var result = RuleResult()
    for part in try workers.results(RuleResult.self) { result.add(part) }
    run.check(result.faults)
    run.check(try check.faults())
    run.check(result.steps == steps, "\(result.steps) steps were made of \(steps)")
    let done = result.outcomes.filter { $0.key.hasSuffix("done") }.values
    run.check(done.reduce(0, +) * 2 > steps, "only \(done.reduce(0, +)) steps were done")
    run.check(try indexFaults(run))
    run.check(try verify(run))
    let connection = try run.connect()
    let rows = try ["Owner", "Thing", "Tag", "Shelf", "Badge"].map {
        "\($0) \(try connection.number("SELECT count(*) FROM \"\($0)\""))"
    }
    return run.report(
        "rules",
        "\(result.steps) steps by \(processes) processes, \(looks) looks, outcomes: \(result.outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")); rows: \(rows.joined(separator: ", "))",
        since: start)
}

/// Compares the indexes with the tables, where the server has the extension for that.
private func indexFaults(_ run: Run) throws -> [String] {
    let connection = try run.connect()
    guard try connection.number("SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'") > 0 else {
        return []
    }
    try connection.run("CREATE EXTENSION amcheck SCHEMA public")
    do {
        try connection.run(
            "SELECT public.bt_index_check(i.indexrelid, true) FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS a ON a.oid = c.relam WHERE a.amname = 'btree' AND c.relnamespace = '\(run.schema)'::regnamespace"
        )
        return []
    } catch {
        return ["an index differs from its table: \(error)"]
    }
}

/// Copies the store into a file by this package's tool, and checks that.
private func verify(_ run: Run) throws -> [String] {
    guard let folder = Bundle.main.executableURL?.deletingLastPathComponent() else {
        throw Failure("no folder of programs")
    }
    let tool = folder.appending(path: "sworm-tool").path
    let file = run.file("Copy.sqlite").path
    let host = run.server.folder.path.replacing("/", with: "%2F")
    let store = "postgres://\(run.server.user)@\(host):\(run.server.port)/postgres?schema=\(run.schema)"
    do {
        try TestProgram.run([tool, "copy", store, file])
        try TestProgram.run([tool, "diff", store, file])
        try TestProgram.run([tool, "verify", file])
        return []
    } catch {
        return ["\(error)"]
    }
}
