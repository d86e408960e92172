#if PostgreSQL && !canImport(CoreData)
import OpenCoreData
import SwormStore

extension StoreLocation {
    /// Returns the location of a store on a PostgreSQL server, in a schema of a database.
    ///
    /// ```swift
    /// let store = try PersistentContainer(for: Book.self, at: .postgres("postgres://shop@db.example.org/shop?schema=shop"))
    /// ```
    /// Connections to a host are encrypted, and the server's certificate is verified, unless the address says otherwise
    /// (`sslmode`). The parameters of libpq are accepted, and besides these `schema`, `connections`, `pooler`,
    /// `statement_timeout`, `lock_timeout`, `idle_in_transaction_session_timeout` and `write_timeout`. A password in the address never
    /// appears in a message, but is better returned by the closure of a ``PostgresConfiguration``.
    ///
    /// - Parameter address: A URI, or a list of parameters such as `host=db user=shop dbname=shop`. If it cannot be read,
    ///   opening the store throws an error.
    public static func postgres(_ address: String) -> StoreLocation {
        let options = Result { try PostgresOptions(address) }
        return server { try options.get() }
    }

    /// Returns the location of a store on a PostgreSQL server, in a schema of a database.
    ///
    /// - Parameter configuration: The address of the server and the way to connect to it.
    public static func postgres(_ configuration: PostgresConfiguration) -> StoreLocation {
        server(isReadOnly: configuration.isReadOnly, keepsHistory: configuration.history.isKept) {
            try configuration.options()
        }
    }

    private static func server(
        isReadOnly: Bool = false, keepsHistory: Bool = false,
        _ options: @escaping @Sendable () throws -> PostgresOptions
    ) -> StoreLocation {
        let place = (try? options())?.place ?? "a server whose address cannot be read"
        return StoreLocation(
            .server(
                ServerLocation(description: place, isReadOnly: isReadOnly) {
                    let options = try options()
                    var opening = StoreOpening(
                        type: SwormPostgreSQLStoreType, url: options.url,
                        options: [SwormPostgresOptionsOption: PostgresOptionsBox(options)])
                    if keepsHistory { opening.options.merge(OpeningOptions.history) { $1 } }
                    return opening
                }))
    }
}
#endif
