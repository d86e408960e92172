#if PostgreSQL
import Foundation
import SwormPostgres

extension StoreKind {
    /// Stores in schemas of databases on PostgreSQL servers.
    static let postgres = StoreKind(
        type: SwormPostgreSQLStoreType, hasURL: true,
        // Opening a store finds out, in the same trip to the server.
        isMissing: { _ in true },
        open: { url, model, options in
            try ServerOpening(model: model, options: options, serverOptions: serverOptions(url, options: options))
                .store()
        },
        metadata: { try StoreOnServer(serverOptions($0, options: $1), options: $1).metadata() },
        setMetadata: { try StoreOnServer(serverOptions($0, options: $2), options: $2).setMetadata($1) },
        // A store of another model is rejected when it is opened.
        outdatedVersion: { _, _, _ in nil },
        migrate: { throw unsupported("migrated", url: $0.url) },
        copy: { store, url, options in
            let server = try serverOptions(url, options: options)
            _ = try StoreCopying.copy(store, to: server, options: options)
            return try ServerOpening(model: store.model, options: options, serverOptions: server).store()
        },
        destroy: { try StoreOnServer(serverOptions($0, options: $1), options: $1).destroy(isForced: $2) },
        replace: { url, _, _ in throw unsupported("replaced", url: url) },
        shownURL: { try PostgresOptions(url: $0).url },
        migrationPlan: { url, model, options in
            let opening = try ServerOpening(
                model: model, options: options, serverOptions: serverOptions(url, options: options))
            return try opening.closing { try opening.migrationPlan() }
        })

    private static func serverOptions(_ url: URL, options: StoreOptions) throws -> PostgresOptions {
        try options.postgres ?? PostgresOptions(url: url)
    }

    private static func unsupported(_ action: String, url: URL) -> CoreDataError {
        let place = (try? PostgresOptions(url: url))?.place ?? "on a server"
        return CoreDataError(
            NSPersistentStoreInvalidTypeError,
            "The store '\(place)' cannot be \(action): this version of Sworm does so only for stores in files. Copy its objects instead.",
            condition: .unsupported)
    }
}
#endif
