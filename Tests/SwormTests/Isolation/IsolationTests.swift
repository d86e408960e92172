import Foundation
import SwormTools
import TestSupport
import Testing

// Core Data's saves and bulk writes have other promises, so these are about this library's own engine.
#if !canImport(CoreData)
/// Tests/Isolation is the long run, with several processes.
@Suite("Isolation of transactions")
struct IsolationTests {
    @Test func `reads and writes of four threads in each of two containers are those of transactions after each other`()
        async throws
    {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("Isolation: seed \(seed)")
        let test = try TestStore(for: ListRow.self, in: .file)
        let url = try #require(test.url)
        let stores = try (0..<2).map { _ in try ListStore(at: url) }
        let run = await ListRun.over(stores, threads: 4, transactions: 60) { SeededRandom(seed: seed &+ UInt64($0)) }
        #expect(run.unexpected == [])
        let anomalies = HistoryChecker.anomalies(of: run.transactions, final: try stores[0].lists())
        #expect(anomalies == [], "seed \(seed): \(anomalies.prefix(5))")
        #expect(run.transactions.count == 480 && run.transactions.count(where: \.isCommitted) > 120, "\(run.summary)")
        try test.verify()
    }
}
#endif
