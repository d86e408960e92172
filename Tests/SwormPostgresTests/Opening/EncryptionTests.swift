#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Encrypted connections and passwords", .needsServer, .needsCertificate)
struct EncryptionTests {
    private func isEncrypted(_ connection: PostgresConnection) throws -> Bool? {
        try connection.run("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").bool(0, column: 0)
    }

    @Test func `a connection over the network is encrypted without a word`() throws {
        let connection = try PostgresConnection.open(EncryptedServer.address())
        #expect(try isEncrypted(connection) == true)
        #expect(connection.host.name == EncryptedServer.name)
        let mode = try EncryptedServer.address { $0.tls = .verifyCA }
        #expect(try isEncrypted(PostgresConnection.open(mode)) == true)
        let plain = try EncryptedServer.address { $0.tls = .disable }
        #expect(try isEncrypted(PostgresConnection.open(plain)) == false)
    }

    @Test func `a certificate of another name is an error`() throws {
        for change: (inout PostgresAddress) -> Void in [
            { $0.hosts[0].name = "other.example.org" }, { $0.hosts[0] = .init("127.0.0.1", port: $0.hosts[0].port) },
            { $0.hosts[0] = .init("localhost", port: $0.hosts[0].port) },
        ] {
            let error = try #require(serverError { try PostgresConnection.open(EncryptedServer.address(change)) })
            #expect(error.kind == .unavailable)
            #expect(error.message.contains("server certificate for \"\(EncryptedServer.name)\""), "\(error)")
            #expect(error.message.contains("does not match host name"), "\(error)")
        }
    }

    @Test func `a certificate that nobody trusts is an error`() throws {
        let other = try TestCertificate(for: EncryptedServer.name, in: Self.folder())
        for path in [other.certificate.path, nil] {
            let address = try EncryptedServer.address { $0.parameters["sslrootcert"] = path }
            let error = try #require(serverError { try PostgresConnection.open(address) })
            #expect(error.message.contains("certificate verify failed"), "\(error)")
        }
    }

    /// A folder of the server's owner, which its end removes.
    private static func folder() throws -> URL {
        let folder = try EncryptedServer.shared().folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        return folder
    }

    @Test func `a host is looked up, and each of its addresses is tried`() throws {
        // The name may have addresses on which the server does not listen.
        let address = try EncryptedServer.address {
            $0.hosts = [.init("localhost", port: $0.hosts[0].port)]
            $0.tls = .require
        }
        let connection = try PostgresConnection.open(address)
        #expect(connection.host.name == "localhost")
        #expect(try isEncrypted(connection) == true)
    }

    @Test func `results of any size arrive over an encrypted connection`() throws {
        let connection = try PostgresConnection.open(EncryptedServer.address { $0.timeouts.statement = .seconds(5) })
        for size in [1, 100, 8000, 8192, 16_000, 16_384, 20_000, 100_000, 1_000_000] {
            let result = try connection.run("SELECT repeat('x', \(size)) FROM generate_series(1, 20)")
            #expect(result.rowCount == 20)
        }
        var count = 0
        try connection.stream(SQLStatement("SELECT repeat('x', 777) FROM generate_series(1, 5000)")) {
            count += $0.rowCount
        }
        #expect(count == 5000)
        #expect(try connection.copyOut(of: "(SELECT repeat('x', 777) FROM generate_series(1, 5000))") { _ in } == 5000)
        let statements = (0..<50).map { _ in
            SQLStatement(
                "SELECT $1, repeat('y', 100000)",
                with: parameters { #expect($0.append(String(repeating: "x", count: 100_000))) })
        }
        #expect(try connection.run(statements).count == 50)
    }

    @Test(.enabled(if: TestPooler.program != nil, "there is no pgbouncer"))
    func `the rest of a record that the socket no longer reports arrives`() throws {
        let pooler = try TestPooler(
            of: PostgresServer.shared(), settings: ["pkt_buf": "65536"], name: EncryptedServer.name)
        var address = PostgresAddress(
            hosts: [.init(EncryptedServer.name, address: "127.0.0.1", port: pooler.port)], database: "postgres",
            user: "postgres")
        address.parameters["sslrootcert"] = pooler.certificate?.certificate.path
        address.parameters["application_name"] = "largest records"
        address.pooler = .transaction
        address.timeouts.statement = .seconds(10)
        let connection = try PostgresConnection.open(address)
        let database = try TestDatabase()
        let state =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'largest records' AND state = 'active'"
        // Rows whose last record, of 16 kibibytes, does not fit behind the rest of the row before it in libpq's memory.
        for (size, count) in Self.unevenRows {
            let (stopper, pid) = (UncheckedBox(try database.connect()), pooler.processID)
            let thread = Thread {
                _ = try? wait { try stopper.value.integer(state) == 1 }
                // While the pooler sleeps, the rows are collected, so that they come in the largest records.
                kill(pid, SIGSTOP)
                _ = try? wait { try stopper.value.integer(state) == 0 }
                kill(pid, SIGCONT)
            }
            thread.start()
            let sql = "SELECT repeat('x', \(size)) FROM pg_sleep(0.3), generate_series(1, \(count))"
            #expect(try connection.run(sql).rowCount == count, "\(size) \(count)")
            #expect(wait { thread.isFinished })
        }
    }

    private static let unevenRows = [
        (3000, 16), (3750, 13), (4500, 7), (5750, 5), (6000, 8), (6500, 5), (6750, 7), (7000, 7),
    ]

    @Test func `a password is sent, and a wrong one is an error of permission`() throws {
        func connect(_ change: @escaping (inout PostgresAddress) -> Void) throws {
            for isSocket in [false, true] {
                let connection = try PostgresConnection.open(
                    EncryptedServer.address {
                        $0.user = EncryptedServer.guest
                        if isSocket, let server = try? EncryptedServer.shared() {
                            $0.hosts = [.init(server.folder.path, port: server.port)]
                        }
                        change(&$0)
                    })
                #expect(try connection.string("SELECT current_user::text") == EncryptedServer.guest)
            }
        }
        try connect { $0.password = .fixed(EncryptedServer.password) }
        try connect { $0.password = .asked { EncryptedServer.password } }
        let file = try Self.folder().appending(path: "passwords")
        func write(_ password: String) throws {
            let escaped = password.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
            try Data("*:*:*:\(EncryptedServer.guest):\(escaped)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        try write(EncryptedServer.password)
        try connect { $0.parameters["passfile"] = file.path }
        try write("hunter2")
        for change: (inout PostgresAddress) -> Void in [
            { $0.password = .fixed("hunter2") }, { $0.parameters["passfile"] = file.path },
            { $0.parameters["passfile"] = "/nowhere" },
        ] {
            let error = try #require(serverError { try connect(change) })
            #expect(error.kind == .permission, "\(error)")
            #expect(!"\(error)".contains("hunter2"))
        }
    }

    @Test func `a wrong password is not tried at the next host`() throws {
        let address = try EncryptedServer.address {
            $0.user = EncryptedServer.guest
            $0.password = .fixed("hunter2")
            $0.hosts.append(.init("/nowhere"))
        }
        let error = try #require(serverError { try PostgresConnection.open(address) })
        #expect(error.kind == .permission && error.state == .invalidPassword)
    }

    @Test func `channel binding is used where it is required`() throws {
        let address = try EncryptedServer.address {
            $0.user = EncryptedServer.guest
            $0.password = .fixed(EncryptedServer.password)
            $0.channelBinding = .require
        }
        #expect(throws: Never.self) { try PostgresConnection.open(address) }
        let plain = try EncryptedServer.address {
            $0.user = EncryptedServer.guest
            $0.password = .fixed(EncryptedServer.password)
            $0.channelBinding = .require
            $0.tls = .disable
        }
        #expect(serverError { try PostgresConnection.open(plain) } != nil)
    }

    @Test func `a token stops a statement of an encrypted connection`() throws {
        let connection = try PostgresConnection.open(EncryptedServer.address())
        let token = InterruptToken()
        token.deadline = .now.advanced(by: .milliseconds(200))
        connection.interruption = token
        #expect(serverError { try connection.run("SELECT pg_sleep(60)") }?.kind == .timeout)
        connection.reset()
        #expect(try connection.integer("SELECT 1::bigint") == 1)
    }
}
#endif
