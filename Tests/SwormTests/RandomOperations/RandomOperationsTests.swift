import Foundation
import Sworm
import Testing

// Core Data's branch has other promises for bulk writes, so these are about this library's own engine.
#if !canImport(CoreData)
/// A long run: SWORM_RANDOM_OPERATIONS=1000000 swift test --filter RandomOperationsTests. The seed of a run that failed
/// replays it: SWORM_RANDOM_SEED=… with SWORM_RANDOM_OPERATIONS=1.
@Suite("Random operations")
struct RandomOperationsTests {
    private static func number(_ name: String, _ standard: UInt64) -> UInt64 {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? standard
    }

    /// The number of operations with one store.
    private static let length = 250

    @Test func `see and leave the state of a model of plain values`() throws {
        let operations = Int(Self.number("SWORM_RANDOM_OPERATIONS", 4000))
        let first = Self.number("SWORM_RANDOM_SEED", 1)
        print("Random operations: \(operations), SWORM_RANDOM_SEED=\(first)")
        var (seed, count) = (first, 0)
        var events: [RandomRun.Event: Int] = [:]
        while count < operations {
            let run = try RandomRun(seed: seed)
            do {
                try run.run(Self.length)
            } catch {
                Issue.record("After \(count + run.count) operations: \(error)")
                return
            }
            count += run.count
            seed += 1
            events.merge(run.events, uniquingKeysWith: +)
        }
        guard operations >= 4000 else { return }
        for event in RandomRun.Event.allCases { #expect(events[event] != nil, "\(event) was never met") }
    }

    @Test func `are the same for the same seed`() throws {
        let runs = try (0..<2).map { _ in try RandomRun(seed: 17) }
        for run in runs { try run.run(60) }
        #expect(runs[0].log == runs[1].log && runs[0].count == runs[1].count)
    }
}
#endif
