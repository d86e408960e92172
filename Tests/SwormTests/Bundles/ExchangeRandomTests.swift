import Foundation
import Sworm
import TestSupport
import Testing

/// A long run: SWORM_BUNDLE_INTERLEAVINGS=10000 swift test --filter ExchangeRandomTests. The seed of a run that failed
/// repeats its steps: SWORM_RANDOM_SEED=… The identifiers of the stores and the times are new each time.
@Suite("Stores that exchange bundles, at random")
struct ExchangeRandomTests {
    /// The number of interleavings after which the stores are replaced by empty ones.
    private let reach = 25

    @Test func `are equal at the end, and report each conflict once`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_BUNDLE_INTERLEAVINGS"].flatMap { Int($0) } ?? 25
        let first = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Bundle interleavings: \(count), SWORM_RANDOM_SEED=\(first)")
        var (done, seed) = (0, first)
        var (applied, repeats, gaps, losses, conflicts, snapshots) = (0, 0, 0, 0, 0, 0)
        while done < count {
            let run = try ExchangeRun(seed: seed)
            for _ in 0..<min(reach, count - done) {
                if let difference = try run.interleave(steps: 24) {
                    Issue.record("SWORM_RANDOM_SEED=\(seed): \(difference)")
                    return
                }
                done += 1
            }
            applied += run.applied
            repeats += run.repeats
            gaps += run.gaps
            losses += run.losses
            conflicts += run.conflicts
            snapshots += run.snapshots
            seed += 1
            for store in run.stores { try store.close() }
        }
        print(
            "\(applied) bundles applied, \(repeats) repeats, \(losses) losses, \(gaps) gaps, \(snapshots) snapshots, \(conflicts) conflicts"
        )
        #expect(applied > count && repeats > 0 && gaps > 0 && losses > 0 && conflicts > 0)
    }

    @Test func `report no conflict if every change is exchanged before the next one`() throws {
        let run = try ExchangeRun(seed: 7)
        for step in 0..<30 {
            try run.edit(step % 3)
            let difference = try run.finish()
            #expect(difference == nil)
            if difference != nil { return }
        }
        #expect(run.conflicts == 0)
    }
}
