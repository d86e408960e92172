#if PostgreSQL
import Foundation
import OpenCoreData
@testable import Sworm
import SwormPredicates
import TestSupport
import Testing

@testable import SwormStore

@Suite("PostgreSQL: locations of stores")
struct OpeningLocationTests {
    private func opened(_ location: StoreLocation) throws -> PersistentContainer {
        try PersistentContainer(for: Magazine.self, at: location)
    }

    @Test func `a location shows neither the password nor the parameters`() {
        let address = "postgres://shop:s3cret@db.example.org:6432/shop?schema=books&sslpassword=hidden"
        let location = StoreLocation.postgres(address)
        #expect(location.description == "postgres://shop@db.example.org:6432/shop (schema books)")
        #expect(location.url == nil && !location.isReadOnly)
        for text in [
            "\(location)", String(reflecting: location), "\(Mirror(reflecting: location).children.map(\.value))",
        ] {
            #expect(!text.contains("s3cret") && !text.contains("hidden"))
        }
        var dumped = ""
        dump(location, to: &dumped)
        #expect(!dumped.contains("s3cret") && !dumped.contains("hidden"))
    }

    @Test func `locations of the same store are equal`() {
        func location(_ schema: String = "a", connections: Int = 10, isReadOnly: Bool = false) -> StoreLocation {
            .postgres(
                .init(
                    host: "db", database: "shop", user: "shop", password: { "s3cret" }, schema: schema,
                    connections: connections, isReadOnly: isReadOnly))
        }
        #expect(location() == location(connections: 3) && location() == .postgres("postgres://shop@db/shop?schema=a"))
        #expect(location().hashValue == location(connections: 3).hashValue)
        #expect(location() != location("b") && location() != location(isReadOnly: true))
        #expect(location(isReadOnly: true).isReadOnly)
    }

    @Test(arguments: [
        "postgres://shop:s3cr@t/x@db/shop", "postgres://db/shop?passwrd=s3cret", "mysql://shop:s3cret@db", "s3cret",
        "host=db s3cret",
    ])
    func `an address that cannot be read is an error without any part of it`(_ address: String) throws {
        let location = StoreLocation.postgres(address)
        let error = try #require(throws: StoreError.self) { try opened(location) }
        #expect(error.code == .cannotOpen)
        for text in [error.message, "\(error)", String(reflecting: error), "\(location)"] {
            #expect(!text.contains("s3c"), "\(text)")
        }
    }

    @Test func `a part of a configuration that no server has is named`() throws {
        typealias Configuration = PostgresConfiguration
        let wrong: [(Configuration, String)] = [
            (Configuration(host: "a,b", database: "x"), "the host contains characters"),
            (Configuration(host: "a", port: 70_000, database: "x"), "the port"),
            (Configuration(host: "a", database: ""), "the name of the database is empty"),
            (Configuration(host: "a", database: "x", connections: 0), "at least one connection"),
            (Configuration(host: "a", database: "x", schema: "pg_x"), "cannot have a store"),
        ]
        for (configuration, reason) in wrong {
            let error = try #require(throws: StoreError.self) { try opened(.postgres(configuration)) }
            #expect(error.code == .cannotOpen && error.message.contains(reason), "\(error.message)")
        }
    }

    @Test func `a configuration has the parts of an address`() throws {
        var configuration = PostgresConfiguration(
            host: "db", port: 6432, database: "shop", user: "me", password: { "s3cret" }, schema: "books",
            connections: 3, pooler: .transaction, tls: .verifyCA,
            timeouts: .init(connection: .seconds(1), statement: nil, lock: .seconds(3), idle: .seconds(4)),
            changes: .never, dates: .doubles, evaluationInMemory: .refuse)
        configuration.isReadOnly = true
        let options = try configuration.options()
        #expect(options.place == "postgres://me@db:6432/shop (schema books)")
        #expect(options.changes == .never && options.dates == .doubles && options.refusesEvaluationInMemory)
        #expect(options.url.absoluteString == "postgres://me@db:6432/shop?schema=books")
        let again = try PostgresOptions(url: options.url)
        #expect(again.place == options.place && again.schema == "books")
    }

    @Test func `the URL of a store leads to it`() throws {
        for text in [
            "host=/tmp/a,/tmp/b port=1,2 user=u dbname=d schema=s", "host=::1 user=u dbname=d schema=s",
            "host=/tmp/x dbname='a b/c?' user='ü@:' schema='x&y=z'", "dbname=d", "host=a,b,c schema=s",
        ] {
            let options = try PostgresOptions(text)
            let again = try PostgresOptions(url: options.url)
            #expect(again.place == options.place, "\(options.url)")
        }
    }

    @Test(.enabled(if: PostgresServer.isEnabled))
    func `a missing store on a server is created by a container`() throws {
        let server = try PostgresServer.shared()
        let schema = server.newSchema()
        let asked = Locked(0)
        let entrance = try server.entrance()
        var configuration = PostgresConfiguration(
            host: entrance.folder, port: entrance.port, database: "postgres", user: server.user,
            password: {
                asked.withLock { $0 += 1 }
                return "not needed"
            }, schema: schema, pooler: ServerEntrance.arePooled ? .transaction : .none, changes: .never)
        let error = try #require(throws: StoreError.self) { try opened(.postgres(configuration)) }
        #expect(error.code == .cannotOpen && error.openingFailure == .missing)
        configuration.changes = .additive
        let store = try opened(.postgres(configuration))
        try store.close()
        #expect(asked.withLock { $0 } == 2)
        configuration.changes = .never
        try opened(.postgres(configuration)).close()
        try opened(.postgres(entrance.address("schema=\(schema)"))).close()
        try PostgresStores.run("ALTER TABLE \(schema).\"Magazine\" DROP COLUMN title")
        let other = try #require(throws: StoreError.self) { try opened(.postgres(configuration)) }
        #expect(other.code == .schemaDiffers && other.openingFailure == nil, "\(other)")
        #expect(throws: StoreError.Code.serverUnavailable) { try opened(.postgres("host=/nowhere dbname=x")) }
    }
}

private struct Magazine {
    var title = ""
}

extension Magazine: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Magazine>> = [.init(\.title, "title")]
}

#endif
