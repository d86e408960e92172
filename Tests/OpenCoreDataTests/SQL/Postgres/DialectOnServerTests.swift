#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormPostgres
@testable import SwormStore

@Suite("PostgreSQL: statements of the dialect on a server", .enabled(if: PostgresServer.isEnabled))
struct DialectOnServerTests {
    // MARK: Dates

    /// Dates of today, whose doubles have a few digits behind the microseconds, and dates of all times.
    private func dates(_ random: inout SeededRandom) -> [Date] {
        func seconds(_ range: Double, _ start: Double) -> Double {
            start + Double(random.next() >> 11) * 0x1p-53 * range
        }
        return (0..<5000).map { number in
            Date(
                timeIntervalSinceReferenceDate: number % 2 == 0
                    ? seconds(1e7, 8e8) : number % 4 == 1 ? seconds(2e11, -1e11) : seconds(2000, -1000))
        }
    }

    @Test func `a date that was stored is found by ==`() throws {
        let seed: UInt64 = 3
        var random = SeededRandom(seed: seed)
        let dates = dates(&random)
        let connection = try DriverConnection()
        try connection.execute("CREATE TEMPORARY TABLE dates (number bigint, date timestamptz)")
        let numbers = Array(Int64(0)..<Int64(dates.count))
        // These are rounded by the driver, like the values of rows.
        let stored = Parameters()
        #expect(stored.append(numbers.map { Optional($0) }) && stored.append(dates.map { Optional($0) }))
        _ = try connection.run(SQLStatement("INSERT INTO dates SELECT * FROM unnest($1, $2)", with: stored))
        let constants = try dates.map { date in
            guard case .date(let seconds)? = try SQLDialect.postgres.binding(.date(date)) else {
                throw QueryError(.argument, "\(date)")
            }
            return seconds
        }
        let found = try connection.rows(
            "SELECT number FROM dates JOIN unnest($1, $2) AS u(n, d) ON number = n AND date = d ORDER BY number",
            [.integers(numbers), .dates(constants)])
        #expect(found.map(\.first) == numbers, "seed \(seed)")
        for (date, constant) in zip(dates, constants) {
            #expect(date.roundedForServer?.timeIntervalSinceReferenceDate == constant, "\(date), seed \(seed)")
        }
    }

    @Test(arguments: ["UTC", "Europe/Berlin", "America/St_Johns"])
    func `seconds become a date by the same rounding`(zone: String) throws {
        let seed: UInt64 = 4
        var random = SeededRandom(seed: seed)
        let edges = [
            0, -0.000_000_5, 0.000_000_5, -1e-20, 86_400, -86_400, 86_399.999_999_5, -63_114_076_800, 63_113_904_000,
            9_223_339_708_799, -211_845_110_400,
        ].map { Date(timeIntervalSinceReferenceDate: $0) }
        let seconds = (dates(&random) + edges).map(\.timeIntervalSinceReferenceDate)
        let connection = try DriverConnection()
        try connection.execute("SET timezone = '\(zone)'")
        let statement = CompiledStatement(
            sql:
                "SELECT number FROM unnest($1, $2) WITH ORDINALITY AS u(v, d, number) WHERE \(ServerDate.timestamp(ofSeconds: "v")) IS DISTINCT FROM d",
            bindings: [.doubles(seconds), .dates(seconds)])
        let wrong = try connection.rows(statement.sql, statement.bindings)
        #expect(wrong.isEmpty, "\(wrong.count) of \(seconds.count), seed \(seed)")
    }

    // MARK: Conditions

    /// The stores of the reading tests, with dates that a server stores unchanged.
    private func stores() throws -> ReadingStores {
        try ReadingStores(ReadingModel.make()) { context in
            let objects = try ReadingModel.fill(context)
            for object in objects where object.entity.attributesByName["born"] != nil {
                object.setValue((object.value(forKey: "born") as? Date)?.roundedForServer, forKey: "born")
            }
            return objects
        }
    }

    /// The texts show where a database with the order of a language differs from one with the order of bytes.
    @Test func `computed strings have the order of their bytes in every database`() throws {
        let stores = try stores()
        let order = try PostgresStores.run(
            "SELECT CASE WHEN 'B' > 'a' OR current_setting('server_version_num')::int < 150000 THEN 'language' END")
        #expect(order == ["language"], "the database has the order of bytes, so that this test proves nothing")
        for format in [
            "TERNARY(age > 3, 'B', name) < TERNARY(age > 3, 'a', name)", "TERNARY(age > 3, 'B', 'a') < 'a'",
            "TERNARY(age > 3, 'B', 'a') BETWEEN {'A', 'Z'}", "canonical(name) < TERNARY(age > 3, 'B', '_')",
            "ANY friends.name < TERNARY(age > 3, 'B', 'a')",
        ] {
            try stores.expectSame(stores.request("Person", format), "\(format)")
        }
        let people = try stores.request("Person", "name IN {'asa', 'Bo', 'bo', 'zoe', 'Zoë'}")
        // A string of a column has the order of the column, and one of constants that of the database.
        for text in ["TERNARY(name == 'asa', 'B', 'a')", "TERNARY(age > 3, name, 'B')", "canonical(name)"] {
            let expression = try parseExpression(text)
            var groups = ProjectionTree([expression, .aggregate(.count)])
            groups.groups = [expression]
            let extremes = ProjectionTree([.aggregate(.minimum, of: expression), .aggregate(.maximum, of: expression)])
            var distinct = ProjectionTree([expression])
            distinct.isDistinct = true
            for tree in [groups, extremes, distinct] {
                let request = ProjectionSpecification(fetch: people, tree: tree)
                let rows = try stores.both { try $0.storedRows(request).rows }
                #expect(rows.file == rows.server && !rows.file.isEmpty, "\(text)")
            }
        }
    }

    @Test func `conditions find what they find in a file`() throws {
        let stores = try stores()
        let zero = PredicateArgument.value(.string("a\0"))
        let born = PredicateArgument.value(.date(Date(timeIntervalSinceReferenceDate: 86_400.000_001)))
        let conditions: [(String, [PredicateArgument])] = [
            ("name == %@", [zero]), ("NOT (name == %@)", [zero]), ("name != %@", [zero]),
            ("name CONTAINS[c] %@", [zero]),
            ("NOT (name BEGINSWITH %@)", [zero]), ("name IN %@", [.list([zero, .value(.string("Bo"))])]),
            ("NOT (name IN %@)", [.list([zero])]), ("ALL friends.name != %@", [zero]), ("name < %@", [zero]),
            ("leftshift:by:(rank, 3) > 0", []), ("rightshift:by:(rank, 63) == -1", []),
            ("leftshift:by:(height, 62) == 0", []), ("leftshift:by:(rank, 63) < 0", []),
            ("leftshift:by:(rank, 64) == 0", []), ("rightshift:by:(rank, -1) > 0", []),
            ("height == TERNARY(age > 3, 9007199254740993, 1)", []),
            ("TERNARY(age > 3, 9007199254740993, height) > 9007199254740992.0", []),
            ("noindex(9007199254740993) > height", []), ("nil * nil == age", []), ("NOT (nil * nil == age)", []),
            ("TERNARY(age > 3, nil, floor(nil)) > 2", []), ("abs(nil) + height == nil", []),
            ("TERNARY(age > 3, %@, nil) > 2", [.value(.double(.nan))]), ("born == %@", [born]),
            ("born - %@ == 0", [born]), ("born + 60 > %@", [born]), ("born IN %@", [.list([born])]),
            ("raw IN %@", [.list((0..<30).map { .value(.data(Data([UInt8($0), 255, 0]))) })]),
        ]
        for (format, arguments) in conditions {
            try stores.expectSame(stores.request("Person", format, arguments), "\(format)")
        }
        let prices = (0..<30).map { PredicateArgument.value(.decimal(Decimal($0) / 4)) }
        try stores.expectSame(stores.request("Book", "price IN %@", [.list(prices)]))
    }

    @Test func `groups of every type have conditions and orders`() throws {
        let stores = try stores()
        let expressions = [
            "pupils.@sum.rank", "pupils.@count", "abs(isActive)", "isActive", "born + 60", "born", "age + 1", "height",
            "weight", "canonical(name)", "mentor", "code", "pupils.@max.born",
            "TERNARY(age > 3, isActive, abs(isActive))",
            "CAST(age, 'NSDate')", "CAST(age, 'NSDecimalNumber')",
        ]
        var sameCount = 0
        for text in expressions {
            let expression = try parseExpression(text)
            for comparator in [SwormPredicates.Comparator.notEqual, .greater] {
                var tree = ProjectionTree([expression, .aggregate(.count), .aggregate(.maximum, of: expression)])
                if text == "mentor" { tree.columns.removeLast() }
                tree.groups = [expression]
                tree.sorts = [.init(expression, ascending: comparator == .greater)]
                let other: ExpressionTree =
                    try comparator == .notEqual ? .value(.null) : parseExpression(Self.bound(of: text))
                if text != "mentor" || comparator == .notEqual {
                    tree.having = .comparison(Comparison(expression, by: comparator, with: other))
                }
                let request = ProjectionSpecification(fetch: try stores.request("Person"), tree: tree)
                let answers = [stores.file, stores.server].map { store in
                    Result {
                        try stores.read(store) { try $0.storedRows(request).rows.map { $0.map(Self.normalized) } }
                    }
                }
                switch (answers[0], answers[1]) {
                case (.success(let file), .success(let server)):
                    #expect(file == server, "\(text) \(comparator)")
                    sameCount += 1
                case (.failure, .failure): break
                default: Issue.record("\(text) \(comparator): \(answers.map { "\($0)".prefix(200) })")
                }
            }
        }
        #expect(sameCount > 24, "\(sameCount)")
    }

    /// Returns a constant of the type of an expression.
    private static func bound(of text: String) -> String {
        switch text {
        case "isActive", "abs(isActive)", "TERNARY(age > 3, isActive, abs(isActive))": "NO"
        case "born", "born + 60", "pupils.@max.born", "CAST(age, 'NSDate')": "CAST(3, 'NSDate')"
        case "canonical(name)": "'b'"
        case "code": "nil"
        default: "1"
        }
    }

    private static func normalized(_ value: StoredValue) -> StoredValue {
        switch value {
        case .real(let number): Int64(exactly: number).map { .integer($0) } ?? value
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        default: value
        }
    }

    @Test func `long decimals are compared with all digits, in memory and in files with those of a double`() throws {
        let digits = "0.12345678901234567890123"
        let stores = try ReadingStores(ReadingModel.make()) { context in
            try [digits + "1", digits + "2", "0.5"].map {
                try context.make("Book", ["price": NSDecimalNumber(string: $0), "title": "a"])
            }
        }
        let decimal = try #require(Decimal(string: digits + "1", locale: nil))
        func count(_ format: String, in store: any ObjectStore) throws -> Int {
            let request = try stores.request("Book", format, [.value(.decimal(decimal))])
            return try stores.read(store) { try $0.count(request) }
        }
        #expect(try count("price == %@", in: stores.server) == 1)
        #expect(try count("price == %@", in: stores.file) == 2)
        // The alternative has no statement on a server.
        #expect(try count("price == %@ OR title MATCHES 'b'", in: stores.server) == 2)
        #expect(try count("price > %@", in: stores.server) == 2)
        #expect(try count("price > %@", in: stores.file) == 1)
    }
}
#endif
