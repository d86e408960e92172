import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData

/// Every change of a row, a link or a value is announced, and nothing else; and the history has recorded the same.
///
/// A long run: SWORM_LIVE_COMMITS=100000 swift test --filter CommitTests. The seed of a run that failed replays it:
/// SWORM_RANDOM_SEED=…
@Suite("Announced commits, compared with the rows and the history")
struct CommitTests {
    /// A part of an announcement that is left out.
    enum Omission: CaseIterable {
        case row, property, everything
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["SWORM_LIVE_COMMITS"].flatMap { Int($0) } ?? 250
    private static let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1

    private func expect(_ faults: [String], seed: UInt64, _ log: [String]) -> Bool {
        if faults.isEmpty { return true }
        let lines = faults.sorted() + ["after"] + log
        Issue.record("SWORM_RANDOM_SEED=\(seed): \(lines.joined(separator: "\n"))")
        return false
    }

    @Test(arguments: [true, false]) func `of objects of random models`(hasHistory: Bool) throws {
        print("Commits: \(Self.count), SWORM_RANDOM_SEED=\(Self.seed)")
        var (done, commits, seed) = (0, 0, Self.seed)
        while done < Self.count {
            var changes = try RandomGraphChanges(seed: seed, hasHistory: hasHistory)
            for _ in 0..<25 {
                try changes.step()
                done += 1
                guard expect(try changes.run.faults(), seed: seed, changes.log) else { return }
            }
            guard expect(try changes.end(), seed: seed, ["the end"]) else { return }
            commits += changes.run.commits
            seed += 1
        }
        print("Commits: \(commits) were announced")
        #expect(commits * 2 > done)
    }

    @Test(arguments: [true, false]) func `of calls that write in every way`(hasHistory: Bool) throws {
        var (done, commits, seed) = (0, 0, Self.seed)
        while done < Self.count {
            let calls = try RandomCalls(seed: seed, hasHistory: hasHistory)
            for _ in 0..<50 {
                try calls.step()
                done += 1
                guard expect(try calls.run.faults(), seed: seed, calls.log) else { return }
            }
            guard expect(try calls.run.end(), seed: seed, ["the end"]) else { return }
            commits += calls.run.commits
            seed += 1
        }
        print("Commits: \(commits) of calls were announced")
        #expect(commits * 2 > done)
    }

    @Test(arguments: Omission.allCases) func `that lack a part are found out`(omission: Omission) throws {
        var (tried, found) = (0, 0)
        for seed in 1...4 as ClosedRange<UInt64> {
            var changes = try RandomGraphChanges(seed: seed, hasHistory: false)
            for _ in 0..<25 {
                try changes.step()
                var isOmitted = false
                let faults = try changes.run.faults { isOmitted = Self.omit(omission, from: &$0) }
                if isOmitted { tried += 1 }
                if isOmitted, !faults.isEmpty { found += 1 }
            }
        }
        // A property may be announced although its value is the same as before.
        #expect(found * 3 > tried && tried > 20, "\(found) of \(tried)")
    }

    private static func omit(_ omission: Omission, from changes: inout CommittedChanges) -> Bool {
        switch omission {
        case .row:
            for (root, rows) in changes.rows.sorted(by: { $0.key < $1.key }) where !changes.unknownRows.contains(root) {
                guard let key = rows.inserted.first ?? rows.deleted.first else { continue }
                changes.rows[root]?.inserted.remove(key)
                changes.rows[root]?.deleted.remove(key)
                return true
            }
            return false
        case .property:
            let names = Set(changes.properties.values.flatMap { $0 })
            guard let name = names.min() else { return false }
            for entity in changes.properties.keys { changes.properties[entity]?.remove(name) }
            return true
        case .everything:
            changes = CommittedChanges()
            return true
        }
    }
}
