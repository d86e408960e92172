import Foundation
import Sworm
import Testing

/// Stores after crashes of the machine at any moment.
///
/// `SWORM_CRASH_STATES` sets how many states there are, `SWORM_CRASH_SEED` which ones. A issue names the run, the seed and
/// the number of its state.
@Suite("Stores after a crash")
struct CrashStateTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let stateCount = environment["SWORM_CRASH_STATES"].flatMap(Int.init) ?? 500
    private static let seed = environment["SWORM_CRASH_SEED"].flatMap(UInt64.init) ?? 17
    private static let statesPerRun = stateCount > 5_000 ? 500 : 50

    /// A kind of run, and how its store is opened.
    private static let kinds: [(kind: CrashKind, store: CrashStore)] = [
        (.writing, .init()), (.writing, .init(synchronous: .full)), (.migration, .init()),
        (.writing, .init(journal: .delete)), (.stagedMigration, .init()),
        (.writing, .init(journal: .delete, synchronous: .full)), (.replacement, .init()), (.checkpoints, .init()),
        (.writing, .init(journal: .truncate, synchronous: .full)), (.migration, .init(journal: .delete)),
    ]

    @Test(arguments: [CrashStore.Journal.wal, .delete])
    func `a process may be killed while it makes a store, and writes the first objects`(
        _ journal: CrashStore.Journal
    ) throws {
        let workload = try CrashWorkload(CrashStore(journal: journal), seed: 1)
        try workload.open()
        try workload.saveObjects()
        try workload.close()
        let checker = CrashChecker(workload.run("making \(journal)"), seed: 0)
        let issues = try CrashCampaign(seed: 0).issues(of: checker, 0..<checker.history.momentCount, killed: true)
        #expect(issues.isEmpty, "\(issues.joined(separator: "\n"))")
    }

    @Test(arguments: [CrashStore.Journal.wal, .delete], [true, false])
    func `a store keeps its content before a backup or a checkpoint`(
        _ journal: CrashStore.Journal, _ isBackup: Bool
    ) throws {
        let workload = try CrashWorkload(CrashStore(journal: journal), seed: 1)
        for _ in 0..<2 { try workload.saveObjects() }
        try isBackup ? workload.backup() : workload.checkpoint(.truncate)
        try workload.saveObjects()
        let checker = CrashChecker(workload.run("lasting \(journal)"), seed: 2)
        let issues = try CrashCampaign(seed: 2).issues(of: checker, 0..<100)
        #expect(issues.isEmpty, "\(issues.joined(separator: "\n"))")
    }

    @Test func `every state is whole, of the right moment, and with all its files`() throws {
        let campaign = try CrashCampaign(seed: Self.seed)
        print("Crash states: \(Self.stateCount), seed \(Self.seed)")
        var found: [String] = []
        var largest = 0
        let start = ContinuousClock.now
        for run in 0..<max(1, Self.stateCount / Self.statesPerRun) {
            let (kind, store) = Self.kinds[run % Self.kinds.count]
            let seed = Self.seed &+ UInt64(run)
            let recorded = try kind.run(store, seed: seed)
            let checker = CrashChecker(recorded, seed: seed)
            largest = max(largest, checker.history.largestStore)
            found += campaign.issues(of: checker, 0..<Self.statesPerRun)
            if found.count > 20 { break }
            guard run % 20 == 19 else { continue }
            print("Crash states: \((run + 1) * Self.statesPerRun) after \(ContinuousClock.now - start)")
        }
        for issue in found { Issue.record("\(issue)") }
        #expect(largest <= 200_000)
        print(
            "Crash states: \(found.count) faults, the largest file had \(largest) bytes, \(ContinuousClock.now - start)"
        )
    }
}
