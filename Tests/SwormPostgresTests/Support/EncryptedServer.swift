#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import SwormPostgres

/// A server that encrypts connections over the network, and that asks one of its users for a password.
///
/// It is started when it is first needed, and ends with the process.
enum EncryptedServer {
    /// The name in the certificate.
    static let name = "db.example.org"
    /// The user who has a password.
    static let guest = "guest"
    static let password = "right pass:word\\"

    static func shared() throws -> PostgresServer { try result.get() }

    private static let result = Result {
        let server = try PostgresServer(
            access: ["local all \(guest) scram-sha-256", "host all \(guest) all scram-sha-256"], name: name)
        atexit { EncryptedServer.stopShared() }
        let address = PostgresAddress(
            hosts: [.init(server.folder.path, port: server.port)], database: "postgres", user: server.user)
        let connection = try PostgresConnection.open(address)
        try connection.run("SET password_encryption = 'scram-sha-256'")
        try connection.run("CREATE ROLE \(guest) LOGIN PASSWORD '\(password)'")
        return server
    }

    private static func stopShared() { try? result.get().stop() }

    /// The address of the server over the network, as that of the name in the certificate.
    static func address(_ change: (inout PostgresAddress) -> Void = { _ in }) throws -> PostgresAddress {
        let server = try shared()
        var address = PostgresAddress(
            hosts: [.init(name, address: "127.0.0.1", port: server.port)], database: "postgres", user: server.user)
        address.parameters["sslrootcert"] = server.certificate?.certificate.path
        change(&address)
        return address
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips tests where no certificate can be made.
    static var needsCertificate: Self {
        .enabled(if: TestCertificate.program != nil, "\(TestCertificate.missing)")
    }
}
#endif
