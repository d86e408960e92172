import SwormSQLite

// A store that is mirrored to CloudKit has a record for each object. The records identify the objects by the numbers of
// their entities and by their keys.
extension MigrationRun {
    /// Throws an error if records would be left without the entity of their objects.
    func refuseLostRecords() throws {
        var issues: [CoreDataError] = []
        for table in planner.mirroringTables { issues += try lostRecords(in: table) }
        guard !issues.isEmpty else { return }
        throw CoreDataError(
            NSMigrationError,
            "The store '\(migration.files.main)' is mirrored to CloudKit and cannot be migrated: \(issues.map(\.message).joined(separator: "; ")). CloudKit keeps the records of an entity that a model no longer has, and Core Data cannot assign them to anything. Leave the entity in the model, or let the app delete its objects and upload the deletions first. Nothing was changed.",
            details: issues)
    }

    private func lostRecords(in table: String) throws -> [CoreDataError] {
        var issues: [CoreDataError] = []
        try original.rows(
            "SELECT ZENTITYID, count(*) FROM \(SQLName.alwaysQuoted(table)) WHERE typeof(ZENTITYID) = 'integer' GROUP BY 1 ORDER BY 1"
        ) { row in
            let (number, count) = (row.int64(0), row.int64(1))
            let rows = count == 1 ? "1 row belongs" : "\(count) rows belong"
            guard let entity = migration.source.entity(numbered: number) else {
                // A number that no entity gets means as little afterwards as before.
                guard let heir = migration.destination.entity(numbered: number) else { return }
                issues.append(
                    CoreDataError(
                        NSMigrationError,
                        "in the table '\(table)', \(rows) to no entity of the store, and the number \(number) would be that of '\(heir.name)'"
                    ))
                return
            }
            guard planner.map.destination(of: entity.number) == nil else { return }
            issues.append(
                CoreDataError(
                    NSMigrationError,
                    "the new model has no entity for '\(entity.name)', to which \(rows) in the table '\(table)'",
                    entity: entity.name))
        }
        return issues
    }

    /// Verifies that as many objects have a record as before.
    func checkRecords(on connection: StoreConnection) throws {
        let identifier = inspection.metadata.identifier
        guard let before = try MirroringReader(original, identifier: identifier),
            let after = try MirroringReader(connection, identifier: identifier)
        else { return }
        var expected: [Int64: Int64] = [:]
        for entity in try before.count(MirroredEntity.all(migration.source, layout: layout)).entities {
            guard let destination = Int(exactly: entity.number).flatMap({ planner.map.destination(of: $0) }) else {
                continue
            }
            expected[Int64(destination), default: 0] += entity.pairs
        }
        let found = try after.count(MirroredEntity.all(migration.destination, layout: planner.layout)).entities
        let differing = found.filter { $0.pairs != expected[$0.number] ?? 0 }
        guard differing.isEmpty else {
            throw StoreMigration.unsound(
                migration.files.main,
                issues: differing.map { "the objects of '\($0.name)' that have records differ from those of the store" }
            )
        }
    }
}

extension MirroringReport.Entity {
    /// The number of records that belong to a row.
    fileprivate var pairs: Int64 { (records ?? 0) - (recordsWithoutRow ?? records ?? 0) }
}
