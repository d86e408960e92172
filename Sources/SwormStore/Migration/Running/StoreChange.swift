package import Foundation
import SwormSQLite

/// The changes of one copy of a store: planned before anything is written, then carried out, then checked.
package final class StoreChange {
    package let migration: StoreMigration
    let inspection: StoreInspection
    package let layout: StoreLayout
    let original: StoreConnection
    package let planner: MigrationPlanner
    let plan: MigrationPlan
    /// How many rows each entity of the source has.
    package let counts: [Int: Int64]
    /// The external files whose content comes into the tables.
    let incoming: [IncomingContent]
    /// The external files that no value names any more.
    package private(set) var unneededFiles: Set<UUID> = []
    /// What is to be unique and is not.
    package var clashes: [MigrationClash] = []
    /// Who is to lead to more others than he does.
    package var lacks: [MigrationLack] = []
    /// The size of the copy in bytes when it was largest.
    package var peakSize: Int64 = 0

    /// - Parameter original: The file as it is, which nobody writes meanwhile.
    package init(_ migration: StoreMigration, _ inspection: StoreInspection, _ original: StoreConnection) throws {
        self.migration = migration
        self.inspection = inspection
        self.original = original
        try inspection.check(against: migration.source, path: migration.files.main)
        layout = try StoreLayout(model: migration.source, existing: ExistingSchema(tables: inspection.columns))
        var planner = try MigrationPlanner(
            migration.mapping,
            from: try MigrationSource(original, inspection, model: migration.source, layout: layout),
            of: migration.source, to: migration.destination)
        planner.neededTrees = migration.target.trees
        self.planner = planner
        plan = try planner.plan()
        counts = try Self.counts(original, model: migration.source, layout: layout, path: migration.files.main)
        incoming = try IncomingContent.all(planner.map, layout, original, migration.files)
        try refuseAbstractObjects()
    }

    // MARK: Rows

    /// Counts the rows of each entity.
    ///
    /// - Throws: ``CoreDataError`` for rows of no entity: nobody could say what becomes of them.
    package static func counts(
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
                    "The store “\(path)” cannot be migrated: \(stray) rows of its table \(table) are of no entity that can have objects there, so nobody can say what becomes of them. Mend the store first: sworm-tool verify finds them.",
                    entity: root.name)
            }
        }
        return counts
    }

    private func refuseAbstractObjects() throws {
        let faults = planner.map.pairs.compactMap { pair -> CoreDataError? in
            guard pair.destination.isAbstract, let count = counts[pair.source.number], count > 0 else { return nil }
            return CoreDataError(
                NSMigrationError,
                "“\(pair.destination.name)” is abstract in the new model, and there are \(count) objects of it",
                entity: pair.destination.name)
        }
        guard !faults.isEmpty else { return }
        throw CoreDataError(
            NSMigrationError,
            "The store “\(migration.files.main)” cannot be migrated: \(faults.map(\.message).joined(separator: "; ")). Make the objects those of another entity before, or leave the entity concrete.",
            details: faults)
    }

    /// Refuses what would need the content of files that are not there.
    package func refuseMissingFiles() throws {
        let faults = incoming.compactMap { $0.fault(in: migration.files.main) }
        guard let first = faults.first else { return }
        guard faults.count > 1 else { throw first }
        throw CoreDataError(
            NSMigrationError, faults.map(\.message).joined(separator: " "), entity: first.entity, key: first.key,
            details: faults)
    }

    // MARK: Work

    package func run(on copy: StoreFiles) throws -> MigrationReport {
        let connection = try open(copy)
        let before = try connection.externalFiles(migration.source, layout)
        var report = try change(connection)
        unneededFiles = before.subtracting(try connection.externalFiles(migration.destination, planner.layout))
        try checkCounts(connection, &report)
        try verify(connection, &report)
        // A new store is in this mode, and the mode stands in the file.
        try connection.base.setJournalMode(.wal)
        return report
    }

    /// The copy needs no journal: when it cannot be finished, it is thrown away.
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
            try tell(.changing, index, total)
            try run(statement, connection, &report)
        }
        try refuseBrokenRules(connection)
        for (index, statement) in plan.completion.enumerated() {
            try tell(.changing, plan.changes.count + index, total)
            try connection.run(statement.sql, statement.values)
        }
        try derive(connection)
        try connection.base.commit()
        // What cannot be made again must leave nothing behind, such as half an index, so here a journal is needed.
        try connection.base.setJournalMode(.memory)
        try connection.base.begin(.immediate)
        restore(plan.foreign, connection, &report)
        try removeStaleTrees(connection, &report)
        report.notes += plan.notes
        try checkReferences(connection, &report)
        try connection.write(try inspection.metadata.migrated(to: migration.destination))
        try connection.run("DELETE FROM Z_MODELCACHE")
        try connection.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.blob(migration.target.cache)])
        // Until the free pages are given back, the file only grows.
        peakSize = try connection.size()
        try connection.base.commit()
        try connection.base.setJournalMode(.off)
        try connection.base.execute("PRAGMA incremental_vacuum")
        try tell(.changing, total, total)
        return report
    }

    private func run(
        _ statement: MigrationStatement, _ connection: StoreConnection, _ report: inout MigrationReport
    ) throws {
        // Some settings are made when a statement is compiled, so it must not be one from before.
        if statement.sql.hasPrefix("PRAGMA") { return try connection.base.execute(statement.sql) }
        guard let otherwise = statement.otherwise else { return try connection.run(statement.sql, statement.values) }
        do {
            try connection.run(statement.sql, statement.values)
        } catch let error as SQLiteError where !error.isInterrupt {
            try connection.run(otherwise.sql)
            report.notes.append("\(otherwise.note): \(error.message).")
        }
    }

    func tell(_ phase: MigrationProgress.Phase, _ done: Int, _ total: Int) throws {
        try migration.progress?(MigrationProgress(phase: phase, done: done, total: total))
    }

    /// Works out the derived values that the new model has others of.
    private func derive(_ connection: StoreConnection) throws {
        let all = DerivedAttribute.all(in: migration.destination).compactMap {
            DerivationSQL($0, model: migration.destination, layout: planner.layout)
        }
        // One may be worked out from another, also of another row. Circles never come to rest, so there is an end to it.
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
                    // A sum that does not fit is none of the store's; the next save of such an object tells it.
                    continue
                }
            }
            if changed == 0 { return }
        }
    }
}
