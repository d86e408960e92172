#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("The cache of prepared statements")
struct StatementCacheTests {
    private func shape(_ number: Int) -> StatementShape { StatementShape(sql: "SELECT \(number)", types: []) }

    @Test func `a statement is prepared at its second use`() {
        var cache = StatementCache(limit: 2, label: "a")
        expect(cache.way(of: shape(1)) == .unnamed)
        expect(cache.way(of: shape(1)) == .prepare("sworm_a_1"))
        cache.didPrepare(shape(1), as: "sworm_a_1")
        expect(cache.way(of: shape(1)) == .prepared("sworm_a_1"))
        expect(cache.way(of: StatementShape(sql: "SELECT 1", types: [.int8])) == .unnamed)
    }

    @Test func `a preparation that failed is repeated under another name`() {
        var cache = StatementCache(limit: 2, label: "a")
        _ = cache.way(of: shape(1))
        expect(cache.way(of: shape(1)) == .prepare("sworm_a_1"))
        expect(cache.way(of: shape(1)) == .prepare("sworm_a_2"))
    }

    @Test func `the least recently used statement is removed first`() {
        var cache = StatementCache(limit: 2, label: "a")
        for number in [1, 2, 3] {
            _ = cache.way(of: shape(number))
            if number == 3 { _ = cache.way(of: shape(1)) }
            guard case .prepare(let name) = cache.way(of: shape(number)) else { Issue.record("\(number)"); continue }
            cache.didPrepare(shape(number), as: name)
        }
        expect(cache.takeRemoved() == ["sworm_a_2"])
        expect(cache.takeRemoved() == [])
        #expect(cache.count == 2)
        expect(cache.way(of: shape(1)) == .prepared("sworm_a_1"))
        expect(cache.way(of: shape(2)) == .unnamed)
    }

    @Test func `forgotten statements are prepared again`() {
        var cache = StatementCache(limit: 4, label: "a")
        for number in 1...2 {
            _ = cache.way(of: shape(number))
            _ = cache.way(of: shape(number))
            cache.didPrepare(shape(number), as: "sworm_a_\(number)")
        }
        _ = cache.way(of: shape(3))
        cache.forgetAll(areKnown: true)
        #expect(cache.count == 0)
        expect(cache.takeRemoved().sorted() == ["sworm_a_1", "sworm_a_2"])
        for number in 1...3 {
            guard case .prepare(let name) = cache.way(of: shape(number)) else { Issue.record("\(number)"); continue }
            cache.didPrepare(shape(number), as: name)
        }
        #expect(cache.count == 3)
        // The server does not know them any more, so that it need not remove them.
        cache.forgetAll(areKnown: false)
        expect(cache.takeRemoved() == [])
    }

    @Test func `a cache without room prepares nothing`() {
        var cache = StatementCache(limit: 0, label: "a")
        for _ in 0..<3 { expect(cache.way(of: shape(1)) == .unnamed) }
    }

    @Test func `the names of two caches differ`() {
        var caches = [StatementCache(), StatementCache()]
        for place in caches.indices { _ = caches[place].way(of: shape(1)) }
        let (first, second) = (caches[0].way(of: shape(1)), caches[1].way(of: shape(1)))
        #expect(first != second)
    }

    @Test func `statements that are run once do not fill the cache`() {
        var cache = StatementCache(limit: 4, label: "a")
        _ = cache.way(of: shape(1))
        _ = cache.way(of: shape(1))
        cache.didPrepare(shape(1), as: "sworm_a_1")
        for number in 2..<1000 { _ = cache.way(of: shape(number)) }
        expect(cache.way(of: shape(1)) == .prepared("sworm_a_1"))
        expect(cache.takeRemoved().isEmpty)
    }
}

@Suite("Prepared statements on a server", .needsServer)
struct PreparedStatementTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws { database = try TestDatabase() }

    private func prepared(_ text: String, on connection: PostgresConnection) throws -> Int64? {
        try connection.integer(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%\(text)%' AND statement NOT LIKE '%pg_prepared%'"
        )
    }

    @Test func `a statement has a name from its second use on`() throws {
        for expected: Int64 in [0, 1, 1] {
            #expect(try connection.integer("SELECT $1 + 7777", integers(1)) == 7778)
            #expect(try prepared("+ 7777", on: connection) == expected)
        }
    }

    @Test func `a statement that occurs twice in one trip is prepared once`() throws {
        let statement = SQLStatement("SELECT $1 + 8888", with: integers(2))
        for _ in 0..<3 {
            let results = try connection.run([statement, statement, statement])
            #expect(try results.map { try $0.int64(0, column: 0) } == [8890, 8890, 8890])
        }
        #expect(try prepared("+ 8888", on: connection) == 1)
    }

    @Test func `two connections have no name in common`() throws {
        let connections = try [database.connect(), database.connect()]
        for connection in connections {
            for _ in 0..<2 { _ = try connection.integer("SELECT $1 + 7070", integers(1)) }
        }
        let names = try connections.map { connection -> String? in
            try connection.string("SELECT name FROM pg_prepared_statements WHERE statement LIKE '%7070'")
        }
        #expect(names.allSatisfy { $0?.hasPrefix("sworm_") == true } && names[0] != names[1], "\(names)")
    }

    @Test func `behind a pooler nothing is prepared`() throws {
        let other = try database.connect { $0.pooler = .transaction }
        for _ in 0..<4 { #expect(try other.integer("SELECT $1 + 9999", integers(1)) == 10_000) }
        #expect(try other.integer("SELECT count(*) FROM pg_prepared_statements") == 0)
    }

    @Test func `no more than 256 statements stay prepared`() throws {
        for _ in 0..<2 {
            for number in 0..<300 { try connection.run("SELECT \(number)::bigint AS many") }
            for number in 0..<300 { try connection.run("SELECT \(number)::bigint AS many") }
        }
        let count = try #require(try prepared("AS many", on: connection))
        #expect(count <= 256 + 16 && count >= 200)
    }

    @Test func `a changed type is noticed in silence where nothing has happened yet`() throws {
        try connection.run("CREATE TABLE t (n int)")
        try connection.run("INSERT INTO t VALUES (5)")
        for _ in 0..<3 { #expect(try connection.integer("SELECT n FROM t") == 5) }
        try database.connect().run("ALTER TABLE t ALTER n TYPE bigint")
        #expect(try connection.integer("SELECT n FROM t") == 5)
        try database.connect().run("ALTER TABLE t ALTER n TYPE smallint")
        // As the first statement of a transaction.
        try connection.transaction(TransactionOptions()) { () throws in
            #expect(try connection.integer("SELECT n FROM t") == 5)
            #expect(try connection.string("SHOW transaction_isolation") == "repeatable read")
        }
        // The statements of the two other types are removed later, together with more of them.
        #expect(connection.cache.removed.count == 2)
    }

    @Test func `a changed type is a conflict inside of a transaction`() throws {
        try connection.run("CREATE TABLE t (n int)")
        for _ in 0..<3 { _ = try connection.integer("SELECT n FROM t") }
        try connection.begin(TransactionOptions(.readCommitted))
        try connection.run("SELECT 1")
        try database.connect().run("ALTER TABLE t ALTER n TYPE bigint")
        let error = try #require(serverError { try connection.integer("SELECT n FROM t") })
        #expect(error.kind == .conflict && error.isRetryable && error.state == .featureNotSupported)
        connection.rollback()
        try connection.transaction(TransactionOptions()) { () throws in
            #expect(try connection.integer("SELECT n FROM t") == nil)
        }
    }

    @Test func `statements that the server has forgotten are prepared again`() throws {
        for _ in 0..<3 { _ = try connection.integer("SELECT 5555::bigint") }
        try connection.run("DEALLOCATE ALL")
        #expect(try connection.integer("SELECT 5555::bigint") == 5555)
        try connection.run("DEALLOCATE ALL")
        try connection.transaction(TransactionOptions()) { () throws in
            #expect(try connection.integer("SELECT 5555::bigint") == 5555)
        }
    }

    @Test func `several stale statements in one trip are noticed in silence`() throws {
        try connection.run("CREATE TABLE t (a int, b int, c int)")
        try connection.run("INSERT INTO t VALUES (1, 2, 3)")
        let statements = ["a", "b", "c"].map { SQLStatement("SELECT \($0) FROM t") }
        func values() throws -> [Int64?] { try connection.run(statements).map { try $0.int64(0, column: 0) } }
        for _ in 0..<3 { #expect(try values() == [1, 2, 3]) }
        try database.connect().run("ALTER TABLE t ALTER a TYPE bigint, ALTER b TYPE bigint, ALTER c TYPE bigint")
        for _ in 0..<3 { #expect(try values() == [1, 2, 3]) }
        try database.connect().run("ALTER TABLE t ALTER a TYPE smallint, ALTER b TYPE smallint, ALTER c TYPE smallint")
        try connection.transaction(TransactionOptions()) { () throws in #expect(try values() == [1, 2, 3]) }
        try connection.run("DEALLOCATE ALL")
        for _ in 0..<3 { #expect(try values() == [1, 2, 3]) }
        // Inside of a transaction, one repetition is enough for all of them.
        try connection.begin(TransactionOptions(.readCommitted))
        try connection.run("SELECT 1")
        try database.connect().run("ALTER TABLE t ALTER a TYPE bigint, ALTER b TYPE bigint, ALTER c TYPE bigint")
        #expect(serverError { try connection.integer("SELECT b FROM t") }?.kind == .conflict)
        connection.rollback()
        try connection.transaction(TransactionOptions(.readCommitted)) { () throws in
            try connection.run("SELECT 1")
            for column in ["a", "b", "c"] { _ = try connection.integer("SELECT \(column) FROM t") }
        }
    }

    @Test func `a feature that the server lacks is no change of the schema`() throws {
        try connection.run(
            "CREATE FUNCTION pg_temp.refuse() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE feature_not_supported; END $$"
        )
        for isInTransaction in [false, true] {
            if isInTransaction { try connection.begin(TransactionOptions()) }
            for _ in 0..<4 {
                let error = serverError { try connection.run("SELECT pg_temp.refuse()") }
                #expect(error?.kind == .notSupported && error?.isRetryable == false)
                guard isInTransaction else { continue }
                connection.rollback()
                try connection.begin(TransactionOptions())
                try connection.run("SELECT 1")
            }
            connection.rollback()
        }
        // A statement that another one prepares, and that does not exist.
        for _ in 0..<4 { #expect(serverError { try connection.run("EXECUTE nothing") }?.kind == .statement) }
    }

    @Test func `statements outlive a rolled back transaction`() throws {
        try connection.begin(TransactionOptions())
        for _ in 0..<3 { _ = try connection.integer("SELECT 6666::bigint") }
        _ = try? connection.run("SELECT 1 / 0")
        connection.rollback()
        #expect(try connection.integer("SELECT 6666::bigint") == 6666)
        #expect(try prepared("6666", on: connection) == 1)
    }
}
#endif
