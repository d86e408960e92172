#if PostgreSQL
package import Foundation
import SwormPostgres
import SwormPredicates

/// Returns the model that was archived in a store, and the mapping from it to the model of the program.
package typealias ServerModelMapping =
    @Sendable (_ archive: Data) throws -> (
        source: CompiledModel, mapping: ModelMapping
    )

extension ServerMigration {
    /// Plans the migration from the newest version that the tables serve to the model.
    ///
    /// - Throws: ``CoreDataError`` if the version was retired, if the store's model is not known, or if no mapping between the
    ///   two models can be inferred.
    func plan(_ catalog: ServerCatalog, _ record: ServerRecord) throws -> ServerMigrationPlan {
        let (model, place) = (opening.model, opening.serverOptions.place)
        guard !record.migration.retired.contains(VersionHash.digest(of: model.versionHashes)) else {
            throw CoreDataError(
                NSPersistentStoreIncompatibleVersionHashError,
                "The store '\(place)' has been migrated to a later version of the model, and does not serve the older version of this program any more. Use a program with the later version.",
                condition: .schemaDiffers)
        }
        guard let archive = record.model, let mapping = opening.options.serverMapping, model.storeHashes == nil else {
            throw differences(record)
                ?? CoreDataError(NSPersistentStoreIncompatibleVersionHashError, "The store '\(place)' differs.")
        }
        let (source, inferred) = try mapping(archive)
        guard source.versionHashes == record.currentHashes else {
            throw CoreDataError(
                NSMigrationMissingSourceModelError,
                "The store '\(place)' was written with another model, and cannot be migrated without it: the copy in the store is that of another version. Open the store once with a program that has the model.",
                condition: .schemaDiffers)
        }
        let names = record.names
        return try ServerMigrationPlanner.plan(
            ServerMigrationPlanner.Input(
                mapping: inferred, source: source, destination: model, names: names, state: record.migration,
                schema: opening.serverOptions.schema,
                storesSeconds: { attribute in
                    let entity = source[attribute.owner]
                    let table = names.tables[source[entity.root].name]
                    let column = names.columns[PostgresNames.property(attribute.name, of: entity.name)]
                    guard let table, let column else { return false }
                    return catalog.columns[table]?[column]?.type == "double precision"
                }, storesNewSeconds: opening.serverOptions.dates == .doubles),
            allowing: opening.serverOptions.changes)
    }

    /// The error that lists the differences between the models.
    func differences(_ record: ServerRecord) -> CoreDataError? {
        ServerVersionCheck(model: opening.model, record: record).error(place: opening.serverOptions.place)
    }

    /// Returns the reason for which the options do not allow a plan; nil if it can be carried out.
    func refusal(_ plan: ServerMigrationPlan, of record: ServerRecord) -> CoreDataError? {
        let place = opening.serverOptions.place
        let list = plan.obstacles.map { "\n- \($0.text)" }.joined()
        let details = plan.obstacles.map {
            CoreDataError(NSMigrationError, $0.text, entity: $0.entity, key: $0.property)
        }
        if !plan.obstacles.isEmpty, plan.keepsOlderVersions, opening.serverOptions.changes != .all {
            return CoreDataError(
                NSMigrationError,
                "The store '\(place)' cannot be migrated while programs with the older model use it:\(list)\nOpen it once with the changes `all`, which serve the new version only, or migrate it with 'sworm-tool migrate --all'.",
                details: details, condition: .schemaDiffers)
        }
        if !plan.obstacles.isEmpty {
            return CoreDataError(
                NSMigrationError,
                "The store '\(place)' cannot be migrated by changes of its tables:\(list)\nCopy it into a file with 'sworm-tool copy', migrate the file, and copy that to a new schema.",
                details: details, condition: .schemaDiffers)
        }
        guard opening.serverOptions.changes == .never else { return nil }
        let prefix = SQLName.alwaysQuoted(opening.serverOptions.schema) + "."
        let sql = plan.sql(in: prefix).map { "\n\($0);" }.joined()
        let difference = differences(record)
        return CoreDataError(
            NSPersistentStoreIncompatibleVersionHashError,
            "\(difference?.message ?? "The store '\(place)' was written with another model.") The options allow no changes. The migration would run this SQL, and note the new version:\(sql.isEmpty ? "\n(no statement)" : sql)\nRun 'sworm-tool migrate', or open the store once with options that allow the changes.",
            details: difference?.details ?? [], condition: .schemaDiffers)
    }
}
#endif
