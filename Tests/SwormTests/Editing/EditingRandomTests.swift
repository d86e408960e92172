import Foundation
import Testing

/// A long run: SWORM_EDITING_STEPS=100000 swift test --filter EditingRandomTests. The seed of a run that failed replays
/// it: SWORM_RANDOM_SEED=…
@Suite("Editing, at random")
struct EditingRandomTests {
    @Test @MainActor func `always equals a model`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_EDITING_STEPS"].flatMap { Int($0) } ?? 400
        let first = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Editing steps: \(count), SWORM_RANDOM_SEED=\(first)")
        var (done, seed) = (0, first)
        var total: [String: Int] = [:]
        while done < count {
            let run = try EditingRandomRun(seed: seed)
            let steps = min(200, count - done)
            for _ in 0..<steps {
                run.step()
                guard run.isRight else { return }
            }
            try run.end()
            guard run.isRight else { return }
            total.merge(run.counts, uniquingKeysWith: +)
            done += steps
            seed += 1
        }
        print("Editing: \(total.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
    }
}
