#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite(
    "Connections through a pooler that assigns them to transactions", .needsServer,
    .enabled(if: TestPooler.program != nil, "there is no pgbouncer"))
struct PoolerTests {
    private let database: TestDatabase
    private let pooler: TestPooler
    init() throws {
        database = try TestDatabase()
        pooler = try TestPooler(of: database.server)
        try database.connection.run("CREATE TABLE t (n bigint UNIQUE, s text)")
    }

    private var table: String { "\(database.schema).t" }

    private func connect(_ kind: PostgresAddress.Pooler = .transaction) throws -> PostgresConnection {
        try PostgresConnection.open(
            database.address {
                $0.hosts = [.init(pooler.folder.path, port: pooler.port)]
                $0.pooler = kind
            })
    }

    @Test func `several clients share the connections of the server`() throws {
        let clients = try (0..<5).map { _ in try connect() }
        for round in 0..<20 {
            for (index, client) in clients.enumerated() {
                let number = Int64(round * 5 + index)
                try client.transaction(TransactionOptions(.readCommitted)) {
                    try client.run("INSERT INTO \(table) VALUES ($1)", with: integers(number))
                    #expect(try client.string("SHOW statement_timeout") == "30s")
                }
                #expect(try client.integer("SELECT $1 + 1", integers(number)) == number + 1)
            }
        }
        #expect(try clients[0].integer("SELECT count(*) FROM \(table)") == 100)
        #expect(try clients[0].integer("SELECT count(*) FROM pg_prepared_statements") == 0)
    }

    @Test func `pipelines, cursors, savepoints and COPY work`() throws {
        let client = try connect()
        try client.transaction(TransactionOptions()) {
            try client.copyIn(into: "\(table) (n, s)", types: [.int8, .text]) { writer in
                for number in 0..<5000 {
                    try writer.beginRow()
                    _ = writer.write(Int64(number))
                    _ = writer.write("row \(number)")
                }
            }
            _ = try? client.savepoint { try client.run("INSERT INTO \(table) VALUES (1)") }
            var count = 0
            let cursor = try client.cursor(SQLStatement("SELECT n FROM \(table)"), portion: 777)
            while let portion = try cursor.next() { count += portion.rowCount }
            #expect(count == 5000)
        }
        #expect(try client.copyOut(of: table) { _ in } == 5000)
    }

    @Test func `a token stops a statement`() throws {
        let client = try connect()
        let token = InterruptToken()
        token.deadline = .now.advanced(by: .milliseconds(100))
        client.interruption = token
        try client.begin(TransactionOptions())
        #expect(serverError { try client.run("SELECT pg_sleep(66)") }?.kind == .timeout)
        client.reset()
        #expect(!client.isLost)
        #expect(try client.integer("SELECT 1::bigint") == 1)
    }

    @Test func `a session never runs the statement of another one, and the error says what to write`() throws {
        let (one, other) = (try connect(.none), try connect(.none))
        // The pooler has two connections of the server, of which each of these clients takes one.
        let holders = try (0..<2).map { _ in try connect() }
        func hold(_ index: Int) throws {
            try holders[index].begin(TransactionOptions())
            try holders[index].run("SELECT 1")
        }
        try hold(0)
        for _ in 0..<3 { #expect(try other.integer("SELECT $1 + 2000", integers(1)) == 2001) }
        try hold(1)
        holders[0].rollback()
        for _ in 0..<3 { #expect(try one.integer("SELECT $1 + 1000", integers(1)) == 1001) }
        // The statement of the first client is now run on the connection on which the other client has prepared its own.
        try hold(0)
        holders[1].rollback()
        #expect(try one.integer("SELECT $1 + 1000", integers(1)) == 1001)
        // Inside of a transaction, it cannot be prepared again.
        try hold(1)
        holders[0].rollback()
        try one.begin(TransactionOptions())
        try one.run("SELECT 1 AS first")
        let error = try #require(serverError { try one.integer("SELECT $1 + 1000", integers(1)) })
        #expect(error.state == .invalidStatementName && error.message.contains("pooler=transaction"), "\(error)")
        one.rollback()
        #expect(try one.integer("SELECT $1 + 1000", integers(1)) == 1001)
    }
}
#endif
