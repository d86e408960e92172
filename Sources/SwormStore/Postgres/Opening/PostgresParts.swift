#if PostgreSQL
import SwormPostgres

/// The parts of an address, as programs write them.
package struct PostgresParts: Sendable {
    var host: String
    var port: Int?
    var database: String
    var user: String?
    var password: (@Sendable () throws -> String)?
    var schema: String
    var connections: Int
    /// Whether connections lead to a pooler that assigns them to transactions.
    var isPooled: Bool
    /// The encryption by libpq's name.
    var tls: String?
    var timeouts: PostgresAddress.Timeouts

    package init(
        host: String, port: Int?, database: String, user: String?, password: (@Sendable () throws -> String)?,
        schema: String, connections: Int, isPooled: Bool, tls: String?, connectionTimeout: Duration?,
        statementTimeout: Duration?, lockTimeout: Duration?, idleTimeout: Duration?, writeTimeout: Duration?
    ) {
        self.host = host
        self.port = port
        self.database = database
        self.user = user
        self.password = password
        self.schema = schema
        self.connections = connections
        self.isPooled = isPooled
        self.tls = tls
        timeouts = PostgresAddress.Timeouts(
            connection: connectionTimeout, statement: statementTimeout, lock: lockTimeout, idle: idleTimeout,
            write: writeTimeout)
    }
}

extension PostgresOptions {
    /// Creates the options of a store from the parts of its address.
    ///
    /// - Throws: ``CoreDataError`` that names a part that no server can have.
    package init(_ parts: PostgresParts) throws {
        func check(_ condition: Bool, otherwise reason: String) throws {
            guard condition else {
                throw CoreDataError(NSPersistentStoreOpenError, "The address of the server cannot be used: \(reason).")
            }
        }
        let isPath = parts.host.hasPrefix("/") || parts.host.hasPrefix("@")
        // libpq would read a list of hosts.
        try check(
            parts.host.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ",") || isPath && $0 == 0x20 },
            otherwise: "the host contains characters that no host has")
        try check(
            parts.port.map { (1...65_535).contains($0) } ?? true, otherwise: "the port is not a number from 1 to 65535")
        try check(parts.connections > 0, otherwise: "at least one connection is needed")
        try check(!parts.database.isEmpty, otherwise: "the name of the database is empty")
        var address = PostgresAddress(
            hosts: [PostgresAddress.Host(parts.host, port: parts.port)], database: parts.database, user: parts.user,
            password: parts.password.map { .asked($0) } ?? .standard)
        address.schema = parts.schema
        address.connections = parts.connections
        address.pooler = parts.isPooled ? .transaction : .none
        address.tls = parts.tls.flatMap { PostgresAddress.TLSMode(rawValue: $0) }
        address.timeouts = parts.timeouts
        self.init(address: address, schema: parts.schema)
    }
}
#endif
