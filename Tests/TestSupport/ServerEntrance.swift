#if PostgreSQL
import Foundation

/// The socket by which the stores of the tests reach a server.
///
/// With `SWORM_POSTGRES_POOLER=1`, all stores connect through a pgbouncer that assigns the connections of the server to
/// transactions. Statements that tests run past a store still go to the server itself.
package struct ServerEntrance: Sendable {
    /// Whether stores connect through a pooler.
    package static let arePooled = ProcessInfo.processInfo.environment["SWORM_POSTGRES_POOLER"] == "1"

    /// The folder of the socket.
    package let folder: String
    package let port: Int

    /// The address of a database in the keyword form.
    ///
    /// - Parameters:
    ///   - more: Further parameters, such as the schema.
    package func address(database: String = "postgres", user: String = "postgres", _ more: String) -> String {
        let pooler = Self.arePooled ? " pooler=transaction" : ""
        return "host=\(folder) port=\(port) user=\(user) dbname=\(database)\(pooler) \(more)"
    }

    /// The address of a schema as a URI.
    package func uri(schema: String, user: String = "postgres") -> String {
        let host = folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let pooler = Self.arePooled ? "&pooler=transaction" : ""
        return "postgres://\(user)@\(host):\(port)/postgres?schema=\(schema)\(pooler)"
    }
}

/// The pooler of a server, which is started when it is first needed.
///
/// @unchecked: the pooler is accessed only while the lock is held.
final class PoolerOfServer: @unchecked Sendable {
    private let lock = NSLock()
    private var pooler: TestPooler?

    /// More clients and connections than the tests of one process use at the same time.
    private static let settings = [
        "default_pool_size": "120", "max_client_conn": "2000", "server_idle_timeout": "5",
        "ignore_startup_parameters": "options",
    ]

    func started(for server: PostgresServer) throws -> TestPooler {
        try lock.withLock {
            if let pooler { return pooler }
            let new = try TestPooler(of: server, settings: Self.settings)
            pooler = new
            return new
        }
    }

    func stop() { lock.withLock { pooler }?.stop() }
}
#endif
