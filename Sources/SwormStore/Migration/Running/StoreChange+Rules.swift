import SwormSQLite

extension StoreChange {
    /// Refuses rows that break a rule of the new model: those that are equal, before an index would stop at the first of
    /// them, and those that lead to too few others.
    func refuseBrokenRules(_ connection: StoreConnection) throws {
        clashes = try findClashes(connection)
        lacks = try findLacks(connection)
        guard !clashes.isEmpty || !lacks.isEmpty else { return }
        peakSize = try connection.size()
        var ways: [String] = []
        if !clashes.isEmpty { ways.append("Merge or change these objects first, or leave the constraint out.") }
        if !lacks.isEmpty {
            ways.append("Give these objects what they are to lead to first, or leave the relationship optional.")
        }
        let details =
            clashes.map {
                CoreDataError(
                    NSManagedObjectConstraintMergeError, $0.message, entity: $0.entity, key: $0.properties)
            }
            + lacks.map {
                CoreDataError(
                    $0.isToMany
                        ? NSValidationRelationshipLacksMinimumCountError : NSValidationMissingMandatoryPropertyError,
                    $0.message, entity: $0.entity, key: $0.relationship)
            }
        throw CoreDataError(
            NSMigrationError,
            "The store “\(migration.files.main)” cannot be migrated: \(details.map(\.message).joined(separator: "; ")). \(ways.joined(separator: " ")) Nothing was changed.",
            details: details)
    }

    private func findClashes(_ connection: StoreConnection) throws -> [MigrationClash] {
        try plan.uniqueIndexes.compactMap { index in
            guard let constraint = index.constraint else { return nil }
            let columns = constraint.columns.map { SQLName.quoted($0) }
            let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            let count = try connection.integer(
                "SELECT count(*) FROM (SELECT 1 FROM \(SQLName.quoted(index.table)) WHERE \(present) GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1)"
            )
            guard let count, count > 0 else { return nil }
            return MigrationClash(
                entity: constraint.entity, properties: constraint.properties.joined(separator: ", "), values: count)
        }
    }

    /// Counts the objects with too few links that had enough of them by the old model.
    private func findLacks(_ connection: StoreConnection) throws -> [MigrationLack] {
        var lacks: [MigrationLack] = []
        for entity in migration.destination.entities where !entity.isAbstract {
            let pairs = planner.map.pairs.filter {
                $0.destination.number == entity.number && counts[$0.source.number] ?? 0 > 0
            }
            guard !pairs.isEmpty else { continue }
            for (slot, relationship) in entity.relationships.enumerated() {
                let count = try Self.lacking(slot, entity, migration.destination, planner.layout, connection)
                guard count > 0 else { continue }
                // What was wrong before is no reason to keep an old model.
                let before = try pairs.map { pair in
                    try pair.relationships[slot].map {
                        try Self.lacking($0, pair.source, migration.source, layout, original)
                    } ?? 0
                }.reduce(0, +)
                guard count > before else { continue }
                lacks.append(
                    MigrationLack(
                        entity: entity.name, relationship: relationship.name, isToMany: relationship.isToMany,
                        minimum: relationship.minCount, count: count - before))
            }
        }
        return lacks
    }

    /// How many objects of an entity lead to fewer others than a relationship demands.
    private static func lacking(
        _ slot: Int, _ entity: CompiledEntity, _ model: CompiledModel, _ layout: StoreLayout,
        _ connection: StoreConnection
    ) throws -> Int64 {
        let relationship = entity.relationships[slot]
        guard !relationship.isTransient else { return 0 }
        let own = "SELECT count(*) FROM \(SQLName.quoted(layout.table(of: entity))) WHERE Z_ENT = \(entity.number)"
        if !relationship.isToMany {
            guard !relationship.isOptional, let column = layout.toOne(slot, in: entity.number)?.column else { return 0 }
            return try connection.integer("\(own) AND \(SQLName.quoted(column)) IS NULL") ?? 0
        }
        // An optional relationship may lead to none, but not to too few. A required one without a minimum is migrated by
        // Core Data whatever it leads to, so it is here.
        let minimum = relationship.minCount
        guard minimum > (relationship.isOptional ? 1 : 0), let links = layout.links(of: slot, in: entity, model) else {
            return 0
        }
        let owners = "SELECT O FROM (\(links)) GROUP BY O HAVING count(*)"
        return try connection.integer(
            relationship.isOptional
                ? "\(own) AND Z_PK IN (\(owners) < \(minimum))" : "\(own) AND Z_PK NOT IN (\(owners) >= \(minimum))"
        ) ?? 0
    }
}

/// Values that the new model wants to be those of one object, and that several have.
package struct MigrationClash {
    package var entity: String
    package var properties: String
    /// How many such values there are.
    package var values: Int64

    package var message: String {
        "“\(entity)” is to be unique by \(properties), and \(values) values of that are those of several objects"
    }
}

/// Objects that would lead to fewer others than the new model demands.
package struct MigrationLack {
    package var entity: String
    package var relationship: String
    var isToMany: Bool
    var minimum: Int
    /// How many such objects there are.
    package var count: Int64

    package var message: String {
        let objects = "\(count == 1 ? "1 object" : "\(count) objects") of “\(entity)”"
        guard isToMany else {
            return "“\(entity).\(relationship)” is required in the new model, and \(objects) would lead to none"
        }
        return
            "“\(entity).\(relationship)” is to lead to at least \(minimum) in the new model, and \(objects) would lead to fewer"
    }
}
