#if PostgreSQL
package import Foundation

/// A pgbouncer of the tests, which assigns the connections of a server to transactions.
package final class TestPooler: Sendable {
    /// The path of the program; nil where there is none.
    package static let program: String? = TestProgram.path(of: "pgbouncer")

    /// The reason why a test without a pooler is skipped or fails.
    package static let missing = "there is no pgbouncer in PATH or in /usr/sbin"

    /// The folder of the socket.
    package let folder: URL
    package let port: Int
    /// The certificate of a pooler that encrypts connections; nil for one that does not.
    package let certificate: TestCertificate?
    private let process: KeptProcess

    /// Starts a pooler.
    ///
    /// - Parameters:
    ///   - settings: Further settings of the pooler.
    ///   - name: The name in the certificate of a pooler that encrypts connections, and that is also reachable over the
    ///     network of this computer.
    package init(of server: PostgresServer, settings: [String: String] = [:], name: String? = nil) throws {
        guard let program = Self.program else { throw PostgresServer.Failure(description: Self.missing) }
        folder = URL(filePath: "/tmp/sworm-pool-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The pooler does not run as root.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        var all = [
            "unix_socket_dir": folder.path, "auth_type": "any", "pool_mode": "transaction", "default_pool_size": "2",
        ]
        if let name {
            let certificate = try TestCertificate(for: name, in: folder)
            all["listen_addr"] = "127.0.0.1"
            all["client_tls_sslmode"] = "allow"
            all["client_tls_cert_file"] = certificate.certificate.path
            all["client_tls_key_file"] = certificate.key.path
            self.certificate = certificate
            port = try FreePort.number()
        } else {
            certificate = nil
            port = 6543
        }
        all["listen_port"] = String(port)
        all.merge(settings) { $1 }
        let configuration = folder.appending(path: "pooler.ini")
        let text = """
            [databases]
            * = host=\(server.folder.path) port=\(server.port) user=\(server.user)
            [pgbouncer]
            \(all.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: "\n"))
            """
        try Data(text.utf8).write(to: configuration)
        let command = PostgresServer.asOwner(program, [configuration.path])
        // When it is interrupted, a pooler waits for its clients.
        process = try KeptProcess(
            command, log: folder.appending(path: "log").path, removing: folder.path, signal: "TERM")
        try waitUntilReady(for: server.user)
    }

    private func waitUntilReady(for user: String) throws {
        let programs = PostgresServer.programs?.appending(path: "pg_isready").path ?? "pg_isready"
        let check = [programs, "-q", "-h", folder.path, "-p", String(port), "-U", user, "-d", "postgres"]
        for _ in 0..<600 where process.isRunning {
            if (try? TestProgram.run(check)) != nil { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        let text = try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
        throw PostgresServer.Failure(description: "the pooler does not start: \(text ?? "no log")")
    }

    /// Stops the pooler and removes its folder.
    package func stop() { process.stop() }

    /// The number of the pooler's process.
    package var processID: Int32 { process.processID }

    deinit { process.stop() }
}
#endif
