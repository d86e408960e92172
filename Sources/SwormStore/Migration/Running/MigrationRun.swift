import Foundation
import SwormSQLite

/// The changes to one copy of a store: planned before anything is written, then executed, then verified.
final class MigrationRun {
    let migration: StoreMigration
    let inspection: StoreInspection
    let layout: StoreLayout
    let original: StoreConnection
    let planner: MigrationPlanner
    let plan: MigrationPlan
    /// The number of rows of each entity of the source.
    let counts: [Int: Int64]
    /// The external files whose content is moved into the tables.
    let incoming: [IncomingContent]
    /// The external files that are no longer referenced by any value.
    private(set) var unneededFiles: Set<UUID> = []
    /// The values that violate a uniqueness constraint of the new model.
    var clashes: [MigrationClash] = []
    /// The objects that have fewer links than the new model requires.
    var lacks: [MigrationLack] = []
    /// The size of the copy in bytes when it was largest.
    var peakSize: Int64 = 0

    /// Plans the changes of a migration.
    ///
    /// - Parameter original: A connection to the original file, which no other connection writes in the meantime.
    init(_ migration: StoreMigration, inspection: StoreInspection, original: StoreConnection) throws {
        self.migration = migration
        self.inspection = inspection
        self.original = original
        try inspection.check(against: migration.source, path: migration.files.main)
        layout = try StoreLayout(model: migration.source, existing: ExistingSchema(tables: inspection.columns))
        var planner = try MigrationPlanner(
            migration.mapping,
            from: try MigrationSource(original, inspection: inspection, model: migration.source, layout: layout),
            of: migration.source, to: migration.destination)
        planner.neededTrees = migration.target.trees
        self.planner = planner
        plan = try planner.plan()
        counts = try Self.counts(original, model: migration.source, layout: layout, path: migration.files.main)
        incoming = try IncomingContent.all(by: planner.map, layout: layout, on: original, files: migration.files)
        try refuseAbstractObjects()
        try refuseLostRecords()
    }

    // MARK: Rows

    /// Returns the number of rows of each entity.
    ///
    /// - Throws: ``CoreDataError`` if rows belong to no entity, because it is undefined how to migrate them.
    static func counts(
        _ connection: StoreConnection, model: CompiledModel, layout: StoreLayout, path: String
    ) throws -> [Int: Int64] {
        var counts: [Int: Int64] = [:]
        for root in MigrationPlanner.roots(of: model) {
            let table = layout.table(of: root)
            var stray: Int64 = 0
            try connection.rows("SELECT Z_ENT, count(*) FROM \(SQLName.quoted(table)) GROUP BY Z_ENT") { row in
                if !row.isNull(0), let number = Int(exactly: row.int64(0)), root.family.contains(number),
                    !model[number].isAbstract
                {
                    counts[number] = row.int64(1)
                } else {
                    stray += row.int64(1)
                }
            }
            guard stray == 0 else {
                throw CoreDataError(
                    NSMigrationError,
                    "The store '\(path)' cannot be migrated: \(stray) rows of its table '\(table)' have an entity that does not belong to the table. Repair the store first. `sworm-tool verify` lists them.",
                    entity: root.name)
            }
        }
        return counts
    }

    private func refuseAbstractObjects() throws {
        let issues = planner.map.pairs.compactMap { pair -> CoreDataError? in
            guard pair.destination.isAbstract, let count = counts[pair.source.number], count > 0 else { return nil }
            return CoreDataError(
                NSMigrationError,
                "'\(pair.destination.name)' is abstract in the new model, and the store has \(count) objects of it",
                entity: pair.destination.name)
        }
        guard !issues.isEmpty else { return }
        throw CoreDataError(
            NSMigrationError,
            "The store '\(migration.files.main)' cannot be migrated: \(issues.map(\.message).joined(separator: "; ")). Move the objects to another entity first, or leave the entity concrete.",
            details: issues)
    }

    /// Throws an error if the change needs the content of external files that are missing.
    func refuseMissingFiles() throws {
        let issues = incoming.compactMap { $0.issue(in: migration.files.main) }
        guard let first = issues.first else { return }
        guard issues.count > 1 else { throw first }
        throw CoreDataError(
            NSMigrationError, issues.map(\.message).joined(separator: " "), entity: first.entity, key: first.key,
            details: issues)
    }

    // MARK: Work

    func run(on copy: StoreFiles) throws -> MigrationReport {
        let connection = try open(copy)
        let before = try connection.externalFiles(migration.source, layout: layout)
        var report = try change(connection)
        unneededFiles = before.subtracting(try connection.externalFiles(migration.destination, layout: planner.layout))
        if !unneededFiles.isEmpty { unneededFiles.subtract(try connection.namedExternalFiles()) }
        try checkCounts(on: connection, report: &report)
        try checkRecords(on: connection)
        try verify(connection, report: &report)
        // A new store uses write-ahead logging, and the file stores this mode.
        try connection.base.setJournalMode(.wal)
        return report
    }

    /// Opens the copy without a journal: a copy that cannot be finished is deleted.
    private func open(_ copy: StoreFiles) throws -> StoreConnection {
        let connection = StoreConnection(
            try Connection(
                .file(path: copy.main),
                options: .init(
                    access: .readWrite, isExclusive: true, cacheSizeKiB: migration.options.cacheSizeKiB,
                    fileSystem: copy.disk.fileSystem)))
        connection.base.watch = migration.options.watch
        try connection.base.setJournalMode(.off)
        try connection.base.execute("PRAGMA synchronous = OFF")
        try StoreFunctions.register(on: connection.base)
        try HistoryTranslation(planner.map, old: layout, new: planner.layout).register(on: connection.base)
        let external = ExternalDataFolder(path: migration.files.externalData)
        try connection.base.addFunction(CellSource.contentFunction, argumentCount: 1, deterministic: false) { call in
            guard !call.isNull(0) else { return .null }
            return try call.withBlob(0) { bytes in
                try bytes.map { .blob(Array(try external.data(of: $0))) } ?? .null
            }
        }
        try connection.base.addFunction(CellSource.inlineFunction, argumentCount: 1, deterministic: true) { call in
            call.withBlob(0) { bytes in
                bytes.map { .blob(Array(ExternalDataFolder.inlineColumn(Data($0)))) } ?? .null
            }
        }
        return connection
    }

    private func change(_ connection: StoreConnection) throws -> MigrationReport {
        var report = MigrationReport()
        let total = plan.changes.count + plan.completion.count
        try connection.trustTrees()
        try connection.base.begin(.immediate)
        if let tables = try HistoryTables(connection, model: migration.source, layout: layout) {
            try EarlierHistory(connection: connection, model: migration.source, tables: tables).renew()
        }
        for (index, statement) in plan.changes.enumerated() {
            try reportProgress(.changing, done: index, of: total)
            try run(statement, on: connection, report: &report)
        }
        try refuseBrokenRules(connection)
        for (index, statement) in plan.completion.enumerated() {
            try reportProgress(.changing, done: plan.changes.count + index, of: total)
            try connection.run(statement.sql, binding: statement.values)
        }
        try derive(connection)
        try connection.base.commit()
        // An object that cannot be recreated must leave nothing behind, such as half an index, so a journal is needed
        // here.
        try connection.base.setJournalMode(.memory)
        try connection.base.begin(.immediate)
        restore(plan.foreign, on: connection, report: &report)
        try removeStaleTrees(on: connection, report: &report)
        report.notes += plan.notes
        try checkReferences(on: connection, report: &report)
        try connection.write(
            try inspection.metadata.migrated(
                to: migration.destination, isMirrored: inspection.mirroringTable != nil))
        try connection.run("DELETE FROM Z_MODELCACHE")
        try connection.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", binding: [.blob(migration.target.cache)])
        // The file only grows until its free pages are released.
        peakSize = try connection.size()
        try connection.base.commit()
        try connection.base.setJournalMode(.off)
        try connection.base.execute("PRAGMA incremental_vacuum")
        try reportProgress(.changing, done: total, of: total)
        return report
    }

    private func run(
        _ statement: MigrationStatement, on connection: StoreConnection, report: inout MigrationReport
    ) throws {
        // Some settings take effect when a statement is compiled, so a cached statement must not be used.
        if statement.sql.hasPrefix("PRAGMA") { return try connection.base.execute(statement.sql) }
        guard let otherwise = statement.otherwise else {
            return try connection.run(statement.sql, binding: statement.values)
        }
        do {
            try connection.run(statement.sql, binding: statement.values)
        } catch let error as SQLiteError where !error.isInterrupt {
            try connection.run(otherwise.sql)
            report.notes.append("\(otherwise.note): \(error.message).")
        }
    }

    func reportProgress(_ phase: MigrationProgress.Phase, done: Int, of total: Int) throws {
        try migration.progress?(MigrationProgress(phase: phase, done: done, total: total))
    }

    /// Computes the derived values that differ in the new model.
    private func derive(_ connection: StoreConnection) throws {
        let all = DerivedAttribute.all(in: migration.destination).compactMap {
            DerivationSQL($0, model: migration.destination, layout: planner.layout)
        }
        // A value may be derived from another one, even of another row. Circular derivations never converge, so the
        // number of passes is limited.
        for _ in 0..<(all.count + 8) {
            var changed = 0
            for sql in all {
                guard let value = sql.value else { continue }
                do {
                    try connection.run(
                        "UPDATE \(sql.table) SET \(sql.column) = \(value) WHERE ((\(sql.column) IS NULL AND \(value) IS NOT NULL) OR \(sql.differs(from: value)))\(sql.restriction)"
                    )
                    changed += connection.base.changes
                } catch let error as SQLiteError where error.isSumOverflow {
                    // An overflowing sum is not an issue of the store; the next save of such an object reports it.
                    continue
                }
            }
            if changed == 0 { return }
        }
    }
}
