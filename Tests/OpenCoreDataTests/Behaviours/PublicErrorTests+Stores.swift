import Foundation
import Testing

@testable import OpenCoreData

// Mistakes in calls of merge policies, and in calls for stores.
extension PublicErrorTests {
    func policyMistakes() throws -> [String: Mistake] {
        let context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Ann"])
        let change = NSMergeConflict(
            source: author, newVersion: 1, oldVersion: 1, cachedSnapshot: nil, persistedSnapshot: nil)
        let constraint = NSConstraintConflict(
            constraint: ["name"], database: nil, databaseSnapshot: nil, conflicting: [author],
            conflictingSnapshots: [])
        // No save runs, to which the conflicts could belong.
        return [
            "NSMergePolicy.resolve(optimisticLockingConflicts:)": (
                .managedObjectMerge,
                { try NSMergePolicy.overwrite.resolve(optimisticLockingConflicts: [change]) }
            ),
            "NSMergePolicy.resolve(constraintConflicts:)": (
                .managedObjectMerge, { try NSMergePolicy.overwrite.resolve(constraintConflicts: [constraint]) }
            ),
            "NSMergePolicy.resolve(mergeConflicts:)": (
                .managedObjectMerge, { try NSMergePolicy.overwrite.resolve(mergeConflicts: [change, constraint]) }
            ),
        ]
    }

    func storeMistakes() throws -> [String: Mistake] {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let foreign = try #require(try GraphLibrary.coordinator().persistentStores.first)
        let missing = folder.url("Missing.sqlite")
        let context = GraphLibrary.context(coordinator)
        let nothing = NSFetchRequest<NSManagedObject>(entityName: "Nothing")
        return [
            "NSPersistentStoreCoordinator.execute(_:with:)": (
                .coreData, { _ = try coordinator.execute(nothing, with: context) }
            ),
            "NSPersistentStoreCoordinator.cachedModelForPersistentStore(at:options:)": (
                .fileReadNoSuchFile,
                { _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: missing) }
            ),
            "NSPersistentStoreCoordinator.metadataForPersistentStore(with:)": (
                .fileReadNoSuchFile,
                { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(with: missing) }
            ),
            "NSPersistentStoreCoordinator.setMetadata(_:forPersistentStoreOfType:at:options:)": (
                .persistentStoreInvalidType,
                {
                    try NSPersistentStoreCoordinator.setMetadata(
                        nil, forPersistentStoreOfType: "Nothing", at: folder.url())
                }
            ),
            "NSPersistentStoreCoordinator.migratePersistentStore(_:to:options:withType:)": (
                .persistentStoreOperation,
                { try coordinator.migratePersistentStore(foreign, to: missing, withType: NSSQLiteStoreType) }
            ),
        ]
    }

    /// Mistakes in the calls that take the type of a store as a value.
    func typedMistakes() throws -> [String: Mistake] {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let foreign = try #require(try GraphLibrary.coordinator().persistentStores.first)
        let (url, missing) = (folder.url(), folder.url("Missing.sqlite"))
        let nothing = NSPersistentStore.StoreType(rawValue: "Nothing")
        let library = try MigratedLibrary(change: { $0.relationship("Author.books").maxCount = 1 }) { context in
            let author = try context.make("Author", ["name": "Leo"])
            for title in ["a", "b"] { try context.make("Book", ["title": title, "author": author]) }
        }
        return [
            "NSPersistentStoreCoordinator.addPersistentStore(type:configuration:at:options:)": (
                .persistentStoreInvalidType, { try coordinator.addPersistentStore(type: nothing, at: url) }
            ),
            "NSPersistentStoreCoordinator.destroyPersistentStore(at:type:options:)": (
                .persistentStoreOperation, { try coordinator.destroyPersistentStore(at: url, type: .sqlite) }
            ),
            "NSPersistentStoreCoordinator.metadataForPersistentStore(type:at:options:)": (
                .persistentStoreInvalidType,
                { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: nothing, at: url) }
            ),
            "NSPersistentStoreCoordinator.setMetadata(_:type:at:options:)": (
                .persistentStoreInvalidType,
                { try NSPersistentStoreCoordinator.setMetadata(nil, type: nothing, at: url) }
            ),
            "NSPersistentStoreCoordinator.migratePersistentStore(_:to:options:type:)": (
                .persistentStoreOperation,
                { try coordinator.migratePersistentStore(foreign, to: missing, type: .sqlite) }
            ),
            "NSPersistentStoreCoordinator.replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:type:)":
                (
                    .persistentStoreOperation,
                    {
                        try withExtendedLifetime(folder) {
                            try coordinator.replacePersistentStore(
                                at: missing, withPersistentStoreFrom: url, type: .sqlite)
                        }
                    }
                ),
            "NSMigrationManager.migrateStore(from:type:options:mapping:to:type:options:)": (
                .migration,
                {
                    let manager = NSMigrationManager(sourceModel: library.old, destinationModel: library.new)
                    try manager.migrateStore(
                        from: library.source, type: .sqlite, mapping: try library.mapping(), to: library.destination,
                        type: .sqlite)
                }
            ),
        ]
    }
}
