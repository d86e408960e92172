package import Foundation
import SwormSQLite

/// Tries a migration on a copy, and tells what would become of the store. The store itself is only read.
package struct MigrationRehearsal {
    /// A model, and what it is called for people.
    package struct Version {
        let name: String
        let model: NSManagedObjectModel

        package init(_ name: String, _ model: NSManagedObjectModel) {
            self.name = name
            self.model = model
        }
    }

    private let files: StoreFiles
    private let source: Version
    private let chain: [Version]
    private let options: StoreOptions
    /// Told the step, and how far it is. What it throws ends the rehearsal.
    private let progress: ((_ step: Int, MigrationProgress) throws -> Void)?

    /// - Parameters:
    ///   - source: The model that the store was written with.
    ///   - chain: The models that it is migrated to, one after the other.
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

    /// Rehearses every step, up to the first that is refused.
    ///
    /// - Throws: ``CoreDataError`` for a store or a model that cannot be read, and where there is no room for the copy.
    package func run() throws -> RehearsalReport {
        var report = RehearsalReport()
        var (files, old) = (self.files, source)
        // A step reads the copy of the one before it.
        var place: TemporaryFolder?
        for (index, new) in chain.enumerated() {
            if old.model.entityVersionHashesByName == new.model.entityVersionHashesByName {
                let indexes = try indexes(of: files, for: new.model)
                report.indexes.missing += indexes.missing
                report.indexes.changed += indexes.changed
                continue
            }
            let next = try TemporaryFolder(options.disk)
            let copy = StoreFiles(url: URL(fileURLWithPath: next.file("Store.sqlite")), disk: options.disk)
            let step = try withExtendedLifetime(place) {
                try rehearse(files, from: old, to: new, on: copy, step: index)
            }
            report.steps.append(step)
            guard step.refusals.isEmpty else { break }
            try lendExternalData(to: copy)
            (files, old, place) = (copy, new, next)
        }
        return report
    }

    /// The indexes that a store of a model would get.
    private func indexes(of files: StoreFiles, for model: NSManagedObjectModel) throws -> MissingIndexes.Changes {
        let inspection = try SQLiteStore.inspect(files, options: options).inspection
        return try MissingIndexes.changes(inspection, model: model.compiled(), options: options)
    }

    private func rehearse(
        _ files: StoreFiles, from old: Version, to new: Version, on copy: StoreFiles, step index: Int
    ) throws -> RehearsalReport.Step {
        let start = ContinuousClock.now
        var rehearsal = StepRehearsal(files: files, old: old.model, new: new.model, options: options)
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

    /// Values of the copy name files that lie beside the store. They are only read, where they are.
    private func lendExternalData(to copy: StoreFiles) throws {
        guard FileKind(path: files.externalData) != nil else { return }
        let folder = (copy.externalData as NSString).deletingLastPathComponent
        try copy.calls.makeFolders(folder)
        try copy.calls.makeLink(
            copy.externalData, to: URL(fileURLWithPath: files.externalData).standardizedFileURL.path)
    }
}

/// The rehearsal of one step.
private struct StepRehearsal {
    let files: StoreFiles
    let old: NSManagedObjectModel
    let new: NSManagedObjectModel
    let options: StoreOptions
    var progress: ((MigrationProgress) throws -> Void)?
    var report = RehearsalReport.Step(from: "", to: "")

    mutating func run(on copy: StoreFiles) throws {
        report.sizeBefore = files.size
        let (inspection, place, connection) = try SQLiteStore.inspect(files, options: options)
        try withExtendedLifetime(place) {
            try StoreMigration.refuseMirrored(inspection, files, options)
            let mapping = try mapping(inspection, connection)
            let migration = try StoreMigration(
                of: files.url, from: old, to: new, mapping: mapping, options: options,
                progress: progress)
            let change = try StoreChange(migration, inspection, connection)
            let planner = change.planner
            try survey(planner.map, change.layout, change.counts, planner.tables, planner.feeds, connection)
            report.findings += planner.lostColumns
            try change.refuseMissingFiles()
            try files.requireRoom(change.neededRoom().copy, options, in: copy.folder)
            try rehearse(change, connection, on: copy)
        }
    }

    /// The mapping that can be inferred. Where none can, what there is of one says how many objects are concerned.
    private mutating func mapping(
        _ inspection: StoreInspection, _ connection: StoreConnection
    ) throws -> ModelMapping {
        var inference = try MappingInference(from: old, to: new)
        let mapping = inference.attempt()
        guard !inference.faults.isEmpty else { return mapping }
        let model = inference.old.model
        try inspection.check(against: model, path: files.main)
        let layout = try StoreLayout(model: model, existing: ExistingSchema(tables: inspection.columns))
        let map = try MigrationMap(mapping, from: model, to: inference.new.model)
        let counts = try StoreChange.counts(connection, model: model, layout: layout, path: files.main)
        let keys = try MigrationSource(connection, inspection, model: model, layout: layout).highestKeys
        let feeds = LinkFeeds(
            map: map, old: layout, new: StoreLayout(model: map.destination),
            offsets: try KeyOffsets(map, highestKeys: keys))
        try survey(map, layout, counts, [], feeds, connection)
        throw inference.faults.error
    }

    /// Tells what there is, and what happens to it.
    private mutating func survey(
        _ map: MigrationMap, _ layout: StoreLayout, _ counts: [Int: Int64], _ tables: [TablePlan],
        _ feeds: LinkFeeds, _ connection: StoreConnection
    ) throws {
        for entity in map.source.entities where !entity.isAbstract {
            let destination = map.destination(of: entity.number).map { map.destination[$0].name }
            report.entities.append(
                .init(source: entity.name, destination: destination, rowsIn: counts[entity.number] ?? 0))
        }
        let known = Set(map.pairs.map(\.destination.number))
        for entity in map.destination.entities where !entity.isAbstract && !known.contains(entity.number) {
            report.entities.append(.init(source: nil, destination: entity.name, rowsIn: 0))
        }
        report.findings = try MigrationSurvey(
            map: map, layout: layout, counts: counts, tables: tables, feeds: feeds, connection: connection
        ).findings()
    }

    private mutating func rehearse(_ change: StoreChange, _ connection: StoreConnection, on copy: StoreFiles) throws {
        defer {
            report.peakSize = max(change.peakSize, copy.size)
            report.findings += change.clashes.map {
                .init(
                    kind: .clash, entity: $0.entity, property: $0.properties, count: $0.values, message: $0.message)
            }
            // The survey has seen those that are missing already; others go with the objects that they lead to.
            report.findings += change.lacks.filter { lack in
                !report.findings.contains {
                    $0.kind == .missing && $0.entity == lack.entity && $0.property == lack.relationship
                }
            }.map {
                .init(
                    kind: .missing, entity: $0.entity, property: $0.relationship, count: $0.count, message: $0.message)
            }
        }
        try change.migration.copy(connection, to: copy)
        let outcome = try change.run(on: copy)
        report.notes = outcome.notes
        report.removedFiles = change.unneededFiles.count
        report.sizeAfter = copy.size
        // The numbers of objects were compared when the copy was checked.
        report.entities = report.entities.map { entity in
            var entity = entity
            entity.rowsOut = entity.destination == nil ? 0 : entity.rowsIn
            return entity
        }
    }
}
