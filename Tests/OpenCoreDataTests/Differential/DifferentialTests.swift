import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("The same rows from SQL and from memory")
struct DifferentialTests {
    private static let normalSeed: UInt64 = 20_010_101

    /// How long to look for differences with seeds that were never tried; nil for the normal run.
    private static let seconds = ProcessInfo.processInfo.environment["SWORM_FUZZ_SECONDS"].flatMap(Double.init)
    /// The seed of one world, to try it alone.
    private static let onlySeed = ProcessInfo.processInfo.environment["SWORM_FUZZ_SEED"].flatMap { UInt64($0) }

    private struct Tally {
        var worlds = 0
        var tried = 0
        /// Predicates by sets of rows that SQL and memory were both asked about.
        var pairs = 0
        var refused = 0
        var differences = 0
    }

    @Test func `random predicates find the same rows saved, unsaved, changed and mixed`() throws {
        var tally = Tally()
        if let seed = Self.onlySeed {
            try tryWorld(seed: seed, predicates: 60, &tally)
        } else if let seconds = Self.seconds {
            let start = Date()
            var seeds = SystemRandomNumberGenerator()
            while Date().timeIntervalSince(start) < seconds, tally.differences < 20 {
                try tryWorld(seed: seeds.next(), predicates: 60, &tally)
            }
        } else {
            for number in 0..<140 { try tryWorld(seed: Self.normalSeed &+ UInt64(number), predicates: 50, &tally) }
            #expect(tally.pairs >= 20_000)
        }
        // Most of what is made up must make sense, or little would be proved.
        #expect(tally.refused * 100 < tally.tried * 15, "\(tally)")
        if Self.seconds != nil { print("\(tally)") }
    }

    private func tryWorld(seed: UInt64, predicates: Int, _ tally: inout Tally) throws {
        let world = try RandomWorld(seed: seed)
        var random = SeededRandom(seed: ~seed)
        let count = world.objects.count
        let questions = (0..<predicates).map { _ in
            Question(world.model, objectCount: count, seed: random.next())
        }
        tally.worlds += 1
        tally.tried += questions.count
        let unsaved = questions.map { world.fetch($0) }
        try world.context.save()
        let saved = questions.map { world.fetch($0) }
        compare("unsaved", unsaved, "saved", saved, questions, world, seed, &tally)
        tally.pairs += questions.count
        tally.refused += saved.count { if case .refused = $0 { true } else { false } }
        compare("printed", printed(questions, world), "saved", saved, questions, world, seed, &tally)
        world.touch()
        let touched = questions.map { world.fetch($0) }
        compare("touched", touched, "saved", saved, questions, world, seed, &tally)
        // The second time there are objects that were deleted before, and objects that were saved at different times.
        for round in 1...2 {
            try world.change()
            let mixed = questions.map { world.fetch($0) }
            let descriptions = world.objects.indices.map(world.describe)
            try world.context.save()
            let mixedSaved = questions.map { world.fetch($0) }
            tally.pairs += questions.count
            compare("mixed \(round)", mixed, "then saved", mixedSaved, questions, world, seed, &tally, descriptions)
        }
    }

    /// What the printed forms find; they must also be the same predicates.
    private func printed(_ questions: [Question], _ world: RandomWorld) -> [Answer] {
        questions.map { question in
            do {
                let tree = try world.resolved(question.tree)
                let read = try parsePredicate(tree.format)
                guard read == tree else { return .rows([-2]) }
                return world.fetch(question, printed: true)
            } catch {
                return .refused("\(error)")
            }
        }
    }

    private func compare(
        _ oneName: String, _ one: [Answer], _ otherName: String, _ other: [Answer], _ questions: [Question],
        _ world: RandomWorld, _ seed: UInt64, _ tally: inout Tally, _ descriptions: [String]? = nil
    ) {
        for (number, question) in questions.enumerated() where one[number] != other[number] {
            tally.differences += 1
            guard tally.differences <= 20 else { continue }
            var rows: [String] = []
            if case .rows(let first) = one[number], case .rows(let second) = other[number] {
                var differing = Set(first).symmetricDifference(second)
                if differing.isEmpty { differing = Set(zip(first, second).filter { $0 != $1 }.map(\.0)) }
                rows = differing.sorted().prefix(3).map { descriptions?[$0] ?? world.describe($0) }
            }
            Issue.record(
                """
                seed \(seed), predicate \(number): \(question.summary)
                \(oneName): \(one[number])
                \(otherName): \(other[number])
                \(rows.joined(separator: "\n"))
                """)
        }
    }
}
