import Foundation
import Sworm

/// Kills four processes that write and one that reads their changes, and returns whether the reader has received each change
/// once and in order.
@Sendable func feed(_ arguments: Arguments) throws -> Bool {
    let wanted = try arguments.count(or: 1_000_000)
    var random = SeededRandom(seed: arguments.seed)
    let run = try Run(seed: arguments.seed)
    defer { run.end() }
    let store = try FeedStore.open(run.address)
    let connection = try run.connect()
    let output = run.file("received")
    try Data().write(to: output)
    let start = ContinuousClock.now
    var started = 0
    func startWriter() throws -> Worker {
        started += 1
        return try Worker(
            "feed-writer", [run.address, "writer\(started)", "\(arguments.seed &+ UInt64(started))"],
            output: run.file("writer\(started)"))
    }
    func startReader() throws -> Worker { try Worker("feed-reader", [run.address], output: output) }
    func changes() throws -> Int {
        try connection.number(
            "SELECT COALESCE(sum(\"inserted\" + \"updated\" + \"deleted\") + count(*), 0) FROM \"Commit\"")
    }
    var writers = try (0..<4).map { _ in try startWriter() }
    var reader = try startReader()
    var kills = (writers: 0, readers: 0)
    while try changes() < wanted {
        usleep(UInt32(50_000 + random.pick(350_000)))
        if random.chance(35) {
            guard reader.isRunning else { throw Failure("the reader has ended by itself") }
            reader.kill()
            kills.readers += 1
            reader = try startReader()
        } else {
            let index = random.pick(writers.count)
            guard writers[index].isRunning else { throw Failure("\(writers[index].name) has ended by itself") }
            writers[index].kill()
            kills.writers += 1
            writers[index] = try startWriter()
        }
    }
    guard reader.isRunning, writers.allSatisfy(\.isRunning) else { throw Failure("a process has ended by itself") }
    for worker in writers + [reader] { worker.kill() }
    // The server may still be committing what a process has sent before its end.
    let others =
        "SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    while try connection.number(others) > 0 { usleep(5_000) }
    let end = try store.changeToken()
    try Worker("feed-reader", [run.address, "\(end.number)"], output: output).end()

    var check = FeedCheck()
    var lines = 0
    for line in try Data(contentsOf: output).split(separator: UInt8(ascii: "\n")) {
        lines += 1
        check.read(try JSONDecoder().decode(FeedLine.self, from: line))
    }
    check.end(committed: try connection.number("SELECT count(*) FROM \"Commit\""), changes: try changes())
    run.check(check.faults)
    return run.report(
        "feed",
        "\(check.changes) changes in \(lines) writes of \(check.commits.count) transactions, \(kills.writers) writers and \(kills.readers) readers killed",
        since: start)
}
