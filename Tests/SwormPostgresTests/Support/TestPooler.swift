#if PostgreSQL
import Foundation
import TestSupport

@testable import SwormPostgres

/// A pgbouncer of the tests, which assigns the connections of a server to transactions.
final class TestPooler {
    /// The path of the program; nil where there is none.
    static let program: String? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/opt/homebrew/bin"]
        return folders.map { $0 + "/pgbouncer" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    let folder: URL
    let port = 6543
    private let process: KeptProcess

    init(of server: PostgresServer) throws {
        folder = URL(filePath: "/tmp/sworm-pool-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The pooler does not run as root.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let configuration = folder.appending(path: "pooler.ini")
        let text = """
            [databases]
            * = host=\(server.folder.path) port=\(server.port) user=\(server.user)
            [pgbouncer]
            unix_socket_dir = \(folder.path)
            listen_port = \(port)
            auth_type = any
            pool_mode = transaction
            default_pool_size = 2
            """
        try Data(text.utf8).write(to: configuration)
        let command = PostgresServer.asOwner(Self.program ?? "pgbouncer", [configuration.path])
        process = try KeptProcess(command, log: folder.appending(path: "log").path, removing: folder.path)
        let address = PostgresAddress(
            hosts: [.init(folder.path, port: port)], database: "postgres", user: server.user)
        guard wait(until: { (try? PostgresConnection.open(address)) != nil }) else {
            throw PostgresServer.Failure(
                description: (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? "no log")
        }
    }

    deinit { process.stop() }
}
#endif
