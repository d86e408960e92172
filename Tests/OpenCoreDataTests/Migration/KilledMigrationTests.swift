import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

/// Processes that are killed while they migrate a store.
@Suite("A migration that is killed", .serialized)
struct KilledMigrationTests {
    /// How many are killed; more where somebody has the time.
    static let count = ProcessInfo.processInfo.environment["SWORM_MIGRATION_KILLS"].flatMap { Int($0) } ?? 16

    static func model(_ isNew: Bool) -> NSManagedObjectModel {
        let data = Build.attribute("data", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true }
        let thing = Build.entity("Thing", [Build.attribute("name"), data])
        guard isNew else {
            thing.properties.append(Build.attribute("old"))
            return Build.model(thing)
        }
        thing.properties.append(Build.attribute("new"))
        return Build.model(thing, Build.entity("Aardvark"))
    }

    @Test func `one of the two stores is there, whole, and the next migration goes through`() async throws {
        var random = SeededRandom(seed: 1)
        var outcomes: [Bool: Int] = [:]
        for _ in 0..<Self.count {
            let store = try MigratedStore(Self.model(false)) { context in
                for index in 0..<3000 {
                    try context.make("Thing", ["name": "name \(index)", "old": String(repeating: "x", count: 100)])
                }
                try context.make("Thing", ["name": "file", "data": Data(repeating: 7, count: 200_000)])
            }
            let path = store.url.path
            // The first ones by the step, the others by the clock.
            let moment = random.pick(60)
            let delay = random.pick(50_000)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, moment = moment as Int, delay = delay as Int] in
                var calls = 0
                let (old, new) = (Self.model(false), Self.model(true))
                let mapping = try ModelMapping.inferred(from: old, to: new)
                let migration = try StoreMigration(
                    of: URL(fileURLWithPath: path), from: old, to: new, mapping: mapping
                ) { _ in
                    if calls == 0, moment % 2 == 0 {
                        Thread.detachNewThread {
                            usleep(UInt32(delay))
                            kill(getpid(), SIGKILL)
                        }
                    }
                    if calls == moment, moment % 2 == 1 { kill(getpid(), SIGKILL) }
                    calls += 1
                }
                try migration.run()
                kill(getpid(), SIGKILL)
            }
            let metadata = try PlainStore(copyOf: store.url).metadata["NSStoreModelVersionHashes"] as? [String: Data]
            let isNew = metadata == Self.model(true).entityVersionHashesByName
            #expect(isNew || metadata == Self.model(false).entityVersionHashesByName)
            outcomes[isNew, default: 0] += 1
            let faults = try StoreVerification.findings(of: store.url, model: Self.model(isNew).compiled())
            #expect(faults.map(\.message) == [])
            #expect(try store.lines("SELECT count(*) FROM ZTHING") == ["3001"])
            if isNew {
                try store.adopt(Self.model(true), afterMigration: true)
                try store.write { #expect($0.persistentStoreCoordinator != nil) }
            } else {
                try store.run(to: Self.model(true))
            }
            #expect(try store.lines("SELECT count(*) FROM ZTHING WHERE ZNEW IS NULL") == ["3001"])
            if !isNew { #expect(!MigrationFolder(of: StoreFiles(url: store.url)).exists) }
        }
        print("\(outcomes[false] ?? 0) old, \(outcomes[true] ?? 0) new")
        #expect(outcomes[false] ?? 0 > 0)
    }
}
