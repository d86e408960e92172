#if PostgreSQL
import Foundation
import SwormRows
import Testing

@testable import SwormPostgres

@Suite("Running statements", .needsServer)
struct StatementTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws { database = try TestDatabase() }

    @Test func `a statement returns its rows, names and types`() throws {
        let result = try connection.run("SELECT 1::int AS one, 'a' AS letter, NULL::uuid AS nothing")
        #expect(result.rowCount == 1 && result.columnCount == 3)
        #expect((0..<3).map { result.name(ofColumn: $0) } == ["one", "letter", "nothing"])
        #expect((0..<3).map { result.type(ofColumn: $0) } == [.int4, .text, .uuid])
        #expect(result.isNull(0, column: 2))
        #expect(try result.uuid(0, column: 2) == nil)
        #expect(try result.int(0, column: 0) == 1)
    }

    @Test func `cells that do not exist are NULL`() throws {
        let result = try connection.run("SELECT 1::bigint")
        for (row, column) in [(-1, 0), (1, 0), (0, -1), (0, 1), (.max, .max)] {
            #expect(result.isNull(row, column: column))
            #expect(try result.int64(row, column: column) == nil)
        }
        #expect(result.name(ofColumn: 7) == "")
        #expect(result.type(ofColumn: -3).rawValue == 0)
    }

    @Test func `a value of another type is an error`() throws {
        let result = try connection.run("SELECT 1::bigint, 'a', 1.5::float8, now(), true")
        #expect(throws: DecodingFailure.self) { try result.string(0, column: 0) }
        #expect(throws: DecodingFailure.self) { try result.int64(0, column: 1) }
        #expect(throws: DecodingFailure.self) { try result.decimal(0, column: 2) }
        #expect(throws: DecodingFailure.self) { try result.double(0, column: 3) }
        let issue = #expect(throws: DecodingFailure.self) { try result.uuid(0, column: 4) }
        #expect(issue?.found == "boolean")
        #expect(issue?.expected == "blob of 16 bytes or NULL")
    }

    @Test func `the number of affected rows is known`() throws {
        #expect(try connection.run("CREATE TABLE t (n bigint)").affectedRows == 0)
        #expect(try connection.run("INSERT INTO t SELECT generate_series(1, 7)").affectedRows == 7)
        #expect(try connection.run("UPDATE t SET n = n + 1 WHERE n > 3").affectedRows == 4)
        #expect(try connection.run("SELECT * FROM t").affectedRows == 7)
    }

    @Test func `an error has the server's code and names`() throws {
        try connection.run("CREATE TABLE t (n bigint CONSTRAINT t_key UNIQUE, r bigint NOT NULL DEFAULT 0)")
        try connection.run("INSERT INTO t VALUES (1)")
        let unique = try #require(serverError { try connection.run("INSERT INTO t VALUES ($1)", with: integers(1)) })
        #expect(unique.kind == .uniqueViolation && unique.state == .uniqueViolation)
        #expect(unique.constraint == "t_key" && unique.table == "t" && unique.schema == database.schema)
        #expect(unique.sql == "INSERT INTO t VALUES ($1)")
        let null = try #require(serverError { try connection.run("INSERT INTO t (n, r) VALUES (2, NULL)") })
        #expect(null.kind == .constraintViolation && null.column == "r")
        let unknown = try #require(serverError { try connection.run("SELECT nothing FROM t") })
        #expect(unknown.kind == .statement)
        #expect(unknown.message.hasSuffix("column \"nothing\" does not exist"))
        #expect(serverError { try connection.run("SELECT 1 / 0") }?.kind == .divisionByZero)
        #expect(
            serverError { try connection.run("SELECT 2::int ^ 2147483647 * 1e300::float8::int") }?.kind == .overflow)
        // The connection can still be used.
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    }

    @Test func `the errors of limits and of permissions say what was exceeded or denied`() throws {
        try connection.run("CREATE TABLE t (s text)")
        try connection.run("CREATE INDEX t_s ON t (s)")
        // Random, because the server compresses anything else.
        var random = seededRandom()
        let characters = (0..<5000).map { _ in Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &random))) }
        let long = parameters { #expect($0.append(String(characters))) }
        let limit = try #require(serverError { try connection.run("INSERT INTO t VALUES ($1)", with: long) })
        #expect(limit.kind == .limit)
        #expect(limit.message.contains("index row size") && limit.message.contains("\"t_s\""))
        try connection.run("CREATE ROLE \(database.schema)_guest")
        defer { _ = try? connection.run("DROP ROLE \(database.schema)_guest") }
        try connection.run("SET ROLE \(database.schema)_guest")
        let denied = try #require(serverError { try connection.run("SELECT * FROM \(database.schema).t") })
        #expect(denied.kind == .permission)
        try connection.run("RESET ROLE")
    }

    @Test func `statements without rows, with NUL, and with too many parameters`() throws {
        #expect(try connection.run("").rowCount == 0)
        #expect(serverError { try connection.run("SELECT 1\0") }?.kind == .misuse)
        let many = parameters { parameters in for number in 0..<65_536 { parameters.append(Int64(number)) } }
        #expect(serverError { try connection.run("SELECT 1", with: many) }?.kind == .limit)
        let most = parameters { parameters in for number in 0..<65_535 { parameters.append(Int64(number)) } }
        #expect(try connection.integer("SELECT $1 + $65535", most) == 65_534)
        #expect(serverError { try connection.run("SELECT 1; SELECT 2") }?.state?.rawValue == "42601")
    }

    @Test func `large values go both ways`() throws {
        // Longer than the buffers of both sides, without a period that they have.
        let part = Data((0..<10_007).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let data = (0..<2000).reduce(into: Data()) { data, _ in data.append(part) }
        let parameters = parameters { #expect($0.append(data)) }
        #expect(try connection.run("SELECT $1", with: parameters).data(0, column: 0) == data)
    }

    @Test func `notices are dropped`() throws {
        try connection.run("SET client_min_messages = debug1")
        try connection.run("DO $$ BEGIN RAISE NOTICE 'hello'; END $$")
        #expect(try connection.integer("SELECT 1::bigint") == 1)
    }

    @Test func `an observer receives each statement with its rows and no values`() throws {
        let seen = SharedList<RunStatement>()
        connection.watch = StatementWatch { seen.append($0) }
        try connection.transaction(TransactionOptions()) {
            for _ in 0..<3 { try connection.run("SELECT generate_series($1, 5)", with: integers(1)) }
        }
        let expected =
            ["BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"]
            + Array(repeating: "SELECT generate_series($1, 5)", count: 3) + ["COMMIT"]
        #expect(seen.elements.map(\.sql) == expected)
        #expect(seen.elements.map(\.rows) == [0, 5, 5, 5, 0])
        #expect(seen.elements.allSatisfy { $0.sqlWithValues == nil && $0.seconds >= 0 })
    }

    @Test func `COPY by the wrong method closes the connection with an error`() throws {
        try connection.run("CREATE TABLE t (n bigint)")
        let other = try database.connect()
        #expect(serverError { try other.run("COPY t TO STDOUT") }?.kind == .misuse)
        #expect(other.isLost)
        #expect(serverError { try other.run("SELECT 1") }?.kind == .unavailable)
    }
}
#endif
