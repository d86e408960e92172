import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A model in four versions: a name is taken apart into two, and gets its initials.
enum StagedModels {
    static func model(_ version: Int) -> NSManagedObjectModel {
        let person = Build.entity("Person")
        if version < 3 { person.properties.append(Build.attribute("name")) }
        if version > 1 { person.properties += [Build.attribute("first"), Build.attribute("last")] }
        if version > 3 { person.properties.append(Build.attribute("initials")) }
        person.properties.append(
            Build.attribute("photo", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true })
        return Build.model(person)
    }

    static func checksum(_ version: Int) -> String { model(version).versionChecksum }

    static func reference(_ version: Int) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model(version), versionChecksum: checksum(version))
    }

    static func photo(_ index: Int) -> Data { Data(repeating: UInt8(index), count: 200_000) }

    /// A store of a version with two people and their photos.
    static func store(_ version: Int) throws -> MigratedStore {
        try MigratedStore(model(version)) { context in
            for (index, name) in [["Jane", "Austen"], ["Leo", "Tolstoy"]].enumerated() {
                var values: [String: Any] = ["photo": photo(index)]
                if version < 3 { values["name"] = name.joined(separator: " ") }
                if version > 2 { (values["first"], values["last"]) = (name[0], name[1]) }
                try context.make("Person", values)
            }
        }
    }

    static func lightweight(_ versions: Int...) -> NSLightweightMigrationStage {
        NSLightweightMigrationStage(versions.map(checksum))
    }

    static func custom(_ from: Int, _ to: Int) -> NSCustomMigrationStage {
        NSCustomMigrationStage(migratingFrom: reference(from), to: reference(to))
    }

    /// From the second version to the third: the name is taken apart before it goes.
    static func splitting() -> NSCustomMigrationStage {
        let stage = custom(2, 3)
        stage.label = "split"
        stage.willMigrateHandler = { manager, _ in
            try change(manager) { person in
                let parts = (person.text("name") ?? "").split(separator: " ").map(String.init)
                person.setValue(parts.first, forKey: "first")
                person.setValue(parts.last, forKey: "last")
            }
        }
        return stage
    }

    /// From the third version to the fourth: the initials are worked out when there is a place for them.
    static func abbreviating() -> NSCustomMigrationStage {
        let stage = custom(3, 4)
        stage.didMigrateHandler = { manager, _ in
            try change(manager) { person in
                let parts = [person.text("first"), person.text("last")].compactMap { $0?.first.map(String.init) }
                person.setValue(parts.joined(), forKey: "initials")
            }
        }
        return stage
    }

    static func change(_ manager: NSStagedMigrationManager, _ body: (NSManagedObject) throws -> Void) throws {
        let context = try #require(manager.container).newBackgroundContext()
        try context.performAndWait {
            for person in try context.all("Person") { try body(person) }
            try context.save()
        }
    }
}

extension MigratedStore {
    /// Opens the store with a version of the model and stages, and closes it again.
    func open(
        _ version: Int, _ stages: [NSMigrationStage], options: [AnyHashable: Any] = [:]
    ) throws {
        try open(version, NSStagedMigrationManager(stages), options: options)
    }

    func open(_ version: Int, _ manager: NSStagedMigrationManager, options: [AnyHashable: Any] = [:]) throws {
        let all = options.merging([NSPersistentStoreStagedMigrationManagerOptionKey: manager]) { $1 }
        let coordinator = try GraphLibrary.coordinator(at: url, model: StagedModels.model(version), options: all)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try adopt(StagedModels.model(version), afterMigration: true)
    }

    /// The people in the last version, and whether they have their photos still.
    func people() throws -> [String] {
        var lines: [String] = []
        try write { context in
            lines = try context.all("Person", sort: "last").enumerated().map { index, person in
                let photo = person.value(forKey: "photo") as? Data
                let place = (0..<10).first { StagedModels.photo($0) == photo }.map(String.init) ?? "none"
                return ["first", "last", "initials"].compactMap {
                    person.entity.attributesByName[$0] == nil ? nil : person.text($0) ?? "-"
                }.joined(separator: " ") + " \(place)"
            }
        }
        return lines
    }

    /// The names of the files of external data.
    func externalFiles() throws -> Set<String> {
        Set(
            (try? FileManager.default.contentsOfDirectory(atPath: StoreFiles(url: url).externalData)) ?? [])
    }
}
