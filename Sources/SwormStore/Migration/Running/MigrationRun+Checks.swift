import SwormSQLite

extension MigrationRun {
    /// Verifies that the numbers of objects in the copy match those of the store.
    func checkCounts(on connection: StoreConnection, report: inout MigrationReport) throws {
        let found = try Self.counts(
            connection, model: migration.destination, layout: planner.layout, path: migration.files.main)
        var expected: [Int: Int64] = [:]
        for entity in migration.source.entities where !entity.isAbstract {
            let destination = planner.map.destination(of: entity.number)
            let count = counts[entity.number] ?? 0
            report.entities.append(
                .init(
                    destination: destination.map { migration.destination[$0].name }, source: entity.name, count: count))
            if let destination, count > 0 { expected[destination, default: 0] += count }
        }
        guard found == expected else {
            throw StoreMigration.unsound(
                migration.files.main, issues: ["the numbers of objects differ from those of the store"])
        }
    }

    /// Verifies the copy by the rules of the file format.
    func verify(_ connection: StoreConnection, report: inout MigrationReport) throws {
        let path = migration.files.main
        let now = try StoreInspection(connection, path: path)
        try now.check(against: migration.destination, path: path)
        let layout = try StoreLayout(
            model: migration.destination, existing: ExistingSchema(tables: now.columns))
        let findings = try StoreVerification.findings(
            connection, metadata: now.metadata, model: migration.destination, layout: layout, files: migration.files
        ) { try self.reportProgress(.verifying, done: $0, of: $1) }
        let issues = findings.filter { $0.severity == .error }
        report.notes += issues.filter(\.isRuleOfModel).map(\.message)
        let grave = StoreVerification.grave(issues)
        guard !grave.isEmpty else { return }
        try StoreFunctions.register(on: original.base)
        let before = try StoreVerification.findings(
            original, metadata: inspection.metadata, model: migration.source, layout: self.layout,
            files: migration.files)
        let new = StoreVerification.grave(grave, beyond: before)
        report.notes += grave.map(\.message)
        guard new.isEmpty else { throw StoreMigration.unsound(path, issues: new.map(\.message).sorted()) }
    }
}
