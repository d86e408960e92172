import Foundation
import Testing

@Suite("Random writes, migrations and copies of mirrored stores")
struct RandomMirroringTests {
    /// The number of steps; more where somebody has the time.
    static let steps = ProcessInfo.processInfo.environment["SWORM_MIRRORING_STEPS"].flatMap { Int($0) } ?? 300
    /// The number of steps with one store.
    static let length = 50
    static let parts = 4

    @Test(arguments: 0..<parts)
    func `pairs, numbers and history stay`(_ part: Int) throws {
        var counts: [MirroredChain.Step: Int] = [:]
        var migrations = (made: 0, rejected: 0)
        for seed in 0..<max(Self.parts, Self.steps / Self.length) where seed % Self.parts == part {
            do {
                let chain = try MirroredChain(seed: UInt64(seed))
                try chain.run(Self.length)
                counts.merge(chain.counts) { $0 + $1 }
                migrations.made += chain.migrations.made
                migrations.rejected += chain.migrations.rejected
            } catch {
                Issue.record(error, "seed \(seed)")
            }
        }
        let seeds = stride(from: part, to: max(Self.parts, Self.steps / Self.length), by: Self.parts).map { "\($0)" }
        print("mirrored stores: seeds \(seeds.joined(separator: ", ")), steps \(counts), migrations \(migrations)")
        #expect(migrations.made > 0)
        for step in MirroredChain.Step.allCases { #expect(counts[step] ?? 0 > 0, "no \(step)") }
    }
}
