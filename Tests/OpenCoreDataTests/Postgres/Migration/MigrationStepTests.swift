#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: steps that a migration leaves", .enabled(if: PostgresServer.isEnabled))
struct MigrationStepTests {
    private let server: PostgresOptions
    private static var first: NSManagedObjectModel { VersionedShop.version() }
    private static var indexed: NSManagedObjectModel {
        VersionedShop.version { shop in
            shop.index("year")
            shop.book.uniquenessConstraints = [["title"]]
        }
    }
    /// A version that has given up the constraint.
    private static var third: NSManagedObjectModel {
        VersionedShop.version { shop in
            shop.index("year")
            shop.book.versionHashModifier = "3"
        }
    }

    init() throws { server = try PostgresStores.migrationServer() }

    @discardableResult
    private func run(_ sql: String) throws -> [String?] {
        try PostgresStores.runMigrated(sql.replacing("@", with: "\(server.schema)."))
    }

    /// The number of indexes with the name of that of the constraint.
    private func uniqueIndexes() throws -> [String?] {
        try run(
            "SELECT count(*) FROM pg_class WHERE relname = 'Book_title_key' AND relnamespace = '\(server.schema)'::regnamespace"
        )
    }

    private func insert(_ titles: String..., into store: PostgresStore) throws {
        let book = try #require(store.model.entity(named: "Book")).number
        for title in titles { try store.insert(book, ["title": .string(title), "year": .int(1900)]) }
    }

    /// Migrates the store to the version with indexes, and leaves their creation to later programs.
    private func leaveWork() throws {
        let first = try PostgresStores.store(Self.first, at: server)
        try insert("a", "b", into: first)
        first.close()
        let holder = try PostgresConnection.open(server.address)
        let number = AdvisoryLock.work(onSchema: server.schema).number
        try holder.run(.command("SELECT pg_advisory_lock(\(number))"))
        let store = try PostgresStores.store(Self.indexed, at: server)
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        store.close()
        try holder.run(.command("SELECT pg_advisory_unlock(\(number))"))
        #expect(try PostgresStores.state(of: server).work.count == 2)
    }

    @Test func `a program without permission leaves the steps to the next program`() throws {
        try leaveWork()
        let role = "app_\(server.schema)"
        try run("CREATE ROLE \(role) LOGIN")
        try run("GRANT USAGE ON SCHEMA \(server.schema) TO \(role)")
        try run("GRANT ALL ON ALL TABLES IN SCHEMA \(server.schema) TO \(role)")
        try run("GRANT ALL ON ALL SEQUENCES IN SCHEMA \(server.schema) TO \(role)")
        var other = server
        other.address.user = role
        let app = try PostgresStores.store(Self.indexed, at: other)
        #expect(app.upkeep.wait(until: .now + .seconds(240)))
        let work = try PostgresStores.state(of: server).work
        #expect(work.count == 2 && work.allSatisfy { $0.failure == nil && $0.failureTime == nil })
        let error = try #require(throws: CoreDataError.self) { try app.migrate() }
        #expect(error.message.contains("Let a user who owns the tables open the store"), "\(error.message)")
        let owner = try PostgresStores.store(Self.indexed, at: server)
        #expect(owner.upkeep.wait(until: .now + .seconds(240)))
        #expect(try PostgresStores.state(of: server).work == [])
        #expect(try uniqueIndexes() == ["1"])
    }

    @Test func `an unfinished index goes with its constraint`() throws {
        try leaveWork()
        // The index waits for the end of this transaction, and then rejects rows already.
        let other = try PostgresConnection.open(server.address)
        try other.begin(TransactionOptions(.repeatableRead))
        try other.run(.command("SELECT 1"))
        let builder = try PostgresConnection.open(server.address)
        try builder.run(.command("SET statement_timeout = 3000"))
        _ = #expect(throws: ServerError.self) {
            try builder.run(
                .command(
                    "CREATE UNIQUE INDEX CONCURRENTLY \"Book_title_key\" ON \(server.schema).\"Book\" (title NULLS FIRST)"
                ))
        }
        try other.commit()
        _ = #expect(throws: ServerError.self) { try run("INSERT INTO @\"Book\" (title, year) VALUES ('a', 1)") }

        let store = try PostgresStores.store(Self.third, at: server)
        try store.migrate()
        try insert("a", into: store)
        #expect(try uniqueIndexes() == ["0"])
        #expect(try PostgresStores.state(of: server).work == [])
        // A program with the older version does not ask for an index that nobody creates any more.
        try insert("c", into: try PostgresStores.store(Self.indexed, at: server))
    }

    @Test func `an index whose constraint is given up while a program creates it is removed`() throws {
        try leaveWork()
        let hasMigrated = Locked(false)
        let third = server
        let watch = StatementWatch { run in
            guard run.sql.contains("x.indisvalid"), !hasMigrated.withLock({ $0 }) else { return }
            hasMigrated.withLock { $0 = true }
            #expect(throws: Never.self) { try PostgresStores.store(Self.third, at: third).close() }
        }
        let failures = try ServerWorkRun(options: server, watch: watch, token: InterruptToken())(isAsked: true)
        #expect(failures.isEmpty && hasMigrated.withLock { $0 })
        #expect(try uniqueIndexes() == ["0"])
        #expect(try PostgresStores.state(of: server).work == [])
    }

    @Test func `a default value cannot end the body of a trigger`() throws {
        let old = try PostgresStores.store(Self.first, at: server)
        let value = "$sworm$ $sworm1$\u{301} $sworm$\u{301} it's \\"
        let new = try PostgresStores.store(
            VersionedShop.version { shop in
                shop.attribute("note").isOptional = false
                shop.attribute("note").defaultValue = value
            }, at: server)
        try insert("a", into: old)
        // An explicit NULL is what the trigger replaces.
        try run("INSERT INTO @\"Book\" (title, year, note) VALUES ('b', 1, NULL)")
        let book = try #require(new.model.entity(named: "Book")).number
        #expect(try new.values(book, "note") == [.string(value), .string(value)])
    }
}

@Suite("PostgreSQL: plans of migrations with steps left")
struct ServerMigrationPlanStepTests: MigrationPlanning {
    private func state(_ plan: ServerMigrationPlan) -> ServerMigrationState {
        var state = ServerMigrationState()
        (state.syncs, state.work, state.leftovers) = (plan.syncs, plan.work, plan.leftovers)
        return state
    }

    @Test func `an index that is left to create has the names after a renaming`() throws {
        let old = version { $0.index("year") }
        let new = version { shop in
            shop.index("year")
            shop.rename(shop.attribute("year"), to: "since")
        }
        let waiting = state(try plan(old))
        #expect(waiting.work.count == 1)
        let plan = try ServerMigrationPlanner(input(from: old, to: new, state: waiting), form: .complete).plan()
        #expect(
            plan.work.flatMap { $0.sql(in: "\"s\".") } == [
                #"CREATE INDEX CONCURRENTLY "Book_byYear" ON "s"."Book" ("since" NULLS FIRST, "_key")"#
            ])
        #expect(plan.statements.contains(#"DROP INDEX IF EXISTS "s"."Book_byYear""#))
    }

    @Test func `the check of a column that is not required any more is removed`() throws {
        let required = version { shop in
            shop.attribute("note").isOptional = false
            shop.attribute("note").defaultValue = "none"
        }
        let waiting = state(try plan(required))
        #expect(waiting.work == [ServerWork(.required(table: "Book", column: "note"))])
        let plan = try plan(version { _ in }, from: required, state: waiting)
        #expect(plan.work == [])
        #expect(
            plan.statements.contains(
                #"ALTER TABLE IF EXISTS "s"."Book" DROP CONSTRAINT IF EXISTS "Book_note_required""#),
            "\(plan.statements)")
    }

    @Test(arguments: [
        "", "plain", "$", "$sworm$", "$sworm$ $sworm1$", "$sworm$ $sworm8$", "$sworm", "$sworm$sworm",
        "a$sworm$\u{301}",
    ])
    func `a quoted body ends where its tag is repeated`(_ body: String) throws {
        let quoted = Array(SQLName.dollarQuoted(body).utf8)
        let end = try #require(quoted.dropFirst().firstIndex(of: UInt8(ascii: "$")))
        let tag = Array(quoted[...end])
        let places = quoted.indices.filter { quoted[$0...].starts(with: tag) }
        #expect(places == [0, quoted.count - tag.count])
        #expect(Array(quoted[tag.count..<(quoted.count - tag.count)]) == Array(body.utf8))
    }
}
#endif
