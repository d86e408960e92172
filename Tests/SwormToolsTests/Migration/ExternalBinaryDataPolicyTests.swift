import Foundation
import Sworm
import SwormLegacy
import SwormTools
import Testing

private enum Photo1 {
    struct Photo: ManagedObjectConvertible {
        var name = ""
        var data: Data?
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name"), .init(\.data, "data", .external)]
    }
}

private enum Photo2 {
    struct Photo: ManagedObjectConvertible {
        var name = ""
        var data: Data?
        var year: Int?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.name, "name"), .init(\.data, "data", .external), .init(\.year, "year"),
        ]
    }
}

/// A policy whose work can be seen in the new objects.
final class StampingPolicy: ExternalBinaryDataEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard let name = mapping.name else { return }
        for object in manager.destinationInstances(forEntityMappingName: name, sourceInstances: [sInstance]) {
            object.setValue(Int64(1985), forKey: "year")
        }
    }
}

@Suite("The policy for external values")
struct ExternalBinaryDataPolicyTests {
    private static let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })

    private func migrate(policy: String, in folder: StoreFolder) throws -> [Photo2.Photo] {
        do {
            let container = try PersistentContainer(for: Photo1.Photo.self, at: .file(folder.store))
            try container.perform { context in
                try context.insert(Photo1.Photo(name: "a", data: Self.large))
                try context.insert(Photo1.Photo(name: "b", data: Data([1, 2, 3])))
                try context.insert(Photo1.Photo(name: "c"))
            }
        }
        let plan = MigrationPlan([
            .init("1", Photo1.Photo.self),
            .init(
                "2", Photo2.Photo.self,
                stage: .mapping { old, new in
                    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
                    for entity in mapping.entityMappings ?? [] { entity.entityMigrationPolicyClassName = policy }
                    return mapping
                }),
        ])
        let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
        return try container.perform { try $0.decode(Photo2.Photo.all.sort(\.name)) }
    }

    @Test(arguments: [
        "ExternalBinaryDataEntityMigrationPolicy", NSStringFromClass(ExternalBinaryDataEntityMigrationPolicy.self),
    ])
    func `a mapping names it as in the first versions, or with its module`(name: String) throws {
        let folder = try StoreFolder()
        let photos = try migrate(policy: name, in: folder)
        #expect(photos.map(\.data) == [Self.large, Data([1, 2, 3]), nil])
        #expect(folder.others.isEmpty)
    }

    @Test func `it can be the base of a policy of one's own`() throws {
        let folder = try StoreFolder()
        let photos = try migrate(policy: NSStringFromClass(StampingPolicy.self), in: folder)
        #expect(photos.map(\.data) == [Self.large, Data([1, 2, 3]), nil])
        #expect(photos.map(\.year) == [1985, 1985, 1985])
    }

    @Test func `it can be the policy of all steps`() throws {
        try MigratableModel.with { store, bundle in
            let older = try NSPersistentContainer(store: store.with(maxVersion: 0), bundle: bundle)
            try older.loadPersistentStore()
            try MigratableModel.fill(older)
            try older.removePersistentStores()
            let migration = try #require(
                try SQLiteProgressiveMigration(
                    store: store, bundle: bundle,
                    defaultEntityMigrationPolicyClassName: "ExternalBinaryDataEntityMigrationPolicy"))
            try migration.performMigration(progress: nil)
            let newest = try NSPersistentContainer(store: store, bundle: bundle)
            try newest.loadPersistentStore()
            #expect(try MigratableModel.rows("B", "identifier", in: newest) == ["10.0 foo none", "20.0 bar none"])
        }
    }
}
