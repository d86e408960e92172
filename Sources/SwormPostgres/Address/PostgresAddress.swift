#if PostgreSQL
/// The address of a database on a server, and the way to connect to it.
///
/// An address is written as a URI or in libpq's keyword form:
///
///     postgres://shop@db.example.org/shop?sslrootcert=/etc/ssl/shop.crt
///     host=db.example.org user=shop dbname=shop
///
/// Without a host, `PGHOST` or the local socket is used. The other environment variables of libpq, and its password file,
/// apply where the address says nothing. Those that would lead to another server are errors: `PGSERVICE`, and `PGHOSTADDR`
/// where the address names hosts.
///
/// Descriptions contain neither the password nor the parameters.
package struct PostgresAddress: Sendable {
    /// A server's host name or IP address, or the folder of its socket.
    package struct Host: Sendable, Hashable {
        /// A name, an IP address, or an absolute path; empty for libpq's default socket.
        package var name: String
        /// The IP address to connect to instead of looking up the name.
        package var address: String?
        /// Nil for `PGPORT` or 5432.
        package var port: Int?

        package init(_ name: String, address: String? = nil, port: Int? = nil) {
            self.name = name
            self.address = address
            self.port = port
        }

        /// Whether the host is a socket in the file system or in the abstract namespace.
        package var isSocket: Bool { address == nil && (name.isEmpty || name.hasPrefix("/") || name.hasPrefix("@")) }
    }

    /// The source of the password.
    package enum Password: Sendable {
        /// libpq looks in `PGPASSWORD` and in its password file.
        case standard
        case fixed(String)
        /// A closure that is called for each new connection, for passwords that change.
        case asked(@Sendable () throws -> String)
    }

    /// The encryption of connections over a network, with libpq's names.
    package enum TLSMode: String, Sendable, Hashable, CaseIterable {
        case disable, allow, prefer, require
        case verifyCA = "verify-ca"
        /// The server's certificate must be trusted and be that of the host.
        case verifyFull = "verify-full"
    }

    package enum ChannelBinding: String, Sendable, Hashable, CaseIterable {
        case disable, prefer, require
    }

    /// A program between the driver and the server that shares connections.
    package enum Pooler: String, Sendable, Hashable, CaseIterable {
        case none
        /// Connections are assigned to transactions, so that nothing can be kept in a session.
        case transaction
    }

    /// Durations after which something is given up; nil for never.
    package struct Timeouts: Sendable, Hashable {
        /// The longest time to connect, for all hosts together, and to wait for a connection of a pool.
        package var connection: Duration?
        package var statement: Duration?
        package var lock: Duration?
        /// The longest time that a transaction may do nothing.
        package var idle: Duration?
        /// The longest time that a statement may run in a transaction that keeps all other ones from writing. ``statement`` applies
        /// to it, too.
        package var write: Duration?

        package init(
            connection: Duration? = .seconds(5), statement: Duration? = .seconds(30), lock: Duration? = .seconds(2),
            idle: Duration? = .seconds(60), write: Duration? = .seconds(5)
        ) {
            self.connection = connection
            self.statement = statement
            self.lock = lock
            self.idle = idle
            self.write = write
        }

        /// The longest time that a statement may run in a transaction that keeps all other ones from writing, if it is shorter than
        /// that of other statements.
        package var shorterForWrites: Duration? {
            guard let write else { return nil }
            return statement.map { write < $0 } ?? true ? write : nil
        }
    }

    /// The servers to try, in this order.
    package var hosts: [Host]
    package var database: String?
    package var user: String?
    package var password: Password
    /// The schema of the store's tables.
    package var schema = "public"
    /// The largest number of connections.
    package var connections = 10
    package var pooler = Pooler.none
    /// Nil for `verify-full` on hosts. Sockets are never encrypted.
    package var tls: TLSMode?
    package var channelBinding = ChannelBinding.prefer
    package var timeouts = Timeouts()
    /// The kind of server to accept, for lists of hosts.
    package var target = Target.any
    /// Further parameters of libpq, by its names.
    package internal(set) var parameters: [String: String] = [:]

    /// The kinds of servers among several, with libpq's names.
    package enum Target: String, Sendable, Hashable, CaseIterable {
        case any, primary, standby
        case readWrite = "read-write"
        case readOnly = "read-only"
        case preferStandby = "prefer-standby"
    }

    package init(
        hosts: [Host], database: String? = nil, user: String? = nil, password: Password = .standard
    ) {
        self.hosts = hosts
        self.database = database
        self.user = user
        self.password = password
    }

    /// Reads an address.
    ///
    /// - Throws: ``ServerError`` of the kind `address`, which contains no part of the text.
    package init(_ text: String) throws(ServerError) {
        self = try AddressReader.address(of: text)
    }
}

extension ServerError {
    /// Creates the error of an address that cannot be read. The reason must not contain any part of the address.
    static func address(_ reason: String) -> ServerError {
        ServerError(.address, "the address of the server cannot be read: \(reason)")
    }
}
#endif
