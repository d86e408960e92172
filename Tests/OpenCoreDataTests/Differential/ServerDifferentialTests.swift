#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite(
    "The same rows from a server and from memory",
    .enabled(if: PostgresServer.isEnabled))
struct ServerDifferentialTests {
    private static let normalSeed: UInt64 = 20_010_101

    /// How long to look for differences with seeds that were never tried; nil for the normal run.
    private static let seconds = ProcessInfo.processInfo.environment["SWORM_FUZZ_SECONDS"].flatMap(Double.init)
    /// The seed of one world, to try it alone.
    private static let onlySeed = ProcessInfo.processInfo.environment["SWORM_FUZZ_SEED"].flatMap { UInt64($0) }

    private struct Tally {
        var tried = 0
        var same = 0
        var refused = 0
        /// The requests that are evaluated in memory, by reason.
        var left: [NotExact.Reason: Int] = [:]
        var outOfRange = 0
        var differences = 0
    }

    /// A world with its rows on the server, random questions, and the answers from memory.
    private struct Setting {
        let world: RandomWorld
        let mirror: ServerMirror
        let questions: [Question]
        let answers: [Answer]

        init(seed: UInt64, predicates: Int, on connection: DriverConnection) throws {
            let world = try RandomWorld(seed: seed)
            var random = SeededRandom(seed: ~seed)
            questions = (0..<predicates).map { _ in
                Question(world.model, objectCount: world.objects.count, seed: random.next())
            }
            try world.context.save()
            // Changed objects are evaluated in memory.
            world.touch()
            answers = questions.map { world.fetch($0) }
            self.world = world
            mirror = try ServerMirror(of: world, on: connection, schema: "world_\(seed)_\(UUID().uuidString.prefix(8))")
        }
    }

    @Test func `random predicates find the same rows on a server`() throws {
        let connection = try DriverConnection()
        var tally = Tally()
        if let seed = Self.onlySeed {
            try tryWorld(seed: seed, on: connection, &tally)
        } else if let seconds = Self.seconds {
            let start = Date()
            var seeds = SystemRandomNumberGenerator()
            while Date().timeIntervalSince(start) < seconds, tally.differences < 20 {
                try tryWorld(seed: seeds.next(), on: connection, &tally)
            }
        } else {
            for number in 0..<40 { try tryWorld(seed: Self.normalSeed &+ UInt64(number), on: connection, &tally) }
            // Most requests must have a statement, or little would be proved.
            #expect(tally.same * 100 >= tally.tried * 75, "\(tally)")
        }
        if Self.seconds != nil { print("\(tally)") }
    }

    @Test func `a wrong statement is noticed`() throws {
        let connection = try DriverConnection()
        let setting = try Setting(seed: Self.normalSeed, predicates: 50, on: connection)
        var differences = 0
        for (question, answer) in zip(setting.questions.dropFirst(), setting.answers) {
            guard let request = try? setting.world.request(question).specification(in: setting.mirror.model),
                let statement = try? setting.mirror.compiler.identities(request), case .rows(let rows) = answer
            else { continue }
            if try setting.mirror.objects(statement) != rows { differences += 1 }
        }
        try setting.mirror.drop()
        #expect(differences > 10)
    }

    private func tryWorld(seed: UInt64, on connection: DriverConnection, _ tally: inout Tally) throws {
        let setting = try Setting(seed: seed, predicates: 50, on: connection)
        for (number, question) in setting.questions.enumerated() {
            tally.tried += 1
            let problem: String?
            do {
                problem = try difference(question, setting.answers[number], setting, &tally)
            } catch let error as ServerRejection where error.isOutOfRange {
                tally.outOfRange += 1
                problem = nil
            } catch {
                problem = "\(error)"
            }
            guard let problem else { continue }
            tally.differences += 1
            guard tally.differences <= 20 else { continue }
            Issue.record("seed \(seed), predicate \(number): \(question.summary)\n\(problem)")
        }
        try setting.mirror.drop()
    }

    /// Returns the difference between the server's answer and that of memory, or nil if there is none.
    private func difference(
        _ question: Question, _ answer: Answer, _ setting: Setting, _ tally: inout Tally
    ) throws -> String? {
        let mirror = setting.mirror
        do {
            let request = try setting.world.request(question).specification(in: mirror.model)
            do {
                let statement = try mirror.compiler.identities(request)
                let rows = try mirror.objects(statement)
                guard answer != .rows(rows) else {
                    tally.same += 1
                    return nil
                }
                return "memory: \(answer)\nserver: \(rows)\n\(statement)"
            } catch let error as NotExact {
                tally.left[error.reason, default: 0] += 1
                // The exact part of the condition finds at least the rows of the whole.
                let statement = try mirror.compiler.identities(mirror.compiler.split(request).fetch)
                guard case .rows(let rows) = answer else { return nil }
                let missing = Set(rows).subtracting(try mirror.objects(statement))
                return missing.isEmpty ? nil : "the server does not find \(missing.sorted())\n\(statement)"
            }
        } catch let error where !(error is ServerRejection) {
            tally.refused += 1
            if case .refused = answer { return nil }
            return "memory: \(answer)\nserver: \(error)"
        }
    }
}
#endif
