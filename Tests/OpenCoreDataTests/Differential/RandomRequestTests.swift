#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Random requests over many random worlds.
///
/// The long form is a matter of environment variables:
/// `SWORM_DIFFERENTIAL_WORLDS=10000 SWORM_DIFFERENTIAL_REQUESTS=100 SWORM_RANDOM_SEED=1 swift test --traits PostgreSQL
/// --filter RandomRequestTests`. World number n has the seed `SWORM_RANDOM_SEED` + n, so that a long run can be made in parts.
@Suite(
    "PostgreSQL: random requests have one answer, in memory, in SQLite and on a server",
    .enabled(if: PostgresServer.isEnabled))
struct RandomRequestTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static let worlds = number("SWORM_DIFFERENTIAL_WORLDS") ?? 40
    private static let requests = number("SWORM_DIFFERENTIAL_REQUESTS") ?? 250
    private static let seed = number("SWORM_RANDOM_SEED").map { UInt64($0) } ?? 20_260_101

    /// The counts of a run.
    private struct Tally {
        var worlds = 0
        var requests = 0
        var rejected = 0
        /// The requests of which a part was evaluated in memory, by the reason.
        var inMemory: [NotExact.Reason: Int] = [:]
        var differences = 0
        /// The time of all threads, by what they did.
        var seconds: [String: Double] = [:]

        mutating func add(_ other: Tally) {
            worlds += other.worlds
            requests += other.requests
            rejected += other.rejected
            differences += other.differences
            inMemory.merge(other.inMemory) { $0 + $1 }
            seconds.merge(other.seconds) { $0 + $1 }
        }

        mutating func measure<R>(_ part: String, _ body: () throws -> R) rethrows -> R {
            let start = ContinuousClock.now
            defer { seconds[part, default: 0] += start.duration(to: .now) / .seconds(1) }
            return try body()
        }
    }

    @Test func `random requests find the same rows in the same order`() throws {
        let start = ContinuousClock.now
        let tally = Locked(Tally())
        let next = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            while tally.withLock({ $0.differences }) < 20 {
                let number = next.withLock { next in
                    next += 1
                    return next - 1
                }
                guard number < Self.worlds else { return }
                let seed = Self.seed &+ UInt64(number)
                do {
                    let part = try tryWorld(seed)
                    tally.withLock { $0.add(part) }
                } catch {
                    tally.withLock { $0.differences += 1 }
                    Issue.record("seed \(seed): \(error)")
                }
            }
        }
        let sum = tally.withLock { $0 }
        let seconds = start.duration(to: .now) / .seconds(1)
        let inMemory = sum.inMemory.values.reduce(0, +)
        let parts = sum.seconds.sorted { $0.key < $1.key }.map { "\($0) \(Int($1.rounded())) s" }
        print(
            "random requests: seed \(Self.seed), \(sum.worlds) worlds, \(sum.requests) requests, \(sum.differences) differences, \(sum.rejected) rejected by all, \(inMemory) evaluated in memory in part, \(Int(seconds)) s (\(parts.joined(separator: ", ")))"
        )
        #expect(sum.worlds == Self.worlds && sum.requests == Self.worlds * Self.requests)
        // Most of what is made up must make sense, and run on the server, or little would be proved.
        #expect(sum.rejected * 100 < sum.requests * 15 && inMemory * 100 < sum.requests * 25, "\(sum)")
        #expect(inMemory * 100 > sum.requests * 5, "\(sum)")
    }

    private func tryWorld(_ seed: UInt64) throws -> Tally {
        var tally = Tally()
        let requests = try tally.measure("preparing") { try RandomRequests(seed: seed, count: Self.requests) }
        defer { try? requests.end() }
        let file = try tally.measure("SQLite") { try requests.answers(of: requests.stores.file) }
        let server = try tally.measure("server") { try requests.answers(of: requests.stores.server) }
        let memory = try tally.measure("memory") { try requests.answersOfMemory() }
        tally.worlds = 1
        tally.requests = requests.questions.count
        tally.inMemory = tally.measure("compiling") { reasons(requests, server) }
        for (number, question) in requests.questions.enumerated() {
            if memory[number] == nil, file[number] == nil, server[number] == nil { tally.rejected += 1 }
            guard memory[number] != file[number] || memory[number] != server[number] else { continue }
            tally.differences += 1
            guard tally.differences <= 5 else { continue }
            Issue.record(
                """
                seed \(seed), request \(number): \(question.summary)
                memory: \(memory[number].text)
                SQLite: \(file[number].text)
                server: \(server[number].text)
                """)
        }
        return tally
    }

    /// Counts the requests that the server does not answer by one statement.
    private func reasons(_ requests: RandomRequests, _ answers: [RandomRequests.Rows]) -> [NotExact.Reason: Int] {
        let compiler = requests.stores.server.schema.compiler
        var counts: [NotExact.Reason: Int] = [:]
        for (request, answer) in zip(requests.requests(in: requests.stores.server), answers) {
            guard let request, answer != nil else { continue }
            do {
                _ = try compiler.identities(request)
            } catch let error as NotExact {
                counts[error.reason, default: 0] += 1
            } catch {}
        }
        return counts
    }

    // MARK: Mutants

    /// Each mutant runs until its first wrong answer. A statement that the server rejects is no answer.
    @Test func `each mutant of the dialect is caught`() throws {
        let seed = Self.seed
        let connection = try DriverConnection()
        var caught: [String: Int] = [:]
        var tried: [String: Int] = [:]
        var number: UInt64 = 0
        while caught.count < DialectMutant.all.count, number < 100 {
            let requests = try RandomRequests(seed: seed &+ number, count: 100)
            defer { try? requests.end() }
            number += 1
            let memory = try requests.answersOfMemory()
            let compiler = requests.stores.server.schema.compiler
            for (request, answer) in zip(requests.requests(in: requests.stores.server), memory) {
                guard let request, let answer, let statement = try? compiler.identities(request) else { continue }
                for mutant in DialectMutant.all where caught[mutant.name] == nil {
                    var wrong = statement
                    wrong.sql = mutant.change(statement.sql)
                    guard wrong.sql != statement.sql else { continue }
                    tried[mutant.name, default: 0] += 1
                    guard let rows = try? connection.rows(wrong.sql, wrong.bindings) else { continue }
                    let found = rows.map { RowID(entity: Int($0[0] ?? -1), key: $0[1] ?? -1) }
                    if found != answer { caught[mutant.name] = tried[mutant.name] }
                }
            }
        }
        let list = caught.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: "; ")
        print("mutants of the dialect: seed \(seed), statements until each was caught: \(list)")
        for mutant in DialectMutant.all {
            #expect(caught[mutant.name] != nil, "\(mutant.name) in \(tried[mutant.name] ?? 0) statements")
        }
    }
}
#endif
