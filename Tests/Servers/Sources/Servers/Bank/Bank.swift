import Foundation
import Sworm

/// Lets four processes make transfers in all forms of calls, and returns whether the sum was always right.
@Sendable func bank(_ arguments: Arguments) throws -> Bool {
    let transfers = try arguments.count(or: 100_000)
    let processes = 4
    let run = try Run(seed: arguments.seed)
    defer { run.end() }
    let store = try PersistentContainer(for: Account.self, at: .postgres(run.address))
    try store.perform { context in
        for number in 0..<Account.count {
            try context.insert(Account(number: number, balance: Account.initialBalance))
        }
    }
    let start = ContinuousClock.now
    let workers = try run.workers(processes, "bank") { number in
        let count = (transfers + processes - 1 - number) / processes
        return [run.address, "\(count)", "\(arguments.seed &+ UInt64(number) &* 1000)"]
    }
    var result = BankResult()
    for part in try workers.results(BankResult.self) { result.add(part) }
    run.check(result.faults)
    let state = BankState(try store.read { try $0.decode(Account.all) })
    run.check(state.faults)
    run.check(state.moves == 2 * result.transfers, "\(result.transfers) transfers have made \(state.moves) moves")
    run.check(result.transfers == transfers, "\(result.transfers) transfers were made of \(transfers)")
    run.check(result.snapshots > 0, "no snapshot was read")
    let conflicts = result.conflicts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return run.report(
        "bank",
        "\(result.transfers) transfers by \(processes) processes, \(result.snapshots) snapshots, conflicts that were thrown: \(conflicts.isEmpty ? "none" : conflicts.joined(separator: ", "))",
        since: start)
}
