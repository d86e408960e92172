#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Opening connections", .needsServer)
struct OpeningTests {
    private let database: TestDatabase
    init() throws { database = try TestDatabase() }

    @Test func `the first host that answers is used`() throws {
        let connection = try database.connect {
            $0.hosts.insert(.init("/nowhere"), at: 0)
            $0.hosts.insert(.init("127.0.0.1", port: 1), at: 1)
            $0.hosts.append(.init("/nowhere_else"))
        }
        #expect(connection.host.name == database.server.folder.path)
        #expect(try connection.integer("SELECT 1::bigint") == 1)
        #expect(connection.serverVersion >= 140_000)
    }

    @Test func `the error of several hosts names each of them`() throws {
        let error = try #require(
            serverError { try database.connect { $0.hosts = [.init("/nowhere"), .init("/elsewhere")] } })
        #expect(error.kind == .unavailable)
        #expect(error.message.contains("at /nowhere:") && error.message.contains("at /elsewhere:"))
    }

    @Test func `a wrong database and a wrong user have the server's code`() throws {
        let first = try #require(serverError { try database.connect { $0.database = "nowhere" } })
        #expect(first.state == .invalidCatalogName)
        #expect(first.message.contains("to database \"nowhere\" as user \"postgres\": the database does not exist"))
        let second = try #require(serverError { try database.connect { $0.user = "nobody_here" } })
        #expect(second.kind == .permission)
        #expect(second.state?.category == "28")
    }

    @Test func `a standby is asked for in vain, and preferred in vain`() throws {
        #expect(serverError { try database.connect { $0.target = .standby } }?.kind == .unavailable)
        let connection = try database.connect { $0.target = .preferStandby }
        #expect(try connection.integer("SELECT 1::bigint") == 1)
        #expect(throws: Never.self) { try database.connect { $0.target = .readWrite } }
    }

    @Test func `the password is asked for at each new connection`() throws {
        let count = Counter()
        let change: (inout PostgresAddress) -> Void = {
            $0.password = .asked {
                count.add()
                return "any"
            }
        }
        _ = try database.connect(change)
        _ = try database.connect(change)
        #expect(count.value == 2)
        struct Locked: Error {}
        #expect(throws: Locked.self) { try database.connect { $0.password = .asked { throw Locked() } } }
    }

    @Test func `the timeouts of a session are those of the address`() throws {
        let connection = try database.connect {
            $0.timeouts = .init(statement: .milliseconds(1234), lock: .seconds(7), idle: nil)
        }
        #expect(try connection.string("SHOW statement_timeout") == "1234ms")
        #expect(try connection.string("SHOW lock_timeout") == "7s")
        #expect(try connection.string("SHOW idle_in_transaction_session_timeout") == "0")
    }

    @Test func `a database in another encoding is an error`() throws {
        let name = "\(database.schema)_latin"
        try database.connection.run("CREATE DATABASE \(name) ENCODING 'LATIN1' TEMPLATE template0")
        let error = serverError { try database.connect { $0.database = name } }
        #expect(error?.kind == .notSupported)
        #expect(error?.message.contains("LATIN1") == true)
        try database.connection.run("DROP DATABASE \(name)")
    }
}
#endif
