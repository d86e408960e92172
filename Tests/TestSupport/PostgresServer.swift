#if PostgreSQL
package import Foundation

/// A PostgreSQL server of the tests, in a temporary folder. The server that all tests share is reachable by its socket only.
///
/// It is started when it is first needed, and ends with the process.
package final class PostgresServer: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Whether the tests must have a server.
    package static let isRequired = ProcessInfo.processInfo.environment["SWORM_POSTGRES"] == "required"

    /// The folder of the server's programs; nil where there is none.
    package static let programs: URL? = {
        // A folder may have links to some of the programs.
        let folder = folders.first { folder in
            ["initdb", "postgres", "pg_isready"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: folder.appending(path: $0).path)
            }
        }
        if folder == nil { print("The tests over PostgreSQL are skipped: \(missing).") }
        return folder
    }()

    /// Whether tests that need a server run. If one is required and missing, they run and fail.
    package static var isEnabled: Bool { programs != nil || isRequired }

    /// What a skipped test says.
    package static let missing =
        "there is no initdb in PATH, in /usr/lib/postgresql or of Homebrew; install postgresql, or set SWORM_POSTGRES=required to let the tests fail"

    /// The server that all tests of the process share.
    package static func shared() throws -> PostgresServer { try result.get() }

    private static let result = Result {
        let server = try PostgresServer()
        atexit { PostgresServer.stopShared() }
        return server
    }

    /// The folder for the folders of servers: in memory where there is room, because a disk takes long to create and remove
    /// the files of thousands of tables.
    private static let parent: String = {
        let memory = "/dev/shm"
        let free = try? FileManager.default.attributesOfFileSystem(forPath: memory)[.systemFreeSize] as? NSNumber
        return (free?.int64Value ?? 0) >= 8 << 30 ? memory : "/tmp"
    }()

    private static var folders: [URL] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        var folders = path.split(separator: ":").map { URL(filePath: String($0)) }
        let versions = URL(filePath: "/usr/lib/postgresql")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: versions.path)) ?? []
        folders += names.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { versions.appending(path: "\($0)/bin") }
        for cellar in ["/opt/homebrew/opt", "/usr/local/opt"] {
            folders += (14...18).reversed().map { URL(filePath: "\(cellar)/postgresql@\($0)/bin") }
            folders.append(URL(filePath: "\(cellar)/postgresql/bin"))
        }
        return folders
    }

    /// The folder of the socket.
    package let folder: URL
    package let port: Int
    /// The user that owns the server.
    package let user = "postgres"
    /// The certificate of a server with a name; nil for one that encrypts nothing.
    package let certificate: TestCertificate?
    private let schemas = SchemaCounter()
    private let server: KeptProcess
    private let pooler = PoolerOfServer()

    /// Starts a server of its own.
    ///
    /// - Parameters:
    ///   - settings: Further settings of the server.
    ///   - access: The first lines of the file that says how users identify themselves.
    ///   - name: The name in the certificate of a server that encrypts connections, and that is also reachable over the
    ///     network of this computer.
    ///   - isRestarted: Whether the server is started again whenever it ends before it is stopped.
    ///   - isOnDisk: Whether the server's files are on a disk, although there may be room in memory.
    package init(
        settings: [String: String] = [:], access: [String] = [], name: String? = nil, isRestarted: Bool = false,
        isOnDisk: Bool = false
    ) throws {
        guard let programs = Self.programs else { throw Failure(description: Self.missing) }
        // The path of a socket is short.
        let parent = isOnDisk ? "/tmp" : Self.parent
        folder = URL(filePath: "\(parent)/sworm-pg-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = folder.appending(path: "data").path
        let log = folder.appending(path: "log").path
        // The server does not run as root.
        if getuid() == 0 { try TestProgram.run(["chown", "postgres", folder.path]) }
        let arguments = [
            "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--pgdata=\(data)",
        ]
        func makeCluster(_ more: String...) throws {
            try TestProgram.run(Self.asOwner(programs.appending(path: "initdb").path, arguments + more))
        }
        // The order of strings is that of a language, as in most databases, so that a statement without the collation "C"
        // has another result. A server before version 15, or without ICU, has the order of bytes.
        do { try makeCluster("--locale-provider=icu", "--icu-locale=en") } catch { try makeCluster() }
        var all = [
            "listen_addresses": "", "unix_socket_directories": folder.path, "fsync": "off", "max_connections": "1000",
            "max_prepared_transactions": "0", "full_page_writes": "off", "synchronous_commit": "off",
            // Thousands of tables that are used for a second need no care in the background.
            "autovacuum": "off", "checkpoint_timeout": "1h", "max_wal_size": "1GB", "jit": "off",
        ]
        if let name {
            let certificate = try TestCertificate(for: name, in: folder)
            all["listen_addresses"] = "127.0.0.1"
            all["ssl"] = "on"
            all["ssl_cert_file"] = certificate.certificate.path
            all["ssl_key_file"] = certificate.key.path
            self.certificate = certificate
            port = try FreePort.number()
        } else {
            certificate = nil
            port = 5432
        }
        all["port"] = String(port)
        all.merge(settings) { $1 }
        try Self.write(
            all.sorted { $0.key < $1.key }.map { "\($0.key) = '\($0.value)'" }, to: "\(data)/postgresql.auto.conf")
        if !access.isEmpty { try Self.write(access, to: "\(data)/pg_hba.conf", keepingRest: true) }

        let command = Self.asOwner(programs.appending(path: "postgres").path, ["-D", data])
        server =
            isRestarted
            ? try KeptProcess(
                ["/bin/sh", "-c", Self.restarting, "sh"] + command, log: log, removing: folder.path, signal: "TERM")
            // The server ends at once, without a checkpoint: nobody needs its data.
            : try KeptProcess(command, log: log, removing: folder.path, signal: "QUIT")
        try waitUntilReady(programs, log: log)
    }

    /// Runs the command "$@" again and again, until it gets a signal, which it passes on as one that disconnects all clients.
    private static let restarting = """
        trap 'kill -INT $server; wait $server; exit' TERM
        while :; do
            "$@" & server=$!
            wait $server
            sleep 0.02
        done
        """

    /// Writes lines to a file of the server, in front of those that it has or instead of them.
    private static func write(_ lines: [String], to path: String, keepingRest: Bool = false) throws {
        let rest = keepingRest ? try String(contentsOfFile: path, encoding: .utf8) : ""
        try Data((lines.joined(separator: "\n") + "\n" + rest).utf8).write(to: URL(filePath: path))
        if getuid() == 0 { try TestProgram.run(["chown", "postgres", path]) }
    }

    /// Stops the server and removes its folder.
    package func stop() {
        pooler.stop()
        server.stop()
    }

    /// The socket by which stores reach the server: its own, or that of a pooler if ``arePooled`` says so.
    package func entrance() throws -> ServerEntrance {
        guard ServerEntrance.arePooled else { return ServerEntrance(folder: folder.path, port: port) }
        let pooler = try pooler.started(for: self)
        return ServerEntrance(folder: pooler.folder.path, port: pooler.port)
    }

    private static func stopShared() { try? result.get().stop() }

    /// Returns a name for a schema that no other test has.
    package func newSchema() -> String { "test_\(schemas.next())" }

    /// The number of the server's main process.
    package var processID: Int32? {
        let file = folder.appending(path: "data/postmaster.pid")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
        return text.split(separator: "\n").first.flatMap { Int32($0) }
    }

    private func waitUntilReady(_ programs: URL, log: String) throws {
        let check = [programs.appending(path: "pg_isready").path, "-q", "-h", folder.path, "-p", String(port)]
        for _ in 0..<600 {
            if (try? TestProgram.run(check)) != nil { return }
            guard server.isRunning else { break }
            Thread.sleep(forTimeInterval: 0.05)
        }
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        throw Failure(description: "the server does not start: \(text)")
    }

    /// A command as the user that may run a server.
    package static func asOwner(_ program: String, _ arguments: [String]) -> [String] {
        getuid() == 0
            ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", program] + arguments
            : [program] + arguments
    }
}

/// A number for each schema of the tests.
///
/// @unchecked: the number is accessed only while the lock is held.
private final class SchemaCounter: @unchecked Sendable {
    private let lock = NSLock()
    private var last = 0

    func next() -> Int {
        lock.withLock {
            last += 1
            return last
        }
    }
}
#endif
