import Foundation
import SwormStore

/// A migration of a store through the stages of a manager.
struct StagedMigration {
    let manager: NSStagedMigrationManager
    let url: URL
    /// The model of the coordinator.
    let destination: NSManagedObjectModel
    let options: StoreOptions
    /// The options that were passed to the coordinator. The store is opened for handlers with the same options.
    let coordinatorOptions: [AnyHashable: Any]

    /// Migrates the store.
    ///
    /// - Parameters:
    ///   - hashes: The version hashes of the store.
    ///   - report: A closure that is called with the completed fraction, from 0 to 1. An error that it throws cancels
    ///     the migration.
    func run(from hashes: [String: Data], progress report: @escaping (_ fraction: Double) throws -> Void) throws {
        try manager.running {
            let files = StoreFiles(url: url, disk: options.disk)
            let chain = try StagedChain(
                manager.stages, from: VersionHash.checksum(of: hashes), to: destination, path: files.main
            ) { try NSPersistentStoreCoordinator.storedModel(at: url) }
            guard let first = chain.steps.first else { return }
            let copies = chain.steps.reduce(0) { $0 + 1 + ($1.custom?.willMigrateHandler == nil ? 0 : 1) }
            let replacement = try StoreReplacement(of: url, options: options, isMissingAllowed: false, steps: copies)
            // Another process may have migrated the store before it was locked.
            let now = try replacement.versionHashes()
            if now == destination.entityVersionHashesByName { return }
            guard now == hashes else {
                throw CoreDataError(
                    NSMigrationError,
                    "The store '\(files.main)' was replaced by a store of another version before its migration began. Nothing was changed. Try again."
                )
            }
            for (index, step) in chain.steps.enumerated() {
                try run(step, in: replacement, original: first.source) { fraction in
                    try report((Double(index) + fraction) / Double(chain.steps.count))
                }
            }
            try replacement.finish(from: first.source.compiled(), to: destination.compiled()) { try report(1) }
        }
    }

    private func run(
        _ step: StagedChain.Step, in replacement: StoreReplacement, original: NSManagedObjectModel,
        progress report: @escaping (_ fraction: Double) throws -> Void
    ) throws {
        try report(0)
        if let custom = step.custom, let handler = custom.willMigrateHandler {
            try replacement.edit(
                as: step.source.compiled(), original: original.compiled(), checkCancellation: { try report(0) }
            ) { copy in
                try call(handler, for: custom, with: step.source, at: copy)
            }
        }
        try replacement.infer(from: step.source, to: step.destination) { try report(0.1 + 0.8 * $0) }
        try report(0.9)
        if let custom = step.custom, let handler = custom.didMigrateHandler {
            try replacement.edit(
                as: step.destination.compiled(), original: original.compiled(), checkCancellation: { try report(0.9) }
            ) { copy in
                try call(handler, for: custom, with: step.destination, at: copy)
            }
        }
        try report(1)
    }

    private func call(
        _ handler: (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void, for stage: NSCustomMigrationStage,
        with model: NSManagedObjectModel, at copy: URL
    ) throws {
        let name = url.deletingPathExtension().lastPathComponent
        let container = NSPersistentContainer(name: name, managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: copy)]
        var options = coordinatorOptions
        for key in [
            NSPersistentStoreStagedMigrationManagerOptionKey, NSMigratePersistentStoresAutomaticallyOption,
            NSInferMappingModelAutomaticallyOption,
        ] { options[key] = nil }
        try manager.lend(container) {
            try container.persistentStoreCoordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: copy, options: options)
            try handler(manager, stage)
        }
    }
}
