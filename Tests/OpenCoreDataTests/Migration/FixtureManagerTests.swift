import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Migrates stores that Apple's framework wrote, object by object, from their version to each later one.
@Suite(
    "Migrations of shipped stores",
    .enabled(if: ModelFixtures.exist, "there are no fixtures, which SWORM_FIXTURES says"))
struct FixtureManagerTests {
    @Test(arguments: ModelFixtures.all("xcdatamodeld"))
    func `every store is migrated to each later version, or the missing values are reported`(_ url: URL) throws {
        let versions = try NSManagedObjectModel.versions(at: url).map(\.model)
        let name = url.deletingPathExtension().lastPathComponent
        var migrated = 0
        var refused: [String: Set<String>] = [:]
        for store in Fixtures.databases
        where store.deletingLastPathComponent().path == url.deletingLastPathComponent().path {
            // What leads nowhere cannot be taken over; ``AppleStoreWritingTests`` says which stores are left out.
            if AppleStores.originalIssues[Fixtures.relative(store)]?.isEmpty == false { continue }
            guard let index = try version(of: store, among: versions) else { continue }
            for (offset, new) in versions.enumerated().dropFirst(index + 1) {
                let folder = try StoreFolder()
                let copy = try Fixtures.copy(store, to: URL(fileURLWithPath: folder.path))
                let lacking = try migrate(copy, from: versions[index], to: new, folder.url("Migrated.sqlite"))
                if lacking.isEmpty { migrated += 1 } else { refused["\(index + 1) \(offset + 1)"] = lacking }
            }
        }
        #expect(migrated + refused.count > 0 || versions.count == 1)
        // A required to-many relationship without a minimum count may be empty, as in Core Data.
        if FixtureMigrationTests.chains[name] != nil { #expect(refused.isEmpty, "\(refused)") }
    }

    private func version(of store: URL, among versions: [NSManagedObjectModel]) throws -> Int? {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store)
        return versions.firstIndex { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
    }

    /// - Returns: The relationships that the new model demands and the objects do not have; none when all went well.
    private func migrate(
        _ store: URL, from old: NSManagedObjectModel, to new: NSManagedObjectModel, _ target: URL
    ) throws -> Set<String> {
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        let graph = try ObjectGraphText(PlainStore(copyOf: store), PlainModel(old))
        do {
            try manager.migrateStore(
                from: store, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: target,
                destinationType: NSSQLiteStoreType)
        } catch let thrown as CocoaError where thrown.code == .migration {
            let error = try #require(thrown.asCoreData)
            #expect(
                error.details.allSatisfy { $0.message.contains("is required, and points to no object") }, "\(error)")
            #expect(!FileManager.default.fileExists(atPath: target.path))
            // Apple's own rows may lack what their models demand.
            for detail in error.details {
                let (entity, key) = (detail.entity ?? "", detail.key ?? "")
                let objects = graph.nodes.filter { $0.key.hasPrefix(entity + "/") }.values
                #expect(objects.contains { $0.links[key]?.isEmpty ?? true }, "\(entity).\(key)")
            }
            return Set(error.details.map { "\($0.entity ?? "").\($0.key ?? "")" })
        }
        #expect(try StoreVerification.issues(of: target, model: try new.compiled()) == [])
        for entity in try ModelMapping.inferred(from: old, to: new).entities {
            guard let source = entity.source, let destination = entity.destination else { continue }
            let before = try lines(store, old, source, \.source, entity)
            let after = try lines(target, new, destination, \.destination, entity)
            #expect(before == after, "\(store.lastPathComponent): \(source)")
        }
        return []
    }

    /// Links a mood to the continent of its country.
    final class MoodPolicy: NSEntityMigrationPolicy {
        override func createRelationships(
            forDestination new: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            try super.createRelationships(forDestination: new, in: mapping, manager: manager)
            let old = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [new]).first
            let continents = manager.mappingModel.entityMappings.first { $0.sourceEntityName == "Continent" }
            guard let old = old?.value(forKeyPath: "country.continent") as? NSManagedObject, let continents else {
                return
            }
            new.setValue(
                manager.destinationInstances(forEntityMappingName: continents.name, sourceInstances: [old]).first,
                forKey: "continent")
        }
    }

    /// Keeps of a continent its number.
    final class CountryPolicy: NSEntityMigrationPolicy {
        override func createDestinationInstances(
            forSource old: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: old, in: mapping, manager: manager)
            for new in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [old]) {
                new.setValue(old.value(forKeyPath: "continent.numericISO3166Code"), forKey: "isoContinent")
            }
        }
    }

    /// The pairs of which the application's code gave more than can be inferred, with code that gives the same.
    @Test(arguments: [2, 4])
    func `results of code in Apple's framework are the same here`(_ version: Int) throws {
        let stores = Dictionary(
            Fixtures.databases.filter { $0.pathExtension == "moody" }.map { ($0.lastPathComponent, $0) },
            uniquingKeysWith: { first, _ in first })
        guard
            let url = ModelFixtures.all("xcdatamodeld").first(where: { $0.lastPathComponent == "Moody.xcdatamodeld" }),
            let store = stores["Moody_\(version).moody"], let theirs = stores["Moody_\(version + 1).moody"]
        else { return }
        let versions = try NSManagedObjectModel.versions(at: url).map(\.model)
        let (old, new) = (versions[version - 1], versions[version])
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        for entity in mapping.entityMappings {
            switch (entity.destinationEntityName, version) {
            case ("Mood", 2): entity.entityMigrationPolicyType = MoodPolicy.self
            case ("Country", 4): entity.entityMigrationPolicyType = CountryPolicy.self
            default: continue
            }
            entity.mappingType = .customEntityMappingType
        }
        let folder = try StoreFolder()
        let copy = try Fixtures.copy(store, to: URL(fileURLWithPath: folder.path))
        let target = folder.url("Migrated.sqlite")
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: copy, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: target,
            destinationType: NSSQLiteStoreType)
        let model = PlainModel(new)
        let ours = try ObjectGraphText(PlainStore(copyOf: target), model).named(model)
        #expect(ours.differences(from: try ObjectGraphText(PlainStore(copyOf: theirs), model).named(model)) == [])
    }

    /// The objects of an entity itself: the attributes that both versions have, and how many objects the relationships lead
    /// to that both have.
    private func lines(
        _ url: URL, _ model: NSManagedObjectModel, _ entity: String, _ side: KeyPath<ModelMapping.Property, String?>,
        _ mapping: ModelMapping.Entity
    ) throws -> [String] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true]
        )
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(.privateQueue)
        context.makesPlainObjects = true
        context.persistentStoreCoordinator = coordinator
        func kept(_ properties: [ModelMapping.Property]) -> [String] {
            properties.filter { $0.source != nil && $0.destination != nil }.compactMap { $0[keyPath: side] }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.includesSubentities = false
        return try context.fetch(request).map { object in
            let values = kept(mapping.attributes).map { key in
                let type = object.entity.attributesByName[key]?.attributeType ?? .undefinedAttributeType
                return "\(object.storedValue(key, type) ?? "-")"
            }
            let counts = kept(mapping.relationships).map { key in
                switch object.value(forKey: key) {
                case let set as Set<NSManagedObject>: set.count
                case let ordered as NSOrderedSet: ordered.count
                case .some: 1
                case nil: 0
                }
            }
            return (values + counts.map(String.init)).joined(separator: "|")
        }.sorted()
    }
}
