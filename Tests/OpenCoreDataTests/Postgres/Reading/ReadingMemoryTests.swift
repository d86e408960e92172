#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: evaluation in memory", .enabled(if: PostgresServer.isEnabled))
struct ReadingMemoryTests {
    /// Conditions that have no exact form, with the number of rows that they find.
    private static let conditions: [(entity: String, format: String, found: Int)] = [
        ("Person", "name MATCHES '[a-zB].*'", 5), ("Person", "name ==[l] 'asa'", 1),
        ("Person", "isActive == YES AND name MATCHES '.*o.*'", 1), ("Person", "mentor.name MATCHES '.*o.*'", 5),
        ("Person", "mentor.mentor.name MATCHES '.*s.*' AND age > 4", 5),
        ("Person", "ANY pupils.name MATCHES 'z.*'", 1), ("Person", "ALL pupils.name MATCHES '.*'", 12),
        ("Person", "SUBQUERY(pupils, $p, $p.name MATCHES '.*o.*' AND $p.age > 1).@count > 0", 3),
        ("Person", "address.street MATCHES '.*1' AND NOT (name MATCHES '.*x.*')", 3),
        ("Person", "height ** 2 > 0.2", 3), ("Person", "sqrt(weight) > 2", 8), ("Person", "uppercase(name) == 'BO'", 2),
        ("Person", "rank == height", 0), ("Person", "name LIKE mentor.name", 0),
        ("Person", "address.street LIKE mentor.address.street", 3),
        ("Author", "ANY books.title MATCHES 'Title [12]'", 3),
        ("Book", "author.name MATCHES '.*' AND ANY tags.name MATCHES 'r.*'", 8),
        ("Book", "title MATCHES 'Title [0-3]' OR price == 19.99", 19),
        ("Book", "published > CAST(4000001, 'NSDate') AND title MATCHES '.*'", 20),
    ]

    @Test func `conditions without an exact form find the same rows as in a file`() throws {
        let stores = try ReadingModel.stores()
        for (entity, format, found) in Self.conditions {
            let request = try stores.request(entity, format)
            #expect(throws: NotExact.self, "\(format)") { try stores.server.schema.compiler.identities(request) }
            #expect(try stores.expectSame(request, "\(format)") == found, "\(format)")
            for (limit, offset) in [(2, 0), (3, 2), (0, 4)] {
                for sorts: [FetchSpecification.Sort] in [
                    [], [.init(path: [entity == "Book" ? "title" : "name"], ascending: false)],
                    [
                        .init(
                            path: [entity == "Book" ? "title" : "name"], options: [.localeSensitive, .caseInsensitive])
                    ],
                ] {
                    let part = try stores.request(
                        entity, format, sorts: sorts, limit: limit, offset: offset)
                    try stores.expectSame(part, "\(format) \(sorts) \(limit) \(offset)")
                }
            }
        }
    }

    @Test func `an order without an exact form is that of a file`() throws {
        let stores = try ReadingModel.stores()
        let orders: [[FetchSpecification.Sort]] = [
            [.init(path: ["name"], options: .localeSensitive)],
            [.init(path: ["name"], ascending: false, options: [.localeSensitive, .caseInsensitive])],
            [.init(path: ["mentor", "name"], options: .localeSensitive), .init(path: ["pupils", "@count"])],
            [.init(path: ["address", "street"], options: [.localeSensitive, .numeric]), .init(path: ["mentor"])],
        ]
        for sorts in orders {
            for (limit, offset) in [(0, 0), (3, 0), (4, 5), (0, 10)] {
                try stores.expectSame(stores.request("Person", sorts: sorts, limit: limit, offset: offset), "\(sorts)")
            }
        }
    }

    @Test func `more rows than a portion are tested with few statements`() throws {
        let stores = try ReadingModel.stores()
        try PostgresStores.run(
            """
            WITH tags AS (INSERT INTO \(stores.server.schema.prefix)"Tag" ("_key", "name")
              SELECT 1000000 + n, 'x' || n FROM generate_series(1, 2500) n RETURNING "_key")
            INSERT INTO \(stores.server.schema.prefix)"Book_tags" ("Book", "Tag") SELECT b."_key", t."_key"
              FROM tags t, (SELECT "_key" FROM \(stores.server.schema.prefix)"Book" ORDER BY "_key" LIMIT 2) b
            """)
        let run = Locked<[String]>([])
        let number = stores.server.add(StatementWatch { statement in run.withLock { $0.append(statement.sql) } })
        defer { stores.server.removeWatch(number) }
        let request = try stores.request("Tag", "name MATCHES 'x.*7' AND ANY books.title MATCHES 'Title [01]'")
        let found = try stores.onServer { try $0.matchingKeys(request) }
        #expect(found == (1...2500).filter { $0 % 10 == 7 }.map { 1_000_000 + $0 })
        let reads = run.withLock { $0.filter { $0.hasPrefix("SELECT") || $0.hasPrefix("FETCH") } }
        // Three portions of tags, and the members of each.
        #expect(reads.count <= 7, "\(reads)")
        run.withLock { $0 = [] }
        var limited = request
        limited.limit = 3
        #expect(try stores.onServer { try $0.matchingKeys(limited) } == Array(found.prefix(3)))
        #expect(run.withLock { $0.count { $0.contains("Book_tags") } } == 1)
    }

    @Test func `a statement that fails because of a number is evaluated in memory`() throws {
        let stores = try ReadingModel.stores()
        for format in [
            "rank * 9000000000 > 0", "rank + 9223372036854775807 > 5", "1 / (age - 4) == 1",
            "-rank < 9000000000 * rank",
            "rank * 9000000000 > 0 AND name MATCHES '.*o.*'",
        ] {
            try stores.expectSame(stores.request("Person", format), "\(format)")
            try stores.expectSame(
                stores.request("Person", format, sorts: [.init(path: ["name"])], limit: 3, offset: 1), "\(format)")
        }
        // The view continues in its transaction, and so does a cursor over the rows before.
        struct Item: Sendable { var key: Int64 = 0 }
        let plan = RowPlan<Item>(ops: [RowOp(column: 0, kind: .int64, offset: 0)], template: Item())
        let number = stores.server.schema.layout.storedNumber(of: try stores.request("Person").entity)
        try PostgresStores.run(
            """
            INSERT INTO \(stores.server.schema.prefix)"Person" ("_key", "_entity", "rank")
              SELECT 1000 + n, \(number), CASE n WHEN 1700 THEN 9223372036854775807 ELSE n END
              FROM generate_series(1, 3000) n
            """)
        let request = try stores.request("Person", "rank + 10 > 500 AND rank > 0", sorts: [.init(path: ["self"])])
        try stores.onServer { session throws in
            var keys: [Int64] = []
            try session.forEach(request, attributes: [], plan: plan, at: nil) { keys.append($0.move().key) }
            // A number that SQLite continues with as a real passes the test.
            #expect(keys.count == Set(keys).count && keys == keys.sorted() && keys.contains(2700) && keys.last == 4000)
            #expect(try session.count(request) == keys.count)
        }
    }

    @Test func `a store can refuse to evaluate in memory`() throws {
        let stores = try ReadingModel.stores(refusesMemory: true)
        let request = try stores.request("Person", "age > 3 AND name MATCHES 'x.*'")
        try stores.onServer { session throws in
            for body in [
                { _ = try session.identities(request) }, { _ = try session.count(request) },
                { try session.check(request) }, { _ = try session.explain(request, as: .objects) },
                {
                    _ = try session.storedRows(
                        ProjectionSpecification(fetch: request, tree: ProjectionTree([.path(["name"])])))
                },
            ] as [() throws -> Void] {
                let error = #expect(throws: CoreDataError.self, performing: body)
                #expect(error?.message.contains("`name MATCHES \"x.*\"`") == true, "\(error?.message ?? "")")
                #expect(error?.message.contains("ICU's regular expressions") == true)
                #expect(error?.errorCode == NSPersistentStoreUnsupportedRequestTypeError)
                #expect(error?.condition == .unsupported)
            }
            var sorted = try stores.request("Person", "age > 3")
            sorted.sorts = [.init(path: ["name"], options: .localeSensitive)]
            #expect(throws: CoreDataError.self) { try session.identities(sorted) }
            #expect(throws: CoreDataError.self) {
                try session.count(stores.request("Person", "rank + 9223372036854775807 > 5"))
            }
            #expect(try session.count(stores.request("Person", "age > 3")) == 7)
        }
    }

    @Test func `an explanation states what is evaluated in memory`() throws {
        let stores = try ReadingModel.stores()
        try stores.onServer { session throws in
            var request = try stores.request("Person", "age > 3 AND name MATCHES 'x.*'")
            request.sorts = [.init(path: ["name"], options: .localeSensitive)]
            let mixed = try session.explain(request, as: .objects)
            #expect(mixed.conditions.map(\.text) == ["age > 3", "name MATCHES \"x.*\""])
            #expect(mixed.conditions.map { $0.reason == nil } == [true, false])
            #expect(mixed.sortReason?.contains("[l]") == true)
            #expect(
                mixed.statement.sql.contains(#"t0."age" > $1"#) && !mixed.statement.sql.contains("ORDER BY t0.\"name\"")
            )
            #expect(mixed.steps.contains { $0.detail.contains("\"Person\" t0") })
            #expect(!mixed.steps.contains { $0.detail.contains("3") })

            let exact = try session.explain(stores.request("Person", "age > 3"), as: .count)
            #expect(exact.statement.sql.hasPrefix("SELECT COUNT(*)") && exact.conditions.map(\.reason) == [nil])
            let age = PlanFinding.Attribute(entity: "Person", name: "age")
            #expect(exact.findings == [.scan(entity: "Person", indexes: [[age]])])

            let overflow = try session.explain(
                stores.request("Person", "rank > 9223372036854775807 + 1 AND age > 3"), as: .objects)
            #expect(overflow.conditions.last?.reason == nil)
            let columns = try session.explain(
                ProjectionSpecification(
                    fetch: stores.request("Person"), tree: ProjectionTree([try parseExpression("uppercase(name)")])))
            #expect(columns.columnReason?.contains("letter case") == true)
            let plain = try session.explain(
                ProjectionSpecification(fetch: stores.request("Person"), tree: ProjectionTree([.path(["name"])])))
            #expect(plain.columnReason == nil && plain.statement.sql.hasPrefix(#"SELECT t0."name""#))
        }
        #expect(
            try stores.read(stores.file) { try $0.explain(stores.request("Person", "age > 3"), as: .objects) }
                .conditions.isEmpty)
    }

    @Test func `keys are given as a statement where there is an exact one`() throws {
        let stores = try ReadingModel.stores()
        try stores.onServer { session throws in
            #expect(
                try session.keyStatement(stores.request("Person", "age > 3"))?.sql.hasPrefix(#"SELECT t0."_key""#)
                    == true)
            #expect(try session.keyStatement(stores.request("Person", "name MATCHES 'x'")) == nil)
            #expect(try session.keyStatement(stores.request("Person", "age + 1 > 3")) == nil)
        }
    }
}
#endif
