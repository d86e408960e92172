import Foundation
import SwormSQLite
import SwormStore

/// A rehearsal of a migration on a copy of the store, with a report on the result. The store itself is only read.
package struct MigrationRehearsal {
    /// A model and its display name.
    package struct Version {
        let name: String
        let model: NSManagedObjectModel

        package init(_ name: String, model: NSManagedObjectModel) {
            self.name = name
            self.model = model
        }
    }

    private let files: StoreFiles
    private let source: Version
    private let chain: [Version]
    private let options: StoreOptions
    /// A closure that is called with the step and its progress. An error that it throws ends the rehearsal.
    private let progress: ((_ step: Int, MigrationProgress) throws -> Void)?

    /// Creates a rehearsal.
    ///
    /// - Parameters:
    ///   - source: The model that the store was written with.
    ///   - chain: The models that the store is migrated to, one after the other.
    ///   - progress: A closure that is called with the index of the step and its progress. An error that it throws ends
    ///     the rehearsal.
    package init(
        of url: URL, from source: Version, through chain: [Version], options: StoreOptions = StoreOptions(),
        progress: ((_ step: Int, MigrationProgress) throws -> Void)? = nil
    ) {
        files = StoreFiles(url: url, disk: options.disk)
        self.source = source
        self.chain = chain
        self.options = options
        self.progress = progress
    }

    /// Rehearses every step, up to the first one that fails.
    ///
    /// - Throws: A ``CoreDataError`` if a store or a model cannot be read, or if there is not enough disk space for the
    ///   copy.
    package func run() throws -> RehearsalReport {
        var report = RehearsalReport()
        var (files, old) = (self.files, source)
        // Each step reads the copy that the previous step wrote.
        var folder: TemporaryFolder?
        for (index, new) in chain.enumerated() {
            if old.model.entityVersionHashesByName == new.model.entityVersionHashesByName {
                let indexes = try indexes(of: files, for: new.model)
                report.indexes.missing += indexes.missing
                report.indexes.changed += indexes.changed
                continue
            }
            let next = try TemporaryFolder(options.disk)
            let copy = StoreFiles(url: URL(fileURLWithPath: next.file("Store.sqlite")), disk: options.disk)
            let step = try withExtendedLifetime(folder) {
                try rehearse(files, from: old, to: new, on: copy, step: index)
            }
            report.steps.append(step)
            guard step.refusals.isEmpty else { break }
            try lendExternalData(to: copy)
            (files, old, folder) = (copy, new, next)
        }
        return report
    }

    /// Returns the indexes that would be created or changed in a store with a model.
    private func indexes(of files: StoreFiles, for model: NSManagedObjectModel) throws -> MissingIndexes.Changes {
        let inspection = try SQLiteStore.inspect(files, options: options).inspection
        return try MissingIndexes.changes(inspection, model: model.compiled(), options: options)
    }

    private func rehearse(
        _ files: StoreFiles, from old: Version, to new: Version, on copy: StoreFiles, step index: Int
    ) throws -> RehearsalReport.Step {
        let start = ContinuousClock.now
        var inference = try MappingInference(from: old.model, to: new.model)
        let mapping = inference.attempt()
        var rehearsal = try StepRehearsal(
            files: files, from: inference.old.model, to: MigrationTarget(new.model), mapping: mapping, options: options)
        rehearsal.refusal = inference.issues.isEmpty ? nil : inference.issues.error
        rehearsal.progress = progress.map { progress in { try progress(index, $0) } }
        rehearsal.report = RehearsalReport.Step(from: old.name, to: new.name)
        do {
            try CoreDataError.translating(while: "rehearse the migration of", path: files.main) {
                try rehearsal.run(on: copy)
            }
        } catch let error as CoreDataError
            where [NSMigrationError, NSInferredMappingModelError].contains(error.errorCode)
        {
            rehearsal.report.refusals = error.details.isEmpty ? [error.message] : error.details.map(\.message)
        }
        rehearsal.report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return rehearsal.report
    }

    /// Makes the external files of the store available to the copy, whose values refer to them. The files are not
    /// copied, and only read at their original location.
    private func lendExternalData(to copy: StoreFiles) throws {
        guard FileKind(path: files.externalData) != nil else { return }
        let folder = (copy.externalData as NSString).deletingLastPathComponent
        try copy.calls.makeFolders(folder)
        try copy.calls.makeLink(
            copy.externalData, to: URL(fileURLWithPath: files.externalData).standardizedFileURL.path)
    }
}
