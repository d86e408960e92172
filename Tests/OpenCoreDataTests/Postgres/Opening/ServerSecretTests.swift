#if PostgreSQL
import Foundation
import OpenCoreData
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import Sworm
@testable import SwormStore

/// Passwords and values of settings in what a program prints: locations, configurations, containers, stores and errors.
@Suite("PostgreSQL: secrets in errors and descriptions", .enabled(if: PostgresServer.isEnabled))
struct ServerSecretTests {
    /// Passwords with the characters that separate, quote and encode the parts of addresses. Each part has the word.
    static let secrets = [
        "hunter2", "hunter 2'hunter\\hunter\"hunter", "hunter%41hunter%zz", "hunter@hunter:hunter/hunter?hunter#hunter",
        "hunter[hunter]=hunter&hunter", "hunterßhunter😀", "$hunter `hunter` -- hunter ;hunter",
    ]

    private func strings(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped, maxDepth: 14, maxItems: 20_000)
        var strings = ["\(value)", String(reflecting: value), String(describing: value), dumped]
        strings += Mirror(reflecting: value).children.map { "\($0)" }
        if let object = value as? NSObject { strings += [object.description, object.debugDescription] }
        if let error = value as? any Error {
            let error = error as NSError
            strings += [error.localizedDescription, "\(error)", "\(error.userInfo)", error.debugDescription]
        }
        return strings
    }

    private func expectNoSecret(
        in value: Any, _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for text in strings(of: value) {
            guard let range = text.range(of: "hunter") else { continue }
            let start = text.index(range.lowerBound, offsetBy: -200, limitedBy: text.startIndex) ?? text.startIndex
            Issue.record("\(comment): \(text[start..<range.upperBound])", sourceLocation: sourceLocation)
        }
    }

    /// Expects that a closure fails, and that its error has no part of a secret.
    private func expectError(
        _ codes: StoreError.Code..., from path: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        do {
            try body()
            Issue.record("no error: \(path)", sourceLocation: sourceLocation)
        } catch let error as StoreError {
            #expect(codes.isEmpty || codes.contains(error.code), "\(path): \(error)", sourceLocation: sourceLocation)
            expectNoSecret(in: error, path, sourceLocation: sourceLocation)
            if let cause = error.cause { expectNoSecret(in: cause, path, sourceLocation: sourceLocation) }
        } catch {
            Issue.record(error, "\(path)", sourceLocation: sourceLocation)
        }
    }

    private static func encoded(_ secret: String) -> String {
        secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// The address of a schema with a password, which the server does not ask for.
    private func address(_ secret: String, _ more: String = "") throws -> String {
        let server = try PostgresServer.shared()
        let parts = try server.entrance().uri(schema: server.newSchema()).split(separator: "@", maxSplits: 1)
        return "\(parts[0]):\(Self.encoded(secret))@\(parts[1])&sslpassword=\(Self.encoded(secret))\(more)"
    }

    @Test(arguments: secrets) func `descriptions of an open store have no secret`(secret: String) throws {
        let location = StoreLocation.postgres(try address(secret))
        let container = try PersistentContainer(for: Leaflet.self, at: location)
        let other = container.withTransactions(settings: ["app.tenant": secret])
        let configuration = PostgresConfiguration(
            host: "db", database: "shop", user: "shop", password: { secret }, schema: "x")
        for (name, value) in [
            ("location", location), ("container", container), ("container with settings", other),
            ("configuration", configuration), ("location of a configuration", StoreLocation.postgres(configuration)),
            ("options", try configuration.options()), ("address", try configuration.options().address),
            ("box", PostgresOptionsBox(try configuration.options())), ("opening", try PostgresOptions(address(secret))),
        ] as [(String, Any)] {
            expectNoSecret(in: value, name)
        }
        let store = try PostgresStores.store(
            of: BookshopModel.model, at: PostgresOptions(try address(secret)), StoreOptions())
        for (name, value) in [
            ("store", store), ("pool", store.pool), ("metadata", store.metadata), ("options", store.serverOptions),
            ("place", store.serverOptions.place), ("URL", store.serverOptions.url),
        ] as [(String, Any)] {
            expectNoSecret(in: value, name)
        }
        let coordinator = try PostgresStores.coordinator(
            of: GraphLibrary.model(), at: PostgresOptions(try address(secret)))
        expectNoSecret(in: coordinator, "coordinator")
        for store in coordinator.persistentStores {
            expectNoSecret(in: store, "persistent store")
            expectNoSecret(in: store.options as Any, "options of a persistent store")
            expectNoSecret(in: store.url as Any, "URL of a persistent store")
        }
        let request = Leaflet.all.where(raw: "title MATCHES 'A.*' AND title > 'b'")
        for store in [container, other] {
            let explanation = try store.read { try $0.explain(request) }
            expectNoSecret(in: explanation, "explanation")
            try store.perform { context in
                let leaflet = try context.insert(Leaflet())
                expectNoSecret(in: context, "context")
                expectNoSecret(in: leaflet, "object")
            }
        }
    }

    @Test(arguments: secrets) func `errors of opening have no secret`(secret: String) throws {
        let server = try PostgresServer.shared()
        func open(_ change: (inout PostgresConfiguration) -> Void) throws {
            var configuration = PostgresConfiguration(
                host: server.folder.path, port: server.port, database: "postgres", user: server.user,
                password: { secret }, schema: server.newSchema())
            configuration.timeouts.connection = .seconds(1)
            change(&configuration)
            _ = try PersistentContainer(for: Leaflet.self, at: .postgres(configuration))
        }
        expectError(.cannotOpen, .serverUnavailable, from: "user") { try open { $0.user = "nobody_here" } }
        expectError(.cannotOpen, .serverUnavailable, from: "database") { try open { $0.database = "nowhere" } }
        expectError(.serverUnavailable, from: "host") { try open { $0.host = "nowhere.invalid" } }
        expectError(.serverUnavailable, from: "socket") { try open { $0.host = "/nowhere-at-all" } }
        expectError(.serverUnavailable, .cannotOpen, from: "port") {
            try open {
                $0.host = "127.0.0.1"
                $0.port = try? FreePort.number()
            }
        }
        expectError(.cannotOpen, from: "missing store") { try open { $0.changes = .never } }
        expectError(.cannotOpen, from: "schema") { try open { $0.schema = "pg_x" } }
        for text in [
            "postgres://ann:\(secret)@[::1/db", "postgres://ann:\(secret)@h:55439x/db",
            "postgres://ann:\(Self.encoded(secret))@h/db?sslmode=wrong", "postgres:ann:\(secret)@h",
            "host=h pass word=\(secret)", "password='\(secret)", "host=h password=x \(secret)",
            "postgres://ann:\(Self.encoded(secret))@h/db?x=\(Self.encoded(secret))", secret, "mysql://\(secret)@h/d",
            "postgres://h/d?schema=\(Self.encoded(secret + secret))&passwd=1", "port=\(secret)",
        ] {
            expectError(.cannotOpen, from: "malformed address") {
                _ = try PersistentContainer(for: Leaflet.self, at: .postgres(text))
            }
            #expect(!StoreLocation.postgres(text).description.contains("hunter"))
        }
    }

    /// A server that asks for a password.
    @Test func `the error of a wrong password does not contain it`() throws {
        let server = try PostgresServer(access: ["local all guest scram-sha-256"])
        defer { server.stop() }
        let owner = try PostgresConnection.open(
            PostgresAddress(
                hosts: [.init(server.folder.path, port: server.port)], database: "postgres", user: server.user))
        try owner.run("CREATE ROLE guest LOGIN PASSWORD 'right'")
        for secret in Self.secrets {
            let host = Self.encoded(server.folder.path)
            for location in [
                StoreLocation.postgres("postgres://guest:\(Self.encoded(secret))@\(host)/postgres?schema=x"),
                .postgres(
                    .init(
                        host: server.folder.path, database: "postgres", user: "guest", password: { secret }, schema: "x"
                    )),
            ] {
                expectError(.cannotOpen, .serverUnavailable, from: "wrong password") {
                    _ = try PersistentContainer(for: Leaflet.self, at: location)
                }
            }
        }
    }

    @Test(arguments: secrets) func `errors of work have no secret`(secret: String) throws {
        let address = try address(secret, "&lock_timeout=200&connections=1")
        let schema = try PostgresOptions(address).schema
        let plain = try PersistentContainer(for: Leaflet.self, at: .postgres(address))
        try plain.perform { _ = try $0.insert(Leaflet()) }
        let container = plain.withTransactions(settings: ["app.tenant": secret])
        let table = "\(schema).\"Leaflet\""
        let server = try PostgresServer.shared()
        let connection = try PostgresConnection.open(
            PostgresAddress(
                hosts: [.init(server.folder.path, port: server.port)], database: "postgres", user: server.user))
        expectError(from: "settings that have no name") {
            try plain.withTransactions(settings: [secret: secret]).perform { _ = try $0.count(of: Leaflet.all) }
        }
        expectError(from: "a setting with U+0000") {
            try plain.withTransactions(settings: ["app.tenant": secret + "\0"]).read {
                _ = try $0.count(of: Leaflet.all)
            }
        }
        expectError(from: "a lock timeout") {
            try connection.transaction(TransactionOptions()) {
                try connection.run("LOCK TABLE \(table)")
                try container.perform { _ = try $0.count(of: Leaflet.all) }
            }
        }
        expectError(from: "a condition that is none") {
            try container.read { _ = try $0.count(of: Leaflet.all.where(raw: "nothing == 1")) }
        }
        expectError(from: "a lost connection") {
            try container.perform { context in
                _ = try context.count(of: Leaflet.all)
                try connection.run(
                    """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_locks
                    WHERE relation = '\(table)'::regclass AND pid <> pg_backend_pid()
                    """)
                _ = try context.insert(Leaflet())
                _ = try context.count(of: Leaflet.all)
            }
        }
        try connection.run("ALTER TABLE \(table) ADD CHECK (title IS NULL) NOT VALID")
        expectError(from: "a constraint") {
            try container.perform { context in _ = try context.insert(Leaflet(title: "title")) }
        }
        try connection.run("DROP TABLE \(table) CASCADE")
        expectError(from: "a missing table") { try container.read { _ = try $0.count(of: Leaflet.all) } }
        try connection.run("DROP SCHEMA \(schema) CASCADE")
        expectError(from: "a missing schema") {
            _ = try PersistentContainer(
                for: Leaflet.self,
                at: .postgres(
                    PostgresConfiguration(
                        host: server.folder.path, port: server.port, database: "postgres", user: server.user,
                        password: { secret }, schema: schema, changes: .never)))
        }
        try plain.close()
        expectError(from: "a closed store") { try container.read { _ = try $0.count(of: Leaflet.all) } }
    }
}

private struct Leaflet {
    var title = ""
}

extension Leaflet: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Leaflet>> = [.init(\.title, "title")]
}
#endif
