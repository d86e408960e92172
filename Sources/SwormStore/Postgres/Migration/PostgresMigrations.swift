#if PostgreSQL
package import Foundation
import SwormPostgres

/// The migrations of stores on servers that no program has open, for tools.
package enum PostgresMigrations {
    /// Returns the statements that migrate a store to a model, in their order, and do the work that is left.
    package static func plan(
        _ server: PostgresOptions, model: CompiledModel, options: StoreOptions
    ) throws -> [String] {
        let opening = try ServerOpening(model: model, options: options, serverOptions: server)
        return try opening.closing { try opening.migrationPlan() }
    }

    /// Migrates a store to a model, and does the work that is left.
    ///
    /// - Throws: ``CoreDataError`` if there is no store, if the options do not allow the changes, or with the steps of the work
    ///   that failed.
    package static func run(_ server: PostgresOptions, model: CompiledModel, options: StoreOptions) throws {
        var options = options
        options.createsMissingFile = false
        let store = try ServerOpening(model: model, options: options, serverOptions: server).store()
        defer { store.close() }
        try store.migrate()
    }

    /// Returns the statements that remove what older versions of the model have left in a store.
    package static func contractPlan(_ server: PostgresOptions, options: StoreOptions) throws -> [String] {
        try ServerContract(server, options: options).plan()
    }

    /// Removes what older versions of the model have left in a store. Programs with these versions cannot use it afterwards.
    ///
    /// - Returns: The statements that were run.
    package static func contract(_ server: PostgresOptions, options: StoreOptions) throws -> [String] {
        try ServerContract(server, options: options).run()
    }

    /// Returns the archived model of a store, and the version hashes of the newest version that its tables serve.
    package static func model(
        of server: PostgresOptions, options: StoreOptions
    ) throws -> (archive: Data?, hashes: [String: Data]) {
        let opening = try ServerOpening(
            model: CompiledModel(entities: []), options: options, serverOptions: server)
        return try opening.closing {
            try opening.withConnection(while: "read") { connection in
                guard let record = try opening.look(connection).record else {
                    throw CoreDataError(
                        CocoaError.Code.fileReadNoSuchFile.rawValue, "There is no store at \(server.place).")
                }
                return (record.model, record.currentHashes)
            }
        }
    }
}

extension PostgresOptions {
    /// Opens the store that has a version of the model, or creates it if the options allow that.
    package func open(_ model: CompiledModel, options: StoreOptions) throws -> any ObjectStore {
        try ServerOpening(model: model, options: options, serverOptions: self).store()
    }
}
#endif
