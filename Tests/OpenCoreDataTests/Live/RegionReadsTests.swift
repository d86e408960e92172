import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData

/// The region of a request holds everything that SQLite reports as read when it compiles the request's statement.
///
/// A long run: SWORM_LIVE_REGIONS=10000 swift test --filter RegionReadsTests. The seed of a request that failed replays
/// it: SWORM_RANDOM_SEED=…
@Suite("Regions of live requests, compared with what SQLite reads")
struct RegionReadsTests {
    /// The number of requests of each model.
    private static let requests = 10

    private struct Tally {
        var requests = 0
        /// The requests that are invalid.
        var invalid = 0
        var columns = 0
        var forms: [RandomRead.Form: Int] = [:]
    }

    /// Calls a closure with random requests and the columns that they read.
    private func forEachRequest(
        _ count: Int, seed first: UInt64, _ body: (RandomRead, Set<ReadColumn>, inout SeededRandom) throws -> Bool
    ) throws -> Tally {
        var tally = Tally()
        var seed = first
        while tally.requests < count {
            var random = SeededRandom(seed: seed)
            let world = try RandomReadModel(&random)
            for _ in 0..<Self.requests where tally.requests < count {
                guard let read = try? RandomRead(of: world, &random), let sql = try? read.sql() else {
                    tally.invalid += 1
                    continue
                }
                tally.requests += 1
                tally.forms[read.form, default: 0] += 1
                let columns = try ReadAuthorizer.columns(of: sql, on: world.connection)
                tally.columns += columns.count
                guard try body(read, columns, &random) else {
                    Issue.record("SWORM_RANDOM_SEED=\(seed): \(sql)\n\(read.content)\n\(read.tree)")
                    return tally
                }
            }
            seed += 1
        }
        return tally
    }

    @Test func `hold everything that is read`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_LIVE_REGIONS"].flatMap { Int($0) } ?? 300
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Regions: \(count), SWORM_RANDOM_SEED=\(seed)")
        let tally = try forEachRequest(count, seed: seed) { read, columns, _ in
            let lacks = try read.lacks(columns, in: try read.region())
            #expect(lacks.isEmpty)
            return lacks.isEmpty
        }
        print("Regions: \(tally)")
        #expect(tally.invalid < tally.requests)
        if count >= 300 { #expect(tally.forms.count == RandomRead.Form.allCases.count) }
    }

    @Test(arguments: RandomRead.Omission.allCases)
    func `that lack a part of the request are found out`(omission: RandomRead.Omission) throws {
        var found = 0
        _ = try forEachRequest(300, seed: 1) { read, columns, _ in
            if try !read.lacks(columns, in: try read.region(without: omission)).isEmpty { found += 1 }
            return true
        }
        #expect(found > 0)
    }

    @Test func `that lack a property or the rows of an entity are found out`() throws {
        var (tried, found, roots) = (0, 0, 0)
        let tally = try forEachRequest(300, seed: 1) { read, columns, random in
            let region = try read.region()
            if try !read.lacks(columns, in: region.removing(roots: region.roots)).isEmpty { roots += 1 }
            guard let name = region.properties.values.flatMap({ $0 }).sorted().randomElement(using: &random) else {
                return true
            }
            tried += 1
            if try !read.lacks(columns, in: region.removing([name])).isEmpty { found += 1 }
            return true
        }
        #expect(roots == tally.requests)
        // One side of a relationship is enough, and a count reads no sort order.
        #expect(found * 2 > tried, "\(found) of \(tried)")
    }
}
