import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

/// Migrates stores that Apple's framework wrote, object by object, from their version to each later one.
@Suite(
    "Migrations of shipped stores",
    .enabled(if: ModelFixtures.exist, "there are no fixtures, which SWORM_FIXTURES says"))
struct FixtureManagerTests {
    @Test(arguments: ModelFixtures.all("xcdatamodeld"))
    func `every store is migrated to each later version, or it is told what it lacks`(_ url: URL) throws {
        let versions = try NSManagedObjectModel.versions(at: url).map(\.model)
        var (migrated, refused) = (0, 0)
        for store in Fixtures.databases
        where store.deletingLastPathComponent().path == url.deletingLastPathComponent().path {
            guard let index = try version(of: store, among: versions) else { continue }
            for new in versions.dropFirst(index + 1) {
                let folder = try StoreFolder()
                let copy = try Fixtures.copy(store, to: URL(fileURLWithPath: folder.path))
                if try migrate(copy, from: versions[index], to: new, folder.url("Migrated.sqlite")) {
                    migrated += 1
                } else {
                    refused += 1
                }
            }
        }
        print("\(url.lastPathComponent): \(migrated) migrated, \(refused) refused")
        #expect(migrated + refused > 0 || versions.count == 1)
    }

    private func version(of store: URL, among versions: [NSManagedObjectModel]) throws -> Int? {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store)
        return versions.firstIndex { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
    }

    /// - Returns: False when the new model asks for links that the objects do not have.
    private func migrate(_ store: URL, from old: NSManagedObjectModel, to new: NSManagedObjectModel, _ target: URL)
        throws
        -> Bool
    {
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        do {
            try manager.migrateStore(
                from: store, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: target,
                destinationType: NSSQLiteStoreType)
        } catch let error as CoreDataError where error.errorCode == NSMigrationError {
            #expect(error.details.allSatisfy { $0.message.contains("is required: it leads to no object") }, "\(error)")
            #expect(!FileManager.default.fileExists(atPath: target.path))
            return false
        }
        #expect(try StoreVerification.faults(of: target, model: try new.compiled()) == [])
        for entity in try ModelMapping.inferred(from: old, to: new).entities {
            guard let source = entity.source, let destination = entity.destination else { continue }
            let before = try lines(store, old, source, \.source, entity)
            let after = try lines(target, new, destination, \.destination, entity)
            #expect(before == after, "\(store.lastPathComponent): \(source)")
        }
        return true
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
            let values = kept(mapping.attributes).map { "\(object.value(forKey: $0) ?? "-")" }
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
