import Foundation
import Sworm

/// Lets ten processes open a new store at once, lets half of them go on with a second version of the model, and returns whether
/// there was no error and no value was lost.
@Sendable func versions(_ arguments: Arguments) throws -> Bool {
    let minutes = try arguments.number(0, or: 1)
    let processes = 10
    let run = try Run(seed: arguments.seed)
    defer { run.end() }
    let signs = VersionSigns(in: run.folder)
    let workers = try run.workers(processes, "versions") { number in
        [
            run.address, "p\(number)", number < processes / 2 ? "kept" : "updated", run.folder.path,
            "\(arguments.seed &+ UInt64(number) &* 1000)",
        ]
    }
    let names = (0..<processes).map { "p\($0)" }
    try Sign.wait(for: names.map { signs.ready($0) }, of: workers)
    let start = ContinuousClock.now
    try signs.start.set()
    try Sign.wait(for: names.map { signs.begun(FirstShop.self, $0) }, of: workers)
    let opening = ContinuousClock.now - start
    Thread.sleep(forTimeInterval: minutes * 60 / 4)
    let update = ContinuousClock.now
    try signs.update.set()
    try Sign.wait(for: names[(processes / 2)...].map { signs.begun(SecondShop.self, $0) }, of: workers)
    let updating = ContinuousClock.now - update
    Thread.sleep(forTimeInterval: minutes * 60 * 3 / 4)
    try signs.end.set()
    let results = try workers.results(VersionResult.self)
    for (worker, result) in zip(workers, results) { run.check(result.faults.map { "\(worker.name): \($0)" }) }
    let expected = results.reduce(into: [String: BookContent]()) { all, result in all.merge(result.books) { $1 } }
    try check(FirstShop.self, expected, run)
    try check(SecondShop.self, expected, run)
    let differences = try run.connect().number(
        "SELECT count(*) FROM \"Book\" WHERE \"title\" IS DISTINCT FROM \"name\" OR \"note\" IS DISTINCT FROM \"remark\" OR \"author\" IS DISTINCT FROM \"writer\" OR \"_order_author_books\" IS DISTINCT FROM \"_order_writer_books\" OR \"stock\" IS DISTINCT FROM 7"
    )
    run.check(differences == 0, "\(differences) rows have other values for one version than for the other")
    run.check(!expected.isEmpty, "there are no books at the end")
    for (number, result) in results.enumerated() where number >= processes / 2 {
        run.check(result.laterSteps > 0, "p\(number) has done nothing with the second version")
    }
    return run.report(
        "versions",
        "\(minutes) minutes, \(processes) processes, opened in \(opening), updated in \(updating), \(results.reduce(0) { $0 + $1.steps }) steps, \(results.reduce(0) { $0 + $1.laterSteps }) of them with the second version, \(expected.count) books at the end",
        since: start)
}

/// Compares all books, as one version reads them, with those that the processes have written.
private func check<Version: ShopVersion>(_ version: Version.Type, _ expected: [String: BookContent], _ run: Run) throws
{
    let store = try version.open(run.address) { _ in }
    let found = try store.read { try version.books("p", in: $0) }
    run.check(found == expected, "\(version): \(VersionWorker.difference(found, expected))")
    try store.close()
}
