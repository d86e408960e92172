#if PostgreSQL && !canImport(CoreData)
import SwormStore

/// The address of a store on a PostgreSQL server, and the way to connect to it.
///
/// ```swift
/// let store = try PersistentContainer(
///     for: Book.self,
///     at: .postgres(.init(host: "db", database: "shop", user: "shop", password: { try secret("db") }, schema: "shop")))
/// ```
/// A store has a schema of its own, in a database with the encoding UTF-8 of PostgreSQL 14 or later.
public struct PostgresConfiguration: Sendable {
    /// A program between this one and the server that shares connections, such as PgBouncer.
    public struct Pooler: Sendable, Hashable {
        let isTransaction: Bool

        /// Connections lead to the server.
        public static let none = Self(isTransaction: false)
        /// Connections are assigned to transactions, so that a session keeps nothing. Statements are then not prepared.
        public static let transaction = Self(isTransaction: true)
    }

    /// The encryption of connections over a network.
    public struct TLS: Sendable, Hashable {
        let name: String

        /// The server's certificate must be trusted, and be that of the host.
        public static let verifyFull = Self(name: "verify-full")
        /// The server's certificate must be trusted. It may be that of another host.
        public static let verifyCA = Self(name: "verify-ca")
        /// Connections are encrypted. Anybody can claim to be the server.
        public static let require = Self(name: "require")
        /// Connections are encrypted if the server wishes so.
        public static let prefer = Self(name: "prefer")
        /// Connections are not encrypted.
        public static let disable = Self(name: "disable")
    }

    /// Durations after which something is given up; nil for never.
    public struct Timeouts: Sendable, Hashable {
        /// The longest time to connect to a host.
        public var connection: Duration?
        /// The longest time that a statement may run.
        public var statement: Duration?
        /// The longest time that a statement may wait for a lock of another transaction.
        public var lock: Duration?
        /// The longest time that a transaction may do nothing.
        public var idle: Duration?
        /// The longest time that a statement in a `write` may run, which keeps all other programs from writing. ``statement``
        /// applies to it, too.
        public var write: Duration?

        /// Creates timeouts.
        ///
        /// - Parameters:
        ///   - connection: The longest time to connect to a host.
        ///   - statement: The longest time that a statement may run.
        ///   - lock: The longest time that a statement may wait for a lock of another transaction.
        ///   - idle: The longest time that a transaction may do nothing.
        ///   - write: The longest time that a statement in a `write` may run.
        public init(
            connection: Duration? = .seconds(5), statement: Duration? = .seconds(30), lock: Duration? = .seconds(2),
            idle: Duration? = .seconds(60), write: Duration? = .seconds(5)
        ) {
            self.connection = connection
            self.statement = statement
            self.lock = lock
            self.idle = idle
            self.write = write
        }
    }

    /// The changes of the tables that opening a store may make.
    public struct Changes: Sendable, Hashable {
        let value: PostgresOptions.SchemaChanges

        /// No changes. A missing store is an error.
        public static let never = Self(value: .never)
        /// A missing store is created, and so is what programs with an older model do not notice: these go on, also beside
        /// programs with the newer model.
        public static let additive = Self(value: .additive)
        /// All changes that a migration needs. Programs with an older model can no longer use the store if one of the changes
        /// concerns them.
        public static let all = Self(value: .all)
    }

    /// The way in which dates are stored. It is decided when the store is created.
    public struct Dates: Sendable, Hashable {
        let value: PostgresOptions.Dates

        /// `timestamptz`, rounded to the microsecond.
        public static let timestamps = Self(value: .timestamps)
        /// `double precision`, the seconds since 2001, so that every date is read as it was set.
        public static let doubles = Self(value: .doubles)
    }

    /// The changes that the store's history records, for `changes(since:)` and for live results that follow other processes.
    ///
    /// `true` means ``own``, and `false` ``none``.
    public struct History: Sendable, Hashable, ExpressibleByBooleanLiteral {
        let isKept: Bool
        let recordsOtherPrograms: Bool

        /// No history is started. One that exists is continued.
        public static let none = Self(isKept: false, recordsOtherPrograms: false)
        /// The changes that programs make with this library.
        public static let own = Self(isKept: true, recordsOtherPrograms: false)
        /// The changes of all programs. Triggers record those of other programs, without the names of the properties; they
        /// make inserting take almost twice as long, and updates up to half as long again.
        public static let everybody = Self(isKept: true, recordsOtherPrograms: true)

        private init(isKept: Bool, recordsOtherPrograms: Bool) {
            self.isKept = isKept
            self.recordsOtherPrograms = recordsOtherPrograms
        }

        /// Creates the choice whether a history is kept.
        ///
        /// - Parameter value: Whether the changes that programs make with this library are recorded.
        public init(booleanLiteral value: Bool) { self = value ? .own : .none }
    }

    /// The programs whose changes raise the version of a row, by which conflicts are noticed.
    public struct Versions: Sendable, Hashable {
        let raisesForeignVersions: Bool

        /// Programs with this library. A program that changes rows with SQL of its own must raise `_version` itself, or its
        /// changes are not noticed as conflicts.
        public static let own = Self(raisesForeignVersions: false)
        /// All programs. A trigger of each table raises `_version` in a row that another program changes; it makes such updates
        /// a little slower. Triggers that exist are kept. Open again the programs that have opened the store before.
        public static let everybody = Self(raisesForeignVersions: true)
    }

    /// The treatment of conditions that a server cannot evaluate exactly as memory does.
    public struct EvaluationInMemory: Sendable, Hashable {
        let isRefused: Bool

        /// The rows are read, and the condition is evaluated in this program.
        public static let allow = Self(isRefused: false)
        /// The request fails.
        public static let refuse = Self(isRefused: true)
    }

    /// The name or IP address of the host, or the folder of its socket.
    public var host: String
    /// The port; nil for the environment variable `PGPORT`, or 5432.
    public var port: Int?
    /// The name of the database.
    public var database: String
    /// The name of the user; nil for the environment variable `PGUSER`, or the user of the process.
    public var user: String?
    /// A closure that returns the password, called for each new connection; nil for libpq's password file or the
    /// environment variable `PGPASSWORD`.
    public var password: (@Sendable () throws -> String)?
    /// The schema that has the tables of the store. It is created with the store if it is missing.
    public var schema: String
    /// The largest number of connections. Each `perform` and `read` uses one until it ends.
    public var connections: Int
    /// The program between this one and the server.
    public var pooler: Pooler
    /// The encryption of connections; nil for `verifyFull` to a host, and none through a socket.
    public var tls: TLS?
    /// The durations after which something is given up.
    public var timeouts: Timeouts
    /// The changes of the tables that opening the store may make.
    public var changes: Changes
    /// The way in which dates are stored.
    public var dates: Dates
    /// The changes that the store's history records.
    public var history: History
    /// The programs whose changes raise the version of a row.
    public var versions: Versions
    /// The treatment of conditions that a server cannot evaluate exactly as memory does.
    public var evaluationInMemory: EvaluationInMemory
    /// Whether the store is opened read-only.
    public var isReadOnly: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - host: The name or IP address of the host, or the folder of its socket.
    ///   - port: The port; nil for the environment variable `PGPORT`, or 5432.
    ///   - database: The name of the database.
    ///   - user: The name of the user; nil for the environment variable `PGUSER`, or the user of the process.
    ///   - password: A closure that returns the password, called for each new connection; nil for libpq's password file
    ///     or the environment variable `PGPASSWORD`.
    ///   - schema: The schema that has the tables of the store.
    ///   - connections: The largest number of connections.
    ///   - pooler: The program between this one and the server.
    ///   - tls: The encryption of connections; nil for `verifyFull` to a host, and none through a socket.
    ///   - timeouts: The durations after which something is given up.
    ///   - changes: The changes of the tables that opening the store may make.
    ///   - dates: The way in which dates are stored.
    ///   - history: The changes that the store's history records.
    ///   - versions: The programs whose changes raise the version of a row.
    ///   - evaluationInMemory: The treatment of conditions that a server cannot evaluate exactly as memory does.
    ///   - isReadOnly: Whether the store is opened read-only.
    public init(
        host: String, port: Int? = nil, database: String, user: String? = nil,
        password: (@Sendable () throws -> String)? = nil, schema: String = "public", connections: Int = 10,
        pooler: Pooler = .none, tls: TLS? = nil, timeouts: Timeouts = Timeouts(), changes: Changes = .additive,
        dates: Dates = .timestamps, history: History = .none, versions: Versions = .own,
        evaluationInMemory: EvaluationInMemory = .allow, isReadOnly: Bool = false
    ) {
        self.host = host
        self.port = port
        self.database = database
        self.user = user
        self.password = password
        self.schema = schema
        self.connections = connections
        self.pooler = pooler
        self.tls = tls
        self.timeouts = timeouts
        self.changes = changes
        self.dates = dates
        self.history = history
        self.versions = versions
        self.evaluationInMemory = evaluationInMemory
        self.isReadOnly = isReadOnly
    }

    /// The configuration as the store takes it.
    func options() throws -> PostgresOptions {
        var options = try PostgresOptions(
            PostgresParts(
                host: host, port: port, database: database, user: user, password: password, schema: schema,
                connections: connections, isPooled: pooler.isTransaction, tls: tls?.name,
                connectionTimeout: timeouts.connection, statementTimeout: timeouts.statement,
                lockTimeout: timeouts.lock, idleTimeout: timeouts.idle, writeTimeout: timeouts.write))
        options.changes = changes.value
        options.dates = dates.value
        options.recordsOtherPrograms = history.recordsOtherPrograms
        options.raisesForeignVersions = versions.raisesForeignVersions
        options.refusesEvaluationInMemory = evaluationInMemory.isRefused
        return options
    }
}
#endif
