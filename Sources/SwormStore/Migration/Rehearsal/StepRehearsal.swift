import Foundation
import SwormSQLite

/// A trial run of one migration step on a copy. The store itself is only read.
package struct StepRehearsal {
    private let files: StoreFiles
    private let old: CompiledModel
    private let target: MigrationTarget
    private let mapping: ModelMapping
    private let options: StoreOptions
    /// The reason why there is no complete mapping. The incomplete one is still used to count the affected objects.
    package var refusal: CoreDataError?
    package var progress: ((MigrationProgress) throws -> Void)?
    package var report = RehearsalReport.Step(from: "", to: "")

    package init(
        files: StoreFiles, from old: CompiledModel, to target: MigrationTarget, mapping: ModelMapping,
        options: StoreOptions
    ) {
        self.files = files
        self.old = old
        self.target = target
        self.mapping = mapping
        self.options = options
    }

    /// Rehearses the step, and fills in the report.
    ///
    /// - Parameter copy: The files of the migrated copy.
    package mutating func run(on copy: StoreFiles) throws {
        report.sizeBefore = files.size
        let (inspection, place, connection) = try SQLiteStore.inspect(files, options: options)
        try withExtendedLifetime(place) {
            try StoreMigration.refuseMirrored(inspection, files: files, options: options)
            if let refusal {
                try surveyIncompleteMapping(inspection, on: connection)
                throw refusal
            }
            let migration = try StoreMigration(
                of: files.url, from: old, to: target, mapping: mapping, options: options, progress: progress)
            let change = try MigrationRun(migration, inspection: inspection, original: connection)
            let planner = change.planner
            try survey(
                MigrationSurvey(
                    map: planner.map, layout: change.layout, counts: change.counts, tables: planner.tables,
                    feeds: planner.feeds, connection: connection))
            report.findings += planner.lostColumns
            try change.refuseMissingFiles()
            try files.requireRoom(change.neededRoom().copy, options: options, in: copy.folder)
            try rehearse(change, from: connection, on: copy)
        }
    }

    private mutating func surveyIncompleteMapping(
        _ inspection: StoreInspection, on connection: StoreConnection
    ) throws {
        try inspection.check(against: old, path: files.main)
        let layout = try StoreLayout(model: old, existing: ExistingSchema(tables: inspection.columns))
        let map = try MigrationMap(mapping, from: old, to: target.model)
        let counts = try MigrationRun.counts(connection, model: old, layout: layout, path: files.main)
        let keys = try MigrationSource(connection, inspection: inspection, model: old, layout: layout).highestKeys
        let feeds = LinkSources(
            map: map, old: layout, new: StoreLayout(model: map.destination),
            offsets: try KeyOffsets(map, highestKeys: keys))
        try survey(
            MigrationSurvey(
                map: map, layout: layout, counts: counts, tables: [], feeds: feeds, connection: connection))
    }

    /// Adds the entities and the findings of a survey to the report.
    private mutating func survey(_ survey: MigrationSurvey) throws {
        let (map, counts) = (survey.map, survey.counts)
        for entity in map.source.entities where !entity.isAbstract {
            let destination = map.destination(of: entity.number).map { map.destination[$0].name }
            report.entities.append(
                .init(source: entity.name, destination: destination, rowsIn: counts[entity.number] ?? 0))
        }
        let known = Set(map.pairs.map(\.destination.number))
        for entity in map.destination.entities where !entity.isAbstract && !known.contains(entity.number) {
            report.entities.append(.init(source: nil, destination: entity.name, rowsIn: 0))
        }
        report.findings = try survey.findings()
    }

    private mutating func rehearse(_ change: MigrationRun, from connection: StoreConnection, on copy: StoreFiles) throws
    {
        defer {
            report.peakSize = max(change.peakSize, copy.size)
            report.findings += change.clashes.map {
                .init(
                    kind: .clash, entity: $0.entity, property: $0.properties, count: $0.values, message: $0.message)
            }
            // The survey has already counted the links that were missing before; the other ones result from the
            // deletion of the objects that they point to.
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
        // The check of the copy has already compared the numbers of objects.
        report.entities = report.entities.map { entity in
            var entity = entity
            entity.rowsOut = entity.destination == nil ? 0 : entity.rowsIn
            return entity
        }
    }
}
