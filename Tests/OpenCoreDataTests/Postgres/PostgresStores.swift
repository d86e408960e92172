#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport

@testable import OpenCoreData
@testable import SwormStore

/// Stores on the server that all tests share. Each has a schema of its own, and is closed when it is no longer used.
enum PostgresStores {
    /// Returns the options of a store in a new schema.
    static func options() throws -> PostgresOptions {
        let server = try PostgresServer.shared()
        return try options(schema: server.newSchema())
    }

    /// Returns the options of a store in a schema.
    static func options(schema: String, database: String = "postgres") throws -> PostgresOptions {
        let entrance = try PostgresServer.shared().entrance()
        return try PostgresOptions(entrance.address(database: database, "schema=\(schema)"))
    }

    /// Opens a store, in a new schema unless the options name one.
    static func store(
        of model: CompiledModel, at server: PostgresOptions? = nil, _ options: StoreOptions = StoreOptions()
    ) throws -> PostgresStore {
        try ServerOpening(model: model, options: options, serverOptions: server ?? self.options()).store()
    }

    /// Opens a coordinator with one store, in a new schema unless the options name one.
    static func coordinator(
        of model: NSManagedObjectModel, at server: PostgresOptions? = nil, options: [AnyHashable: Any] = [:]
    ) throws -> NSPersistentStoreCoordinator {
        let server = try server ?? self.options()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .postgreSQL, at: server.url,
            options: options.merging([SwormPostgresOptionsOption: PostgresOptionsBox(server)]) { $1 })
        return coordinator
    }

    /// Creates a user to whom the policies of a store's tables apply, and returns the options with which the user opens the store.
    static func user(of store: PostgresStore) throws -> PostgresOptions {
        var options = store.serverOptions
        let role = "user_of_\(options.schema)"
        try run("CREATE ROLE \(role) LOGIN")
        try run("GRANT USAGE ON SCHEMA \(options.schema) TO \(role)")
        for objects in ["TABLES", "SEQUENCES"] {
            try run("GRANT ALL ON ALL \(objects) IN SCHEMA \(options.schema) TO \(role)")
        }
        options.address.user = role
        return options
    }

    /// Runs a statement with a connection of its own to the server, and returns the first column of its rows as strings.
    @discardableResult
    static func run(_ sql: String, database: String = "postgres") throws -> [String?] {
        let server = try PostgresServer.shared()
        let connection = try PostgresConnection.open(
            PostgresAddress(
                hosts: [.init(server.folder.path, port: server.port)], database: database, user: server.user))
        let result = try connection.run(sql)
        guard result.columnCount > 0 else { return [] }
        return try (0..<result.rowCount).map { row in
            result.type(ofColumn: 0) == .text
                ? try result.string(row, column: 0) : try result.int64(row, column: 0).map(String.init)
        }
    }
}
#endif
