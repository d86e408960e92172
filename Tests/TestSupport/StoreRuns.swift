import Foundation
import Testing

/// The runs of tests over each kind of store, which are printed when the process ends if SWORM_STORES chooses the kinds.
///
/// @unchecked: the runs are accessed only while the lock is held.
final class StoreRuns: @unchecked Sendable {
    static let shared: StoreRuns = {
        if ProcessInfo.processInfo.environment["SWORM_STORES"] != nil { atexit { StoreRuns.shared.printSummary() } }
        return StoreRuns()
    }()

    private let lock = NSLock()
    private var tests: [StoreKindUnderTest: Set<Test.ID>] = [:]
    private var sums: [StoreKindUnderTest: (runs: Int, time: Duration)] = [:]
    private var slowest: [(time: Duration, name: String)] = []
    private let start = ContinuousClock.now
    private var end = ContinuousClock.now

    func add(_ test: Test, over kind: StoreKindUnderTest, lasting time: Duration) {
        lock.withLock {
            tests[kind, default: []].insert(test.id)
            sums[kind, default: (0, .zero)].runs += 1
            sums[kind, default: (0, .zero)].time += time
            end = .now
            slowest.append((time, "\(kind.rawValue): \(test.name)"))
            if slowest.count > 1000 { keepSlowest() }
        }
    }

    private func keepSlowest() {
        slowest.sort { $0.time > $1.time }
        slowest = Array(slowest.prefix(40))
    }

    private func printSummary() {
        lock.withLock {
            for kind in StoreKindUnderTest.allCases {
                guard let sum = sums[kind], let tests = tests[kind] else { continue }
                print("Over \(kind.rawValue): \(tests.count) tests, \(sum.runs) runs, \(sum.time) in all")
            }
            keepSlowest()
            for run in slowest { print("\(run.time) over \(run.name)") }
            let ofAll = tests.values.reduce(into: tests.values.first ?? []) { $0.formIntersection($1) }
            print("Over each of these: \(ofAll.count) tests, in \(start.duration(to: end)) after the end of the first")
        }
    }
}
