import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A store of the graph library, which the tests migrate to changed models.
final class MigratedLibrary {
    let folder: StoreFolder
    let old: NSManagedObjectModel
    let new: NSManagedObjectModel
    var source: URL { folder.url("Old.sqlite") }
    var destination: URL { folder.url("New.sqlite") }

    /// - Parameters:
    ///   - change: Changes the new model.
    ///   - fill: Fills the old store.
    init(
        from old: NSManagedObjectModel = GraphLibrary.model(), change: (OldLibrary.Changes) -> Void = { _ in },
        fill: (NSManagedObjectContext) throws -> Void
    ) throws {
        folder = try StoreFolder()
        self.old = old
        new = try #require(old.copy() as? NSManagedObjectModel)
        change(OldLibrary.Changes(model: new))
        try with(old, source) { context in
            try fill(context)
            try context.save()
        }
    }

    /// Opens a store, and closes it when the body is done.
    func with<R>(_ model: NSManagedObjectModel, _ url: URL, _ body: (NSManagedObjectContext) throws -> R) throws -> R {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        let result = try body(context)
        context.persistentStoreCoordinator = nil
        try coordinator.remove(store)
        return result
    }

    func mapping() throws -> NSMappingModel {
        try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
    }

    /// Migrates, and checks that the old store is as it was and the new one is sound.
    func migrate(_ mapping: NSMappingModel? = nil, with manager: NSMigrationManager? = nil) throws {
        let before = FileManager.default.contents(atPath: source.path)
        let manager = manager ?? NSMigrationManager(sourceModel: old, destinationModel: new)
        try manager.migrateStore(
            from: source, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: destination,
            destinationType: NSSQLiteStoreType)
        #expect(FileManager.default.contents(atPath: source.path) == before)
        #expect(try StoreVerification.issues(of: destination, model: try new.compiled()) == [])
        #expect(manager.migrationProgress == 1)
    }

    /// The objects of the new store.
    func objects(_ entity: String, _ keys: String...) throws -> [String] {
        try with(new, destination) { context in
            try context.all(entity).map { object in
                keys.map { Self.text(object.value(forKeyPath: $0)) }.joined(separator: " ")
            }.sorted()
        }
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "-"
        case let object as NSManagedObject:
            text(object.value(forKey: object.entity.attributesByName["name"] == nil ? "title" : "name"))
        case let set as Set<NSManagedObject>: "{\(set.map { text($0) }.sorted().joined(separator: ","))}"
        case let ordered as NSOrderedSet:
            "[\(ordered.array.map { text(($0 as? NSManagedObject)?.value(forKey: "mark")) }.joined(separator: ","))]"
        case .some(let value): "\(value)"
        }
    }
}
