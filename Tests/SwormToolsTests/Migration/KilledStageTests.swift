import Foundation
import Sworm
import SwormTools
import Testing

// Core Data makes its copies in the folder for temporary files, and replaces the store by itself.
#if !canImport(CoreData)
private enum Zoo1 {
    struct Animal: ManagedObjectConvertible {
        var name = ""
        var legs = 4
        var photo: Data?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.name, "name"), .init(\.legs, "legs"), .init(\.photo, "photo", .external),
        ]
    }
}

private enum Zoo2 {
    struct Animal: ManagedObjectConvertible {
        var title = ""
        var photo: Data?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.title, "title"), .init(\.photo, "photo", .external),
        ]
    }
}

/// For more moments, set `SWORM_KILLS`.
@Suite("A custom stage that is killed", .serialized)
struct KilledStageTests {
    private static let count = 300
    private static let photos = 4

    private static func photo(_ number: Int) -> Data? {
        number < photos ? Data(repeating: UInt8(number + 1), count: 200_000) : nil
    }

    private static var plan: MigrationPlan {
        MigrationPlan([
            .init("1", Zoo1.Animal.self),
            .init(
                "2", Zoo2.Animal.self,
                stage: .custom(
                    .change(Zoo1.Animal.self, to: Zoo2.Animal.self) { old, new in
                        new.title = "\(old.name) on \(old.legs) legs"
                    })),
        ])
    }

    private func external(_ folder: StoreFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA").path)
    }

    /// Checks that all objects exist, in one version or the other.
    private func check(_ folder: StoreFolder) throws {
        let (titles, photos): ([String], [Data?])
        if try Self.plan.versionName(ofStoreAt: folder.store) == "1" {
            let container = try PersistentContainer(for: Zoo1.Animal.self, at: .readOnly(folder.store))
            let animals = try container.perform { try $0.decode(Zoo1.Animal.all.sort(\.name)) }
            (titles, photos) = (animals.map { "\($0.name) on \($0.legs) legs" }, animals.map(\.photo))
        } else {
            let container = try PersistentContainer(for: Zoo2.Animal.self, at: .readOnly(folder.store))
            let animals = try container.perform { try $0.decode(Zoo2.Animal.all.sort(\.title)) }
            (titles, photos) = (animals.map(\.title), animals.map(\.photo))
        }
        #expect(titles == (0..<Self.count).map { "animal \(10_000 + $0) on \($0 % 9) legs" })
        #expect(photos == (0..<Self.count).map(Self.photo))
    }

    @Test func `leaves the old store or the new one, and can be done again`() async throws {
        let pristine = try StoreFolder()
        do {
            let container = try PersistentContainer(for: Zoo1.Animal.self, at: .file(pristine.store))
            try container.perform { context in
                for number in 0..<Self.count {
                    let animal = Zoo1.Animal(
                        name: "animal \(10_000 + number)", legs: number % 9, photo: Self.photo(number))
                    _ = try context.insert(animal)
                }
            }
        }
        let kills = ProcessInfo.processInfo.environment["SWORM_KILLS"].flatMap { Int($0) } ?? 6
        var whole: TimeInterval = 0
        var (old, new) = (0, 0)
        for index in 0...kills {
            let folder = try StoreFolder()
            for name in try FileManager.default.contentsOfDirectory(atPath: pristine.url.path) {
                try FileManager.default.copyItem(
                    at: pristine.url.appendingPathComponent(name), to: folder.url.appendingPathComponent(name))
            }
            guard index > 0 else {
                let start = Date()
                try Self.plan.migrate(storeAt: folder.store)
                whole = Date().timeIntervalSince(start)
                try check(folder)
                continue
            }
            // Half of the moments are near the end, where the new store takes the old one's place.
            let share = Double.random(in: 0...1)
            let delay = whole * (index % 2 == 0 ? share : 0.8 + share * 0.4)
            let store = folder.store
            await #expect(processExitsWith: .signal(SIGKILL)) { [store = store as URL, delay = delay as TimeInterval] in
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: delay)
                    kill(getpid(), SIGKILL)
                }
                try Self.plan.migrate(storeAt: store)
                while true { pause() }
            }
            if try Self.plan.versionName(ofStoreAt: store) == "1" { old += 1 } else { new += 1 }
            try check(folder)
            try Self.plan.migrate(storeAt: store)
            #expect(try Self.plan.versionName(ofStoreAt: store) == "2")
            try check(folder)
            #expect(folder.others.isEmpty, "killed after \(delay) of \(whole) s")
            #expect(try external(folder).count == Self.photos, "killed after \(delay) of \(whole) s")
        }
        #expect(old > 0)
        if kills > 6 { print("kills: \(kills), old store \(old), new store \(new)") }
    }
}
#endif
