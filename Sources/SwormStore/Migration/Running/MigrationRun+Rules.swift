import SwormSQLite

extension MigrationRun {
    /// Throws an error if rows violate a rule of the new model: duplicate values, which are checked before the creation
    /// of an index would stop at the first one, and objects with too few links.
    func refuseBrokenRules(_ connection: StoreConnection) throws {
        clashes = try findClashes(connection)
        lacks = try findLacks(connection)
        guard !clashes.isEmpty || !lacks.isEmpty else { return }
        peakSize = try connection.size()
        var ways: [String] = []
        if !clashes.isEmpty { ways.append("Merge or change these objects first, or omit the constraint.") }
        if !lacks.isEmpty {
            ways.append("Set the relationship of these objects first, or leave it optional.")
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
            "The store '\(migration.files.main)' cannot be migrated: \(details.map(\.message).joined(separator: "; ")). \(ways.joined(separator: " ")) Nothing was changed.",
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

    /// Returns the objects that have too few links, but had enough of them according to the old model.
    private func findLacks(_ connection: StoreConnection) throws -> [MigrationLack] {
        var lacks: [MigrationLack] = []
        for entity in migration.destination.entities where !entity.isAbstract {
            let pairs = planner.map.pairs.filter {
                $0.destination.number == entity.number && counts[$0.source.number] ?? 0 > 0
            }
            guard !pairs.isEmpty else { continue }
            for (slot, relationship) in entity.relationships.enumerated() {
                let count = try Self.lacking(
                    slot, of: entity, in: migration.destination, layout: planner.layout, on: connection)
                guard count > 0 else { continue }
                // An issue that already existed is no reason to retain an old model.
                let before = try pairs.map { pair in
                    try pair.relationships[slot].map {
                        try Self.lacking($0, of: pair.source, in: migration.source, layout: layout, on: original)
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

    /// Returns the number of objects of an entity that have fewer links than a relationship requires.
    private static func lacking(
        _ slot: Int, of entity: CompiledEntity, in model: CompiledModel, layout: StoreLayout,
        on connection: StoreConnection
    ) throws -> Int64 {
        let relationship = entity.relationships[slot]
        guard !relationship.isTransient else { return 0 }
        let own = "SELECT count(*) FROM \(SQLName.quoted(layout.table(of: entity))) WHERE Z_ENT = \(entity.number)"
        if !relationship.isToMany {
            guard !relationship.isOptional, let column = layout.toOne(slot, in: entity.number)?.column else { return 0 }
            return try connection.integer("\(own) AND \(SQLName.quoted(column)) IS NULL") ?? 0
        }
        // An optional relationship may be empty, but not have too few objects. Core Data migrates a required
        // relationship without a minimum count even if it is empty, so this does too.
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

/// Values that must be unique in the new model, but belong to several objects.
struct MigrationClash {
    var entity: String
    var properties: String
    /// The number of such values.
    var values: Int64

    var message: String {
        "'\(entity)' must be unique by \(properties) in the new model, and \(values == 1 ? "1 value is" : "\(values) values are") shared by several objects"
    }
}

/// Objects that would have fewer links than the new model requires.
struct MigrationLack {
    var entity: String
    var relationship: String
    var isToMany: Bool
    var minimum: Int
    /// The number of such objects.
    var count: Int64

    var message: String {
        let objects = "\(count == 1 ? "1 object" : "\(count) objects") of '\(entity)'"
        guard isToMany else {
            return "'\(entity).\(relationship)' is required in the new model, and has no value in \(objects)"
        }
        return
            "'\(entity).\(relationship)' needs at least \(minimum) \(minimum == 1 ? "object" : "objects") in the new model, and has fewer in \(objects)"
    }
}
