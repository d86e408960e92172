import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Stores that go through many versions, made at random from fixed seeds.
@Suite("Random chains of migrations")
struct RandomMigrationTests {
    /// How many chains are gone through; more where somebody has the time.
    static let chains = ProcessInfo.processInfo.environment["SWORM_MIGRATION_CHAINS"].flatMap { Int($0) } ?? 40
    static let parts = 8

    @Test(arguments: 0..<parts)
    func `every object keeps its values, from version to version`(_ part: Int) throws {
        var migrations = 0
        for chain in 0..<Self.chains where chain % Self.parts == part {
            migrations += try go(UInt64(chain))
        }
        #expect(migrations > Self.chains / Self.parts)
        print("\(migrations) migrations")
    }

    private func go(_ seed: UInt64) throws -> Int {
        var version = ModelEvolution(seed: seed)
        var start = seed
        while !issues(of: version.model()).isEmpty {
            start += 77_777
            version = ModelEvolution(seed: start)
        }
        var objects = RandomObjects(seed: seed)
        let first = version.model()
        let store = try MigratedStore(first) { try objects.insert(4, into: $0, PlainModel(first)) }
        var random = SeededRandom(seed: seed &+ 1000)
        var count = 0
        for _ in 0..<10 {
            var changed = version
            for _ in 0..<(1 + random.pick(3)) { changed.change() }
            let model = changed.model()
            guard issues(of: model).isEmpty,
                model.entityVersionHashesByName != store.model.entityVersionHashesByName,
                let mapping = try? ModelMapping.inferred(from: store.model, to: model)
            else { continue }
            let issues = "chain \(seed), step \(count)"
            do {
                try store.migrate(to: model, mapping: mapping)
            } catch {
                Issue.record(error, "\(issues)")
                return count
            }
            count += 1
            changed.settle()
            version = changed
            let next = version.model()
            try store.adopt(next)
            try store.write { try objects.insert(1, into: $0, PlainModel(next)) }
        }
        return count
    }
}
